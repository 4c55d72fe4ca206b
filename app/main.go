// Command mac-stats is a menu-bar app: the machine's vitals, and a chat with a team of
// agents on a local Ollama server. This package only connects the parts.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mac-stats/agents/command"
	"mac-stats/agents/process"
	"mac-stats/app/backend"
	"mac-stats/app/cli"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/config"
	"mac-stats/app/instance"
	"mac-stats/app/monitor"
	"mac-stats/sessionmem/pdftext"
)

// version is set by the build: -ldflags "-X main.version=…".
var version = ""

func main() {
	process.Child(command.Inside)
	pdftext.Child(cacheFolder)
	monitor.Child()
	cobra.MousetrapHelpText = "" // a double click on Windows starts the app
	showFailure := useConsole()
	ctx, stop := signal.NotifyContext(context.Background(), stopSignals()...)
	code := cli.Run(ctx, params(), os.Args[1:])
	stop()
	if code != 0 {
		showFailure()
	}
	os.Exit(code)
}

// cacheFolder returns the folder of caches, "" if there is none.
func cacheFolder() string {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return ""
	}
	return paths.Cache
}

// stopSignals returns the signals that end the app in an orderly way: it saves answers and
// removes a demo's folder. A closed terminal (SIGHUP) is one of them, except under nohup.
func stopSignals() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

func params() cli.Params {
	return cli.Params{
		Params: cmdline.Params{
			Version:          buildVersion(),
			Stdin:            os.Stdin,
			Stdout:           os.Stdout,
			Stderr:           os.Stderr,
			StderrIsTerminal: term.IsTerminal(int(os.Stderr.Fd())),
			StdinIsPipe:      isPipe(os.Stdin),
			Terminal:         openTerminal,
			Open:             backend.Open,
			Poke:             poke,
			AppRuns:          appRuns,
		},
		RunApp: runApp,
	}
}

// poke notifies the running app, if there is one, that a session changed, and whether it was
// asked.
func poke(b *backend.Backend, session string, asked bool) {
	request := instance.Request{Op: instance.OpChanged, Session: session, Asked: asked}
	if err := instance.Send(context.Background(), b.Paths.Runtime, b.Paths.Home, request); err != nil {
		b.Logger.Debug("no app to tell of the change", "error", err)
	}
}

// appRuns reports whether the app runs for this data folder.
func appRuns(ctx context.Context, b *backend.Backend) bool {
	return instance.Send(ctx, b.Paths.Runtime, b.Paths.Home, instance.Request{Op: instance.OpPing}) == nil
}

// openTerminal opens the terminal that the program was started on.
func openTerminal() (io.ReadCloser, error) {
	name := "/dev/tty"
	if runtime.GOOS == "windows" {
		name = "CONIN$"
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return terminal{f}, nil
}

// terminal is the terminal on which people type answers.
type terminal struct{ *os.File }

// isPipe reports whether something is piped or redirected into f.
func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "development build"
}

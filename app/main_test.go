package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mac-stats/app/backend"
	"mac-stats/app/cli"
	"mac-stats/app/config"
	"mac-stats/app/instance"
)

// place sets the environment of a new data folder and returns its paths. What is printed to
// stdout goes to the file out.
func place(t *testing.T) (paths config.Paths, out string) {
	t.Helper()
	dir := t.TempDir()
	for key, value := range map[string]string{
		"HOME": dir, "MAC_STATS_HOME": filepath.Join(dir, "data"), "MAC_STATS_CACHE": filepath.Join(dir, "cache"), "XDG_RUNTIME_DIR": dir,
		"XDG_CONFIG_HOME": filepath.Join(dir, "config"), "OLLAMA_HOST": "127.0.0.1:1", "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + dir + "/none",
	} {
		t.Setenv(key, value)
	}
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stdout
	os.Stdout = f
	t.Cleanup(func() {
		os.Stdout = before
		_ = f.Close()
	})
	return paths, f.Name()
}

func textOf(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// given an app without a screen, when a second one starts, then it says who has the folder;
// and the first ends when it is told to
func TestHeadlessFromStartToEnd(t *testing.T) {
	paths, out := place(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- runApp(ctx, cli.AppOptions{Headless: true}) }()
	ping := func() error {
		return instance.Send(t.Context(), paths.Runtime, paths.Home, instance.Request{Op: instance.OpPing})
	}
	for ping() != nil {
		select {
		case err := <-ended:
			t.Fatalf("it ended: %v", err)
		default:
		}
	}
	if err := instance.Send(t.Context(), paths.Runtime, paths.Home, instance.Request{Op: instance.OpChanged, Session: "cli-a"}); err != nil {
		t.Error(err)
	}
	if err := runApp(t.Context(), cli.AppOptions{Headless: true}); !errors.Is(err, instance.ErrRunning) || !strings.HasSuffix(err.Error(), "on "+paths.Home+": use that one, or set MAC_STATS_HOME to another folder") {
		t.Errorf("a second one: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	if ping() == nil {
		t.Error("it still answers")
	}
	if got := textOf(t, out); got != "mac-stats runs without a screen on "+paths.Home+". Stop it with Ctrl-C.\n" {
		t.Errorf("it printed %q", got)
	}
}

func TestHeadlessReportsAFolderThatCannotBeMade(t *testing.T) {
	paths, _ := place(t)
	if err := os.WriteFile(paths.Home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := runApp(t.Context(), cli.AppOptions{Headless: true}); err == nil || !strings.Contains(err.Error(), paths.Home) {
		t.Errorf("got %v", err)
	}
}

func TestASecondStartShowsTheWindowOfTheFirst(t *testing.T) {
	paths, out := place(t)
	t.Setenv("XDG_ACTIVATION_TOKEN", "may come to the front")
	var got []instance.Request
	l, err := instance.Listen(paths.Runtime, paths.Home, func(r instance.Request) { got = append(got, r) })
	if err != nil {
		t.Fatal(err)
	}
	if err := runApp(t.Context(), cli.AppOptions{}); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if want := []instance.Request{{Op: instance.OpShow, Token: "may come to the front"}}; !slices.Equal(got, want) {
		t.Errorf("the first one was asked for %+v", got)
	}
	if text := textOf(t, out); text != "mac-stats is already running; its window is shown.\n" {
		t.Errorf("the second one printed %q", text)
	}
}

func TestACommandTellsTheAppWhatChanged(t *testing.T) {
	paths, _ := place(t)
	b, err := backend.Open(t.Context(), backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	poke(b, "cli-a", false) // nobody is there
	var got []instance.Request
	l, err := instance.Listen(paths.Runtime, paths.Home, func(r instance.Request) { got = append(got, r) })
	if err != nil {
		t.Fatal(err)
	}
	poke(b, "cli-b", true)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if want := []instance.Request{{Op: instance.OpChanged, Session: "cli-b", Asked: true}}; !slices.Equal(got, want) {
		t.Errorf("the app was told %+v", got)
	}
}

func TestParamsOfTheProgram(t *testing.T) {
	before := version
	t.Cleanup(func() { version = before })
	for set, want := range map[string]string{"1.2.3": "1.2.3", "": "development build"} {
		version = set
		if got := params(); got.Version != want || got.Open == nil || got.RunApp == nil || got.Stdout != os.Stdout {
			t.Errorf("built as %q: %+v", set, got.Version)
		}
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if !isPipe(file) || isPipe(null) {
		t.Errorf("a file counts as piped: %v, a device: %v", isPipe(file), isPipe(null))
	}
	if err := errors.Join(file.Close(), null.Close()); err != nil {
		t.Fatal(err)
	}
	if isPipe(file) {
		t.Error("a closed stdin counts as piped")
	}
	if got := noticeLine(backend.Notice{Text: "The disk is full.", Next: "Free some space."}); got != "mac-stats: The disk is full. Free some space." {
		t.Errorf("a notice is printed as %q", got)
	}
	signals := stopSignals()
	if !slices.Contains(signals, os.Interrupt) || !slices.Contains(signals, os.Signal(syscall.SIGTERM)) || slices.Contains(signals, os.Signal(syscall.SIGHUP)) == signal.Ignored(syscall.SIGHUP) {
		t.Errorf("it stops at %v", signals)
	}
}

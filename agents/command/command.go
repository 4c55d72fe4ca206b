// Package command implements RUN_CMD: it runs a program for an agent, if the person has
// switched that on and allows the call.
//
// Rules:
//   - It runs a list of arguments, never a string in a shell. A program that runs what its
//     arguments say (a shell, an interpreter, env, sudo …) needs a yes each time.
//   - The program runs in one folder, without secrets in its environment, with limits of
//     time and output, and those of process.Usual. It is killed with everything it started.
//   - It runs in a sandbox if the system has one: bubblewrap or Landlock on Linux,
//     sandbox-exec on macOS. The question says which one and what it doesn't prevent, or
//     that there is none.
//   - Its output is a stranger's text.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/agents/process"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

const (
	maxOutput  = 16 << 20  // bytes that a program may print before it is killed
	keptOutput = 128 << 10 // bytes of output kept, from the beginning
	shownTail  = 4 << 10   // bytes of output shown while it runs, from the end
	showEvery  = 500 * time.Millisecond
	maxLine    = 8 << 10                // bytes of a command
	lingerTime = 200 * time.Millisecond // how long processes that outlive the program may still print
)

// limits are the limits of a program.
var limits = process.Usual()

// Settings are the person's settings, reread for each call.
type Settings struct {
	Folder  string        // where programs run; created if missing
	Time    time.Duration // how long a program may run
	Network bool          // whether it may use the network, if a sandbox can prevent that
}

// Params configures RUN_CMD; all fields are required.
type Params struct {
	Settings func() Settings
	Data     string   // the data folder, which is hidden from programs
	Environ  []string // of this process
}

// Tool is RUN_CMD.
type Tool struct{ p Params }

// New returns the tool.
func New(p Params) *Tool {
	if p.Settings == nil || p.Data == "" {
		panic("command: New needs Settings and Data")
	}
	return &Tool{p}
}

// Doc implements tools.Tool.
func (*Tool) Doc() tools.Doc {
	return tools.Doc{
		Name: tools.RunCmd, Usage: "RUN_CMD: <program> [arguments]",
		Description: "Runs a program in the user's folder for it, without a shell: no pipes, no variables, no wildcards. The user is asked first.",
		Effects:     tools.Effects{Reads: "files of this machine", Writes: "files"},
		Params:      []tools.Param{{Name: "command", Description: "the program and its arguments, in one line", Required: true}},
	}
}

// Action implements tools.Guarded.
func (t *Tool) Action(call *tools.Call) (tools.Action, error) {
	argv, path, err := t.parse(call)
	if err != nil {
		return tools.Action{}, err
	}
	set, err := t.settings()
	if err != nil {
		return tools.Action{}, err
	}
	program := nameOf(argv[0])
	box := findSandbox()
	act := tools.Action{
		Tool: tools.RunCmd, Covers: program, What: quoted(append([]string{path}, argv[1:]...)), Where: set.Folder + " · " + box.words(set.Network), Effects: t.Doc().Effects,
		Single: argv[0] != filepath.Base(argv[0]) || !onlyReads(program, argv[1:], runtime.GOOS) || !isReader(nameOf(resolved(path))),
	}
	act.Writes = "files in that folder"
	switch {
	case box.kind == noSandbox:
		act.Writes, act.Sends = "any file that you can write", "whatever it sends"
	case set.Network:
		act.Sends = "whatever it sends"
	}
	return act, nil
}

// nameOf returns a program's name without its folder.
func nameOf(path string) string {
	return strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".exe")
}

// settings returns the person's settings, with links in the folder resolved. A sandbox
// exposes the whole folder, so it mustn't contain anything hidden or be inside it.
func (t *Tool) settings() (Settings, error) {
	set := t.p.Settings()
	set.Folder = resolved(set.Folder)
	if err := CheckFolder(set.Folder, t.p.Data); err != nil {
		return Settings{}, fmt.Errorf("nothing runs in the folder for commands: %w. The user has to choose another one in Settings", err)
	}
	return set, nil
}

// CheckFolder returns an error if no program may run in a folder, given the data folder.
// It is called when a folder is chosen in the settings, and again before each run.
func CheckFolder(folder, data string) error {
	if !filepath.IsAbs(folder) {
		return fmt.Errorf("%s can't be that folder: write its whole path", folder)
	}
	folder = resolved(folder)
	own := resolved(filepath.Join(data, workFolder))
	for _, path := range hidden(data) {
		if within(path, folder) || within(folder, path) && !within(folder, own) {
			return fmt.Errorf("%s can't be that folder, because %s is not for programs", folder, path)
		}
	}
	for at := folder; ; at = filepath.Dir(at) { // missing folders are created
		switch info, err := os.Stat(at); {
		case err == nil && info.IsDir():
			return nil
		case err == nil, !errors.Is(err, fs.ErrNotExist), at == filepath.Dir(at):
			return fmt.Errorf("%s can't be that folder, because %s is no folder", folder, at)
		}
	}
}

// parse returns the arguments of a call and the program's path.
func (t *Tool) parse(call *tools.Call) (argv []string, path string, err error) {
	line := call.Arg
	if call.Args != nil {
		line = call.Value("command")
	}
	if len(line) > maxLine {
		return nil, "", fmt.Errorf("the command is longer than %d KB", maxLine>>10)
	}
	if argv, err = split(line); err != nil {
		return nil, "", err
	}
	path = argv[0]
	if path == filepath.Base(path) {
		if path, err = exec.LookPath(path); err != nil {
			return nil, "", fmt.Errorf("there is no program %s here", argv[0])
		}
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(t.p.Settings().Folder, path)
	}
	return argv, path, nil
}

// Run runs the program. A nonzero exit code is a result too.
func (t *Tool) Run(ctx context.Context, call *tools.Call) (tools.Result, error) {
	argv, path, err := t.parse(call)
	if err != nil {
		return tools.Result{}, err
	}
	set, err := t.settings()
	if err != nil {
		return tools.Result{}, err
	}
	if err := os.MkdirAll(set.Folder, 0o700); err != nil {
		return tools.Result{}, fmt.Errorf("the folder for commands can't be made: %w", err)
	}
	limited, stop := context.WithTimeout(ctx, set.Time)
	defer stop()
	full := findSandbox().wrap(append([]string{path}, argv[1:]...), set, t.p.Data)
	cmd := exec.CommandContext(limited, full[0], full[1:]...)
	cmd.Dir, cmd.Env = set.Folder, process.Environ(t.p.Environ)
	out := &output{}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = out, out, lingerTime
	out.over = stop
	p, err := process.Start(cmd, limits)
	if err != nil {
		return tools.Result{}, fmt.Errorf("%s can't be run: %w", argv[0], err)
	}
	shown := make(chan struct{})
	go func() { // it ends before Run returns, so nothing is shown after the result
		defer close(shown)
		out.show(limited, call.Progress)
	}()
	err = cmd.Wait()
	p.Kill() // what it left running
	late := limited.Err() != nil && ctx.Err() == nil
	stop()
	<-shown
	if ctx.Err() != nil {
		return tools.Result{}, context.Cause(ctx)
	}
	text, cut := out.text()
	exit := (*exec.ExitError)(nil)
	switch {
	case out.full():
		text += fmt.Sprintf("\n[stopped: it printed more than %d MB]", maxOutput>>20)
	case late:
		text += fmt.Sprintf("\n[stopped after %s]", set.Time)
	case errors.As(err, &exit):
		text += "\n[" + exit.Error() + "]"
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return tools.Result{}, fmt.Errorf("%s failed: %w", argv[0], err)
	}
	if strings.TrimSpace(text) == "" {
		text = "(it printed nothing)"
	}
	return tools.Result{Text: strings.TrimSpace(text), Cut: cut, Quote: "what a program printed", About: quoted(argv), Sources: transcript.FromTool}, nil
}

// output collects a program's output.
type output struct {
	over func() // kills the program

	mu   sync.Mutex
	head bytes.Buffer
	tail []byte
	n    int
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n += len(p)
	o.head.Write(p[:min(len(p), keptOutput-o.head.Len())])
	o.tail = append(o.tail, p...)
	o.tail = slices.Clone(o.tail[max(len(o.tail)-shownTail, 0):])
	if o.n > maxOutput {
		o.over()
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func (o *output) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.n > maxOutput
}

func (o *output) text() (text string, cut bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.ToValidUTF8(o.head.String(), "�"), o.n > o.head.Len()
}

// show shows the end of the output while the program runs.
func (o *output) show(ctx context.Context, progress func(string)) {
	if progress == nil {
		return
	}
	clock := time.NewTicker(showEvery)
	defer clock.Stop()
	for shown := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-clock.C:
		}
		o.mu.Lock()
		n, tail := o.n, string(o.tail)
		o.mu.Unlock()
		if n != shown {
			shown = n
			progress(strings.ToValidUTF8(tail, ""))
		}
	}
}

// split splits a line into arguments at blanks, except in quotes or after a backslash. It
// refuses syntax that only a shell understands, so that what runs is what people saw.
func split(line string) ([]string, error) {
	var argv []string
	var arg strings.Builder
	begun, quote := false, rune(0)
	runes := []rune(strings.TrimSpace(line))
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == 0 || r == '\n' || r == '\r':
			return nil, errors.New("a command is one line")
		case quote == 0 && strings.ContainsRune("|&;<>`", r), quote != '\'' && (r == '`' || r == '$' && i+1 < len(runes) && strings.ContainsRune("({", runes[i+1])):
			return nil, fmt.Errorf("%q is for a shell, and there is none: run one program with its arguments, or sh -c '…' where a shell is needed", r)
		case r == quote && quote != 0:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case r == '\\' && quote != '\'' && runtime.GOOS != "windows" && i+1 < len(runes):
			i++
			arg.WriteRune(runes[i])
			begun = true
		case quote == 0 && (r == ' ' || r == '\t'):
			if begun {
				argv = append(argv, arg.String())
			}
			arg.Reset()
			begun = false
		default:
			arg.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote isn't closed")
	}
	if begun {
		argv = append(argv, arg.String())
	}
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("name a program: RUN_CMD: <program> [arguments]")
	}
	return argv, nil
}

// quoted returns the arguments as text in which a person sees where each begins and ends,
// and also invisible characters.
func quoted(argv []string) string {
	parts := make([]string, len(argv))
	for i, arg := range argv {
		parts[i] = arg
		if arg == "" || strings.ContainsFunc(arg, func(r rune) bool {
			return !strings.ContainsRune("-_./:=,@%+~^", r) && (r < '0' || r > 'z' || r > '9' && r < 'A' || r > 'Z' && r < 'a')
		}) {
			parts[i] = fmt.Sprintf("%+q", arg)
			if !strings.ContainsFunc(arg, func(r rune) bool { return r < ' ' || r > '~' }) {
				parts[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
			}
		}
	}
	return strings.Join(parts, " ")
}

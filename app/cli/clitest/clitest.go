// Package clitest runs command lines in the process of a test, with a data folder and a
// scripted server.
package clitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/agents/command"
	"mac-stats/agents/process"
	"mac-stats/agents/testkit"
	"mac-stats/app/backend"
	"mac-stats/app/cli"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/doctorcmd"
	"mac-stats/app/cli/words"
)

// The documented exit codes.
const (
	Done        = 0
	Failed      = 1
	WrongUsage  = 2
	Interrupted = 130
	BrokenPipe  = 141
)

// Main runs the tests of a package of commands.
func Main(m *testing.M) {
	process.Child(command.Inside)
	os.Exit(m.Run())
}

// Env is the environment that command lines run in.
type Env struct {
	Home     string
	Environ  []string
	Server   *testkit.Server // nil if there is none
	Terminal bool            // whether stderr is a terminal
	Piped    bool            // whether stdin is a pipe
	AppRuns  bool
	// Probes describe a healthy system, with Ollama installed unless NoOllama is set.
	Probes   doctorcmd.Probes
	NoOllama bool
	// ShellWait is how long a shell waits for completions.
	ShellWait time.Duration
	RunApp    func(context.Context, cli.AppOptions) error
	Open      func(context.Context, backend.Options) (*backend.Backend, error) // patient, usually

	mu    sync.Mutex
	Poked []string // the sessions that the app was notified of
	Asked bool     // it was told that one was asked
}

// Model returns a model that can chat and call tools.
func Model(name string) testkit.Model {
	return testkit.Model{Name: name, ParameterSize: "8B", Family: "qwen3", Capabilities: []string{"completion", "tools"}, ContextLength: 32768}
}

// Answering returns a server with one answer for everything.
func Answering(text string) testkit.Script {
	return testkit.Script{Models: []testkit.Model{Model("qwen3:8b")}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: text}}}}
}

// Summarizing returns a server whose small model finds a lesson.
func Summarizing(digest string) testkit.Script {
	script := Answering("ok")
	script.Rules = append([]testkit.Rule{{Task: "You compress a conversation", Reply: testkit.Reply{Text: digest}}}, script.Rules...)
	return script
}

// New starts a server and creates a data folder that uses it.
func New(t *testing.T, script testkit.Script) *Env {
	t.Helper()
	server := testkit.Start(t, script)
	e := At(t, server.Addr())
	e.Server = server
	return e
}

// At creates a data folder that uses the server at an address.
func At(t *testing.T, host string) *Env {
	t.Helper()
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	return &Env{
		Home: home,
		Environ: []string{
			"HOME=" + dir, "MAC_STATS_HOME=" + home, "MAC_STATS_CACHE=" + filepath.Join(dir, "cache"), "OLLAMA_HOST=" + host,
			"MAC_STATS_AGENTS_PROMPT_TIER=middle", "MAC_STATS_AGENTS_TOOLS_TIER=middle",
		},
		Probes: doctorcmd.Probes{
			Display:  func(context.Context) (string, bool, error) { return "X11 :1", true, nil },
			TrayHost: func(context.Context) (bool, error) { return true, nil },
			Free:     func(string) (uint64, error) { return 50e9, nil },
		},
		ShellWait: time.Minute,
		Open:      patient,
	}
}

// patient opens the backend for commands that wait however busy the machine is.
func patient(ctx context.Context, o backend.Options) (*backend.Backend, error) {
	o.Patience = time.Minute
	return backend.Open(ctx, o)
}

// Remembering returns a data folder with two conversations and a memory, indexed.
func Remembering(t *testing.T) *Env {
	t.Helper()
	e := New(t, Answering("It listens on port 8443."))
	e.Must(t, "ask", "--session", "proxy", "Which port does the zephyr proxy use?")
	e.Must(t, "ask", "--session", "garden", "When do I plant tomatoes?")
	e.Must(t, "memory", "add", "The backup disk is called Kestrel")
	e.Must(t, "memory", "reindex")
	return e
}

// Outcome is the result of a command line.
type Outcome struct {
	Code           int
	Stdout, Stderr string
}

// Run runs a command line.
func (e *Env) Run(t *testing.T, args ...string) Outcome {
	t.Helper()
	return e.RunWith(t.Context(), "", args...)
}

// RunWith runs a command line with a text on stdin.
func (e *Env) RunWith(ctx context.Context, stdin string, args ...string) Outcome {
	var stdout, stderr bytes.Buffer
	code := cli.Run(ctx, e.Params(stdin, &stdout, &stderr), args)
	return Outcome{code, stdout.String(), stderr.String()}
}

// Params returns the parameters of a command line.
func (e *Env) Params(stdin string, stdout, stderr io.Writer) cli.Params {
	return cli.Params{
		Params: cmdline.Params{
			Version: "1.2.3", Stdin: strings.NewReader(stdin), Stdout: stdout, Stderr: stderr,
			Environ: e.Environ, StderrIsTerminal: e.Terminal, StdinIsPipe: e.Piped,
			Open: e.Open, HasOllama: func() bool { return !e.NoOllama }, ShellWait: e.ShellWait,
			AppRuns: func(context.Context, *backend.Backend) bool { return e.AppRuns },
			Poke: func(_ *backend.Backend, session string, asked bool) {
				e.mu.Lock()
				defer e.mu.Unlock()
				e.Poked = append(e.Poked, session)
				e.Asked = e.Asked || asked
			},
		},
		RunApp: e.RunApp,
		Probes: &e.Probes,
	}
}

// Must runs a command that has to succeed and returns its output.
func (e *Env) Must(t *testing.T, args ...string) string {
	t.Helper()
	o := e.Run(t, args...)
	if o.Code != Done {
		t.Fatalf("%q: exit %d\n%s%s", args, o.Code, o.Stdout, o.Stderr)
	}
	return o.Stdout
}

// Refuses tests that a wrong command line is refused in one short line that says so, in any
// case.
func (e *Env) Refuses(t *testing.T, says string, args ...string) {
	t.Helper()
	o := e.Run(t, args...)
	if o.Code != WrongUsage || o.Stdout != "" || !OneLineOn(o.Stderr, "mac-stats: ") || !strings.Contains(strings.ToLower(o.Stderr), strings.ToLower(says)) || len(o.Stderr) > 400 {
		t.Errorf("%q: %+v", words.OneLine(strings.Join(args, " "), 60), o)
	}
}

// Write writes a file in the data folder.
func (e *Env) Write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(e.Home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Transcript writes a session as the app does, one message per text, starting at start.
func (e *Env) Transcript(t *testing.T, name string, start time.Time, texts ...string) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "---\nformat: mac-stats-session/1\nsession: %s\nsource: cpu\nstarted: %s\n---\n", name, start.Format(time.RFC3339))
	for i, text := range texts {
		kind := []string{"User", "Assistant"}[i%2]
		fmt.Fprintf(&b, "\n## %s · %s\n<!-- id=b%d -->\n\n%s\n", kind, start.Add(time.Duration(i)*time.Second).Format(time.RFC3339), i, text)
	}
	e.Write(t, "session/session-memory-"+name+"-"+start.Format("20060102-150405")+"-talk.md", b.String())
}

// Objects parses output with one JSON object per line.
func Objects(t *testing.T, stdout string) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(stdout) {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("no JSON object: %q: %v", line, err)
		}
		list = append(list, o)
	}
	return list
}

// Fields returns an object's keys in order.
func Fields(o map[string]any) []string {
	var names []string
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// OneLineOn reports whether stderr is a single line with this beginning.
func OneLineOn(stderr, begin string) bool {
	return strings.HasPrefix(stderr, begin) && strings.Count(stderr, "\n") == 1 && strings.HasSuffix(stderr, "\n")
}

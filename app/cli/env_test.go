package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/agents/command"
	"mac-stats/agents/ollamatest"
	"mac-stats/agents/process"
	"mac-stats/app/backend"
)

func TestMain(m *testing.M) {
	process.Child(command.Inside)
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil { // they wait, mostly
		panic(err)
	}
	os.Exit(m.Run())
}

// env is a data folder and a scripted server that the command tree runs against,
// in process and for real.
type env struct {
	home     string
	environ  []string
	server   *ollamatest.Server
	terminal bool // stderr is one
	piped    bool // stdin is a pipe
	appRuns  bool
	probes   probes
	// completing is how long a shell waits for candidates.
	completing time.Duration
	runApp     func(context.Context, AppOptions) error
	open       func(context.Context, backend.Options) (*backend.Backend, error) // patient, mostly

	mu    sync.Mutex
	poked []string
}

func model(name string) ollamatest.Model {
	return ollamatest.Model{Name: name, ParameterSize: "8B", Family: "qwen3", Capabilities: []string{"completion", "tools"}, ContextLength: 32768}
}

// answering is a server that says one thing to everybody.
func answering(text string) ollamatest.Script {
	return ollamatest.Script{Models: []ollamatest.Model{model("qwen3:8b")}, Rules: []ollamatest.Rule{{Reply: ollamatest.Reply{Text: text}}}}
}

func newEnv(t *testing.T, script ollamatest.Script) *env {
	t.Helper()
	e := &env{server: ollamatest.Start(t, script), probes: healthy(), completing: time.Minute, open: patient}
	e.at(t, e.server.Addr())
	return e
}

// at uses new folders and the server at the address.
func (e *env) at(t *testing.T, host string) {
	t.Helper()
	dir := t.TempDir()
	e.home = filepath.Join(dir, "home")
	e.environ = []string{"HOME=" + dir, "MAC_STATS_HOME=" + e.home, "MAC_STATS_CACHE=" + filepath.Join(dir, "cache"), "OLLAMA_HOST=" + host, "MAC_STATS_AGENTS_PROMPT_TIER=middle", "MAC_STATS_AGENTS_TOOLS_TIER=middle"}
}

// healthy is a system without anything wrong.
func healthy() probes {
	return probes{
		display:  func(context.Context) (string, bool, error) { return "X11 :1", true, nil },
		trayHost: func(context.Context) (bool, error) { return true, nil },
		free:     func(string) (uint64, error) { return 50e9, nil },
		program:  func(string) bool { return true },
	}
}

// patient opens the backend for commands that leave nothing out because the machine
// is busy.
func patient(ctx context.Context, o backend.Options) (*backend.Backend, error) {
	o.Patience = time.Minute
	return backend.Open(ctx, o)
}

type outcome struct {
	code           int
	stdout, stderr string
}

func (e *env) run(t *testing.T, args ...string) outcome {
	t.Helper()
	return e.runWith(t.Context(), "", args...)
}

func (e *env) runWith(ctx context.Context, stdin string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := Run(ctx, e.params(stdin, &stdout, &stderr), args)
	return outcome{code, stdout.String(), stderr.String()}
}

func (e *env) params(stdin string, stdout, stderr interface{ Write([]byte) (int, error) }) Params {
	return Params{
		Version: "1.2.3", Stdin: strings.NewReader(stdin), Stdout: stdout, Stderr: stderr,
		Environ: e.environ, StderrIsTerminal: e.terminal, StdinIsPipe: e.piped,
		Open: e.open, RunApp: e.runApp, probes: &e.probes, completing: e.completing,
		AppRuns: func(context.Context, *backend.Backend) bool { return e.appRuns },
		Poke: func(_ *backend.Backend, session string) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.poked = append(e.poked, session)
		},
	}
}

// must runs a command that has to succeed.
func (e *env) must(t *testing.T, args ...string) string {
	t.Helper()
	o := e.run(t, args...)
	if o.code != exitDone {
		t.Fatalf("%q: exit %d\n%s%s", args, o.code, o.stdout, o.stderr)
	}
	return o.stdout
}

func (e *env) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(e.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// objects reads output of one JSON object a line.
func objects(t *testing.T, stdout string) []map[string]any {
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

// fields are an object's names, in order.
func fields(o map[string]any) []string {
	var names []string
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// oneLineOn reports whether stderr is one line that begins so.
func oneLineOn(stderr, begin string) bool {
	return strings.HasPrefix(stderr, begin) && strings.Count(stderr, "\n") == 1 && strings.HasSuffix(stderr, "\n")
}

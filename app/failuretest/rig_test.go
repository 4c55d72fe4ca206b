//go:build unix

package failuretest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
)

// program is the built mac-stats, built once for all tests.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	if signal.Ignored(syscall.SIGHUP) { // under nohup the started programs would ignore it too
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	if err := flag.Set("test.parallel", "16"); err != nil { // they wait most of the time
		panic(err)
	}
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	root, err := moduleRoot()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "mac-stats-failures-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // where permissions matter, another user runs it
		return 0, err
	}
	program = filepath.Join(dir, "mac-stats")
	build := exec.Command("go", "build", "-tags", "nogui", "-o", program, "./app")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// moduleRoot finds the module and reads each of its sources, so that go test notices when a
// cached result is out of date.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("there is no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	for _, folder := range []string{"app", "agents", "sessionmem", "assets"} {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil // an editor is at work
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return dir, nil
}

// place is an installation in temporary folders, with a user's earlier files; intact
// reports whether those are unchanged.
type place struct {
	t    *testing.T
	base string
	home string
	env  []string          // in addition to the folders
	had  map[string]string // path below home → content
	lock sync.Once
}

const (
	oldSession = "cli-old"
	oldFile    = "session/session-memory-cli-old-20260101-080000-tea.md"
	oldText    = "---\nformat: mac-stats-session/1\nsession: cli-old\nsource: cli\nstarted: 2026-01-01T08:00:00+01:00\ntitle: Tea\n---\n\n" +
		"## User · 2026-01-01T08:00:00+01:00\n<!-- id=old1 -->\n\nHow long does green tea steep?\n\n" +
		"## Assistant · 2026-01-01T08:00:09+01:00 · orchestrator · tiny:1b\n<!-- id=old2 parent=old1 -->\n\nTwo minutes.\n\n"
	memoryText = "# My notes\n\n- I drink green tea.\n"
)

// newPlace returns an installation whose server is at host.
func newPlace(t *testing.T, host string, env ...string) *place {
	t.Helper()
	base := t.TempDir()
	p := &place{t: t, base: base, home: filepath.Join(base, "home"), had: map[string]string{}}
	p.env = append([]string{
		"OLLAMA_HOST=" + host, "MAC_STATS_OLLAMA_IDLE_TIMEOUT=10s",
		"MAC_STATS_AGENTS_PROMPT_TIER=middle", "MAC_STATS_AGENTS_TOOLS_TIER=middle", // the test's models are tiny
	}, env...)
	p.write(oldFile, oldText)
	p.write("agents/memory.md", memoryText)
	t.Cleanup(p.intact)
	return p
}

// write creates a user's earlier file, in folders as the program creates them.
func (p *place) write(name, content string) {
	p.t.Helper()
	path := filepath.Join(p.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.had[name] = content
}

// intact checks that the earlier files are there byte for byte (a transcript may have
// grown) and that no other user can read any file.
func (p *place) intact() {
	p.t.Helper()
	for name, want := range p.had {
		got, err := os.ReadFile(filepath.Join(p.home, name))
		if err != nil {
			p.t.Errorf("what was there before is lost: %v", err)
			continue
		}
		if string(got) != want && (!strings.HasPrefix(name, "session/") || !strings.HasPrefix(string(got), want)) {
			p.t.Errorf("%s was changed:\n%.400s", name, got)
		}
	}
	err := filepath.WalkDir(p.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if got := info.Mode().Perm(); got != want && d.Type()&(fs.ModeSymlink|fs.ModeNamedPipe) == 0 {
			p.t.Errorf("%s has the mode %o, not %o", path, got, want)
		}
		return nil
	})
	if err != nil {
		p.t.Error(err)
	}
}

// outcome is the result of a run.
type outcome struct {
	code           int // -1: ended by a signal
	stdout, stderr string
	took           time.Duration
}

// command prepares a run; the environment has nothing of the test's own.
func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = p.base
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.base, "TZ=UTC",
		"MAC_STATS_HOME=" + p.home, "MAC_STATS_CACHE=" + filepath.Join(p.base, "cache"), "XDG_RUNTIME_DIR=" + p.base,
	}, p.env...)
	return cmd
}

// run runs the program to its end.
func (p *place) run(args ...string) outcome {
	p.t.Helper()
	return p.start(p.command(args...)).wait()
}

// process is a running program.
type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr buffer
	began          time.Time
	ended          chan struct{}
	err            error
}

// start starts a command, which ends with the test at the latest.
func (p *place) start(cmd *exec.Cmd) *process {
	p.t.Helper()
	r := &process{t: p.t, cmd: cmd, began: time.Now(), ended: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout = &r.stdout
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &r.stderr
	}
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		p.t.Fatalf("starting %v: %v", cmd.Args, err)
	}
	go func() {
		r.err = cmd.Wait()
		close(r.ended)
	}()
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill() // usually it has ended
		<-r.ended
	})
	return r
}

// wait waits for the end.
func (r *process) wait() outcome {
	r.t.Helper()
	until(r.t, fmt.Sprintf("the end of %.100v", r.cmd.Args[1:]), func() bool {
		select {
		case <-r.ended:
			return true
		default:
			return false
		}
	})
	var exit *exec.ExitError
	if r.err != nil && !errors.As(r.err, &exit) {
		r.t.Fatalf("running %v: %v", r.cmd.Args, r.err)
	}
	o := outcome{code: r.cmd.ProcessState.ExitCode(), stdout: r.stdout.String(), stderr: r.stderr.String(), took: time.Since(r.began)}
	r.t.Logf("%.100s\n  exit %d after %s\n  stdout: %.600s\n  stderr: %.900s", strings.Join(r.cmd.Args[1:], " "), o.code, o.took.Round(time.Millisecond), o.stdout, o.stderr)
	return o
}

// signal sends a signal.
func (r *process) signal(s os.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) { // it may just have ended by itself
		r.t.Fatal(err)
	}
}

// until waits for something that a user would wait for.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	filetest.Until(t, what, holds)
}

// expect compares the result of a run: the code, and the lines on stdout and stderr.
func (o outcome) expect(t *testing.T, code int, stdout, stderr string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit %d, want %d", o.code, code)
	}
	if o.stdout != stdout {
		t.Errorf("stdout:\n got %q\nwant %q", o.stdout, stdout)
	}
	if o.stderr != stderr {
		t.Errorf("stderr:\n got %q\nwant %q", o.stderr, stderr)
	}
}

// buffer is a bytes.Buffer that may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(data)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

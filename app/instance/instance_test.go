package instance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// appRole names the two folders in an environment variable; if it is set, the test binary
// plays the app.
const appRole = "INSTANCE_TEST_APP"

func TestMain(m *testing.M) {
	if folders := os.Getenv(appRole); folders != "" {
		os.Exit(playApp(folders))
	}
	os.Exit(m.Run())
}

// playApp listens until its standard input ends and prints the requests it gets.
func playApp(folders string) int {
	run, home, _ := strings.Cut(folders, "|")
	l, err := Listen(run, home, func(r Request) { fmt.Println(r.Op, r.Session) })
	if errors.Is(err, ErrRunning) {
		fmt.Println("running")
		return 3
	}
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	fmt.Println("listening")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	if err := l.Close(); err != nil {
		fmt.Println("error", err)
		return 1
	}
	return 0
}

// app is a real process.
type app struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	stdin *os.File
}

func start(t *testing.T, run, home string) *app {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), appRole+"="+run+"|"+home)
	stdinRead, stdinWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = stdinRead
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = stdinRead.Close()
	a := &app{cmd: cmd, lines: bufio.NewScanner(out), stdin: stdinWrite}
	t.Cleanup(func() {
		_ = a.stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return a
}

func (a *app) line(t *testing.T) string {
	t.Helper()
	if !a.lines.Scan() {
		t.Fatalf("the process ended: %v", a.lines.Err())
	}
	return a.lines.Text()
}

func folders(t *testing.T) (run, home string) {
	t.Helper()
	dir := t.TempDir()
	run, home = filepath.Join(dir, "run"), filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	return run, home
}

func TestOneProcessIsTheApp(t *testing.T) {
	run, home := folders(t)
	if err := Send(t.Context(), run, home, Request{Op: OpPing}); !errors.Is(err, ErrNotRunning) {
		t.Fatalf("nobody runs, Send gives %v", err)
	}
	first := start(t, run, home)
	if got := first.line(t); got != "listening" {
		t.Fatal(got)
	}
	if got := start(t, run, home).line(t); got != "running" {
		t.Errorf("the second process says %q", got)
	}
	for _, r := range []Request{{Op: OpPing}, {Op: OpShow}, {Op: OpChanged, Session: "cli-notes"}} {
		if err := Send(t.Context(), run, home, r); err != nil {
			t.Errorf("%s: %v", r.Op, err)
		}
	}
	if got := []string{first.line(t), first.line(t)}; !cmp.Equal(got, []string{"show ", "changed cli-notes"}) {
		t.Errorf("the app got %q", got)
	}
	if other := start(t, run, t.TempDir()).line(t); other != "listening" {
		t.Errorf("another data folder has an app of its own, got %q", other)
	}
	_ = first.stdin.Close()
	if err := first.cmd.Wait(); err != nil {
		t.Errorf("the app ended with %v", err)
	}
	if err := Send(t.Context(), run, home, Request{Op: OpPing}); !errors.Is(err, ErrNotRunning) {
		t.Errorf("after its end Send gives %v", err)
	}
}

func TestADeadProcessIsTakenOver(t *testing.T) {
	run, home := folders(t)
	first := start(t, run, home)
	if got := first.line(t); got != "listening" {
		t.Fatal(got)
	}
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.cmd.Wait()
	path, err := findSocket(appSocket, run, home)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Fatalf("the killed process should have left its socket: %v", err)
	}
	if err := Send(t.Context(), run, home, Request{Op: OpPing}); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Send to the dead gives %v", err)
	}
	if got := start(t, run, home).line(t); got != "listening" {
		t.Errorf("the next process says %q", got)
	}
	if err := Send(t.Context(), run, home, Request{Op: OpPing}); err != nil {
		t.Errorf("Send to the next: %v", err)
	}
}

func TestOfManyStartsOneBecomesTheApp(t *testing.T) {
	run, home := folders(t)
	var apps []*app
	for range 6 {
		apps = append(apps, start(t, run, home))
	}
	count := map[string]int{}
	for _, a := range apps {
		count[a.line(t)]++
	}
	if diff := cmp.Diff(map[string]int{"listening": 1, "running": 5}, count); diff != "" {
		t.Error(diff)
	}
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // there, permissions are inherited from the user's folder
	}
	run, home := folders(t)
	l, err := Listen(run, home, func(Request) {})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for path, want := range map[string]fs.FileMode{run: 0o700, l.path: 0o600, l.path + ".lock": 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

func TestASymlinkLeadsToTheSameApp(t *testing.T) {
	run, home := folders(t)
	link := home + "-link"
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(run, home, func(Request) {})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Listen(run, link, func(Request) {}); !errors.Is(err, ErrRunning) {
		t.Errorf("a second app through the symlink: %v", err)
	}
}

func TestALongRuntimeFolderGetsAShortSocket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long-folder-", 10))
	home := t.TempDir()
	l, err := Listen(dir, home, func(Request) {})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.path) > maxPath {
		t.Errorf("%s has %d bytes", l.path, len(l.path))
	}
	if err := Send(t.Context(), dir, home, Request{Op: OpPing}); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	_ = os.RemoveAll(filepath.Dir(l.path))
}

func TestAFolderOfAnotherKindIsRefused(t *testing.T) {
	run, home := folders(t)
	if err := os.WriteFile(run, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(run, home, func(Request) {}); err == nil || !strings.Contains(err.Error(), "XDG_RUNTIME_DIR") {
		t.Errorf("err = %v", err)
	}
}

func TestRequestsOnTheWire(t *testing.T) {
	run, home := folders(t)
	var mu sync.Mutex
	var requests []Request
	l, err := Listen(run, home, func(r Request) { mu.Lock(); requests = append(requests, r); mu.Unlock() })
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tests := []struct{ name, send, want string }{
		{"a request", `{"op":"show","session":"cpu-a"}` + "\n", `{"ok":true}`},
		{"fields of a newer version are fine", `{"op":"ping","later":1}` + "\n", `{"ok":true}`},
		{"an unknown request", `{"op":"format-disk"}` + "\n", `{"ok":false,"error":"unknown request \"format-disk\""}`},
		{"no JSON", "hello\n", `{"ok":false,"error":"the line is no request`},
		{"a line too long", strings.Repeat("x", maxLine+10) + "\n", `{"ok":false,"error":"the line is longer than 4096 bytes"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "unix", l.path)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := conn.Write([]byte(tt.send)); err != nil {
				t.Fatal(err)
			}
			got, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil || !strings.HasPrefix(got, tt.want) {
				t.Errorf("answer %q, %v, want %q", got, err, tt.want)
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff([]Request{{Op: OpShow, Session: "cpu-a"}}, requests); diff != "" {
		t.Error(diff)
	}
}

func TestRequestsHaveATimeout(t *testing.T) {
	run, home := folders(t)
	hang := make(chan struct{})
	l, err := Listen(run, home, func(Request) { <-hang })
	if err != nil {
		t.Fatal(err)
	}
	silent, err := (&net.Dialer{}).DialContext(t.Context(), "unix", l.path)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := Send(ctx, run, home, Request{Op: OpShow}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Send to an app that hangs: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	close(hang)
	again, err := Listen(run, home, func(Request) {})
	if err != nil {
		t.Fatalf("the next one: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestPathsThatCannotHoldASocket(t *testing.T) {
	run, home := folders(t)
	path, err := socketPath(appSocket, run, home)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(run, home, func(Request) {}); err == nil || !strings.HasPrefix(err.Error(), "remove the socket of an earlier run: ") {
		t.Errorf("a folder in its place: %v", err)
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(run, home, func(Request) {}) // the failure released the lock
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(os.Remove(path+".lock"), os.Mkdir(path+".lock", 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(run, home, func(Request) {}); err == nil || errors.Is(err, ErrRunning) {
		t.Errorf("a folder in place of the lock: %v", err)
	}
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(file, "run"), filepath.Join(file, "a", "run")} {
		if _, err := APISocket(dir, home); err == nil || !strings.HasPrefix(err.Error(), "make the runtime folder: ") {
			t.Errorf("below a file: %v", err)
		}
	}
}

func TestTheAPIsSocketIsBesideTheApps(t *testing.T) {
	run, home := folders(t)
	api, err := APISocket(run, home)
	app, appErr := socketPath(appSocket, run, home)
	if err != nil || appErr != nil || filepath.Dir(api) != filepath.Dir(app) || api == app {
		t.Errorf("%s and %s, %v, %v", api, app, err, appErr)
	}
}

func TestSendReportsARefusalAndAnAnswerThatIsNone(t *testing.T) {
	run, home := folders(t)
	path, err := socketPath(appSocket, run, home)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := listen(path)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	for reply, want := range map[string]string{
		`{"ok":false,"error":"not now"}` + "\n": "the app refused: not now",
		"hello\n":                               "poke the app: the line is no request",
		"":                                      "poke the app: read the line: EOF",
	} {
		var answered sync.WaitGroup
		answered.Go(func() {
			conn, err := socket.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = bufio.NewReader(conn).ReadString('\n')
			_, _ = conn.Write([]byte(reply))
			_ = conn.Close()
		})
		if err := Send(t.Context(), run, home, Request{Op: OpPing}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("given %q: %v", reply, err)
		}
		answered.Wait()
	}
	if err := Send(t.Context(), run, home, Request{Op: OpShow, Session: strings.Repeat("x", maxLine)}); err == nil || !strings.Contains(err.Error(), "longer than 4096 bytes") {
		t.Errorf("a request too long: %v", err)
	}
}

func TestSendRefusesInvalidRequests(t *testing.T) {
	run, home := folders(t)
	if err := Send(t.Context(), run, home, Request{Op: "x"}); err == nil || errors.Is(err, ErrNotRunning) {
		t.Errorf("err = %v", err)
	}
}

func FuzzReadLine(f *testing.F) {
	for _, seed := range []string{`{"op":"show"}` + "\n", "{}\n", "\n", "x", `{"op":1}` + "\n", strings.Repeat("x", maxLine+2)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var r Request
		if err := readLine(strings.NewReader(text), &r); err != nil {
			return
		}
		if line, _, ok := strings.Cut(text, "\n"); !ok || len(line) > maxLine {
			t.Errorf("accepted %q", text)
		}
	})
}

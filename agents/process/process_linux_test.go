package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
)

// TestMain also makes the test binary act as the app that starts a program.
func TestMain(m *testing.M) {
	Child(nil)
	if line := os.Getenv("MAC_STATS_TEST_PROGRAM"); line != "" {
		p, err := Start(exec.CommandContext(context.Background(), "sh", "-c", line), Usual())
		if err != nil {
			panic(err)
		}
		_ = p.Cmd.Wait()
		return
	}
	os.Exit(m.Run())
}

// runs reports whether a process has that argument.
func runs(t *testing.T, arg string) bool {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, _ := os.ReadFile(file) // fails if the process has ended
		if strings.HasPrefix(string(data), "sleep\x00"+arg) {
			return true
		}
	}
	return false
}

// detached are ways in which a program leaves a process running outside its group; SLEEP is
// that process.
var detached = map[string]string{
	"a session of its own":       "setsid SLEEP & %s",
	"forked twice":               "(setsid sh -c 'SLEEP & exit' &) ; %s",
	"many in a chain":            "setsid sh -c 'setsid sh -c \"setsid SLEEP & setsid SLEEP & exit\" & exit' & %s",
	"one that ignores all signs": "setsid sh -c 'trap \"\" TERM HUP INT; SLEEP; SLEEP' & %s",
}

func mark() string { return fmt.Sprintf("36%d", time.Now().UnixNano()%1e9) }

// Everything a program started ends when it is killed, when it exits, and when the app is
// killed.
func TestNothingIsLeftOfAProgram(t *testing.T) {
	for name, line := range detached {
		for _, end := range []string{"killed", "ended", "the app is killed"} {
			t.Run(name+", "+end, func(t *testing.T) {
				t.Parallel()
				mark := mark()
				then := "exec sleep " + mark
				if end == "ended" {
					then = "read line; exit 3"
				}
				line := fmt.Sprintf(strings.ReplaceAll(line, "SLEEP", "sleep "+mark), then)
				if end == "the app is killed" {
					app := exec.CommandContext(t.Context(), Self) //nolint:gosec // this test
					app.Env = append(os.Environ(), "MAC_STATS_TEST_PROGRAM="+line)
					if err := app.Start(); err != nil {
						t.Fatal(err)
					}
					filetest.Until(t, "started", func() bool { return runs(t, mark) })
					_ = app.Process.Kill()
					_ = app.Wait()
				} else {
					var out bytes.Buffer
					cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
					cmd.Stdout = &out
					stdin, err := cmd.StdinPipe()
					if err != nil {
						t.Fatal(err)
					}
					p, err := Start(cmd, Usual())
					if err != nil {
						t.Fatal(err)
					}
					filetest.Until(t, "started", func() bool { return runs(t, mark) })
					if end == "killed" {
						p.Kill()
					} else {
						_ = stdin.Close() // the program notices, because nobody else holds it
					}
					_ = cmd.Wait()
					if code := cmd.ProcessState.ExitCode(); end == "ended" && code != 3 {
						t.Errorf("exit code %d", code)
					}
					if runs(t, mark) {
						t.Error("Wait came back before all had ended")
					}
				}
				filetest.Until(t, "all ended", func() bool { return !runs(t, mark) })
			})
		}
	}
}

// When a goroutine that is locked to its thread returns, the thread ends, and programs
// started on the thread are killed.
func TestAProgramOutlivesTheThreadThatStartedIt(t *testing.T) {
	var p *Process
	var err error
	thread := make(chan int, 1)
	var ask func()
	ask = func() {
		runtime.LockOSThread()
		if syscall.Gettid() == syscall.Getpid() { // the main thread never ends, so keep it busy here and use another one
			defer runtime.UnlockOSThread()
			asked := make(chan struct{})
			go func() { defer close(asked); ask() }()
			<-asked
			return
		}
		p, err = Start(exec.CommandContext(t.Context(), "sleep", "60"), Usual())
		thread <- syscall.Gettid()
	}
	go ask()
	id := <-thread
	if err != nil {
		t.Fatal(err)
	}
	for syscall.Tgkill(syscall.Getpid(), id, 0) == nil {
		time.Sleep(time.Millisecond)
	}
	ended := make(chan struct{})
	go func() { _ = p.Cmd.Wait(); close(ended) }()
	select {
	case <-ended:
		t.Fatal("the program was killed with the thread")
	case <-time.After(50 * time.Millisecond):
	}
	p.Kill()
	<-ended
}

//go:build !windows

package monitor

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"
)

// child starts a shell script that reports when it is ready; it is removed after the test.
func child(t *testing.T, script string) (Process, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	since, err := host{}.started(int32(cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return Process{PID: int32(cmd.Process.Pid), Since: since, Name: "sh"}, cmd
}

func TestQuitOnlyHitsTheRightProcess(t *testing.T) {
	m := New(Config{})
	for _, c := range []struct {
		name string
		p    Process
		want error
	}{
		{"this program", Process{PID: int32(os.Getpid()), Name: "mac-stats"}, ErrProtected},
		{"the first process", Process{PID: 1, Name: "init"}, ErrProtected},
		{"every process of the group", Process{PID: 0, Name: "x"}, ErrProtected},
		{"every process there is", Process{PID: -1, Name: "x"}, ErrProtected},
		{"another group", Process{PID: -4242, Name: "x"}, ErrProtected},
		{"one that is gone", Process{PID: 1 << 30, Name: "x"}, ErrGone},
	} {
		for _, force := range []bool{false, true} {
			if err := m.Quit(c.p, force); !errors.Is(err, c.want) {
				t.Errorf("%s, force %v: %v, want %v", c.name, force, err, c.want)
			}
		}
	}
}

func TestQuitAsksThenForces(t *testing.T) {
	m := New(Config{})
	// given a process that ignores the request
	stubborn, cmd := child(t, "trap '' TERM; echo ready; while :; do sleep 0.05; done")
	if err := m.Quit(stubborn, false); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if !m.Runs(stubborn) {
		t.Fatal("asking was enough, though it ignores that")
	}
	// when forced, then it ends
	if err := m.Quit(stubborn, true); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it ended by itself")
	}
	if m.Runs(stubborn) {
		t.Error("it still runs")
	}
	if err := m.Quit(stubborn, true); !errors.Is(err, ErrGone) {
		t.Errorf("a second time: %v", err)
	}
}

func TestQuitNeverHitsAReusedPID(t *testing.T) {
	m := New(Config{})
	// given a process with the PID of an earlier one
	p, _ := child(t, "echo ready; exec sleep 60")
	earlier := p
	earlier.Since--
	if err := m.Quit(earlier, true); !errors.Is(err, ErrGone) {
		t.Errorf("%v, want %v", err, ErrGone)
	}
	if m.Runs(earlier) || !m.Runs(p) {
		t.Error("the wrong process was hit")
	}
}

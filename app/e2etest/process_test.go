//go:build e2e

package e2etest

import (
	"bytes"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// process is a started program.
type process struct {
	name   string
	cmd    *exec.Cmd
	output output
	exited chan struct{} // closed when it has ended
	err    error         // its exit error; read it after exited is closed
}

func (p *process) pid() int { return p.cmd.Process.Pid }

func (p *process) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// waitExit waits until the program has ended by itself, without an error.
func (p *process) waitExit(t testing.TB) {
	t.Helper()
	select {
	case <-p.exited:
	case <-time.After(patience):
		t.Fatalf("%s did not end; it wrote:\n%s", p.name, p.output.tail(40))
	}
	if p.err != nil {
		t.Errorf("%s ended with %v; it wrote:\n%s", p.name, p.err, p.output.tail(40))
	}
}

func (p *process) kill() {
	if p.running() {
		_ = p.cmd.Process.Kill() // it may just have ended by itself
		<-p.exited
	}
}

// output is what a program has written so far.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) tail(lines int) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := strings.Split(strings.TrimRight(o.buf.String(), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

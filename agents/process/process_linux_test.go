package process

import (
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// A goroutine that is locked to its thread takes the thread along when it returns, and
// with the thread goes what was started on it.
func TestAProgramOutlivesTheThreadThatAskedForIt(t *testing.T) {
	var p *Process
	var err error
	thread := make(chan int, 1)
	var ask func()
	ask = func() {
		runtime.LockOSThread()
		if syscall.Gettid() == syscall.Getpid() { // the first thread never ends: held here, it isn't the other one
			defer runtime.UnlockOSThread()
			asked := make(chan struct{})
			go func() { defer close(asked); ask() }()
			<-asked
			return
		}
		p, err = Start(exec.CommandContext(t.Context(), "sleep", "60"))
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

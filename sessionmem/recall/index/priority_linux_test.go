package index

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestLoweringAThreadLeavesOthersUnchanged(t *testing.T) {
	before, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, stepBack := analysts(InBackground(t.Context()), 1, muchWork)
	lowered := make(chan int, 1)
	go func() {
		stepBack()
		p, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
		if err != nil {
			p = -1
		}
		lowered <- p
	}()
	// The system call returns 20 - nice.
	if p, want := <-lowered, max(before-niceness, 20-mostNice); p != want {
		t.Errorf("the thread has %d, want %d", p, want)
	}
	if after, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err != nil || after != before {
		t.Errorf("the process has %d, had %d, %v", after, before, err)
	}
}

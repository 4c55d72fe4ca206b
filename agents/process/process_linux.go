package process

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// prepare also has the program killed when the thread that started it ends.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// starter runs functions on a thread that lives as long as this process. Any other thread
// may end sooner, and its programs with it: it ends with a goroutine that returns while it
// is locked to the thread.
var starter = sync.OnceValue(func() chan<- func() {
	todo := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range todo {
			do()
		}
	}()
	return todo
})

func start(cmd *exec.Cmd) error {
	started := make(chan error, 1)
	starter() <- func() { started <- cmd.Start() }
	return <-started
}

package process

import (
	"os/exec"
	"syscall"
)

// prepare also has the program killed when the thread that started it ends. Go ends no
// thread while the process lives, unless a goroutine that is bound to one returns; none
// of ours starts a program.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

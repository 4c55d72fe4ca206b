//go:build unix && !linux

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// Self stands for this program in a Linux sandbox.
const Self = ""

// Child does nothing on this system, because programs have no keeper here.
func Child(func(args []string) ([]string, error)) {}

func start(cmd *exec.Cmd, _ Limits) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd.Start()
}

type job struct{}

func (job) take(*os.Process, Limits) {}

// kill kills the group; it fails only if the group has ended. Processes that left the group
// continue, because the system has no call to find them.
func (job) kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

func usualMemory() uint64 { return 0 }

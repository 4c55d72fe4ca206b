//go:build unix

package wholefile

import (
	"errors"
	"syscall"
)

// Running reports whether a process with this number is running, and so whether the owner of a
// file may come back to it. The system reuses process IDs, so true may be about another process.
// False is certain, for a process of this machine.
func Running(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

//go:build unix

package alive

import (
	"errors"
	"syscall"
)

// Process reports whether a process with this number is running.
func Process(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

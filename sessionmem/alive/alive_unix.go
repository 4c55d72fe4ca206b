//go:build unix

package alive

import (
	"errors"
	"syscall"
)

// Process reports whether a process of this number runs.
func Process(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

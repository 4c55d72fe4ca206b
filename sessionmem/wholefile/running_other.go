//go:build !unix

package wholefile

import "os"

// Running reports whether a process with this number is running, and so whether the owner of a
// file may come back to it: otherwise no handle of it can be opened. The system reuses process
// IDs, so true may be about another process. False is certain, for a process of this machine.
func Running(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // the handle was not used
	return true
}

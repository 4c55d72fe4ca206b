//go:build !unix

package alive

import "os"

// Process reports whether a process with this number is running: otherwise no handle of it
// can be opened.
func Process(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // the handle was not used
	return true
}

//go:build !unix

package alive

import "os"

// Process reports whether a process of this number runs: where it doesn't, there is
// no handle of it to be had.
func Process(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release() // nothing was done with it
	return true
}

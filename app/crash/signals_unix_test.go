//go:build unix

package crash

import (
	"os"
	"syscall"
)

// fatalSignals returns signals that end a process, with the text that a report must
// contain.
func fatalSignals() map[os.Signal]string {
	return map[os.Signal]string{
		syscall.SIGABRT: "SIGABRT: abort",
		syscall.SIGSEGV: "SIGSEGV: segmentation violation",
	}
}

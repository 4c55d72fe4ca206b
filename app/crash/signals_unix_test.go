//go:build unix

package crash

import (
	"os"
	"syscall"
)

// fatalSignals are signals that end a process, and what a report says of them.
func fatalSignals() map[os.Signal]string {
	return map[os.Signal]string{
		syscall.SIGABRT: "SIGABRT: abort",
		syscall.SIGSEGV: "SIGSEGV: segmentation violation",
	}
}

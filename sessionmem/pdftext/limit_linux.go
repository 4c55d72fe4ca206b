package pdftext

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// limitMemory sets the limit of this process's memory. Memory beyond it ends the process.
func limitMemory(most uint64) {
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most}) // fails if a lower one holds already
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}

// hide does nothing: a child has no window here.
func hide(*exec.Cmd) {}

//go:build unix

package instance

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// noSockets is always false: every unix has them.
func noSockets(error) bool { return false }

// shortTemp returns a temporary folder with a short path; TMPDIR is long on macOS.
func shortTemp() string { return "/tmp" }

func userID() string { return strconv.Itoa(os.Getuid()) }

// isOurs reports whether this user owns a file.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

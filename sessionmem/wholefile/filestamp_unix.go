//go:build unix

package wholefile

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Inode returns a number that differs between a file and another one that took its name.
func Inode(fi os.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// LinkCount returns the number of a file's names (hard links).
func LinkCount(fi os.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink) //nolint:gosec // small
	}
	return 1
}

// StampIn stats a file by its name in an open folder: the system then has no path to walk,
// which is most of the cost. ok is false for anything but regular files.
func StampIn(folder *os.File, name string) (stamp Stamp, ok bool) {
	var st unix.Stat_t
	if err := unix.Fstatat(int(folder.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil { //nolint:gosec // a small number
		return Stamp{}, false
	}
	return Stamp{st.Size, st.Mtim.Nano(), st.Ino}, st.Mode&unix.S_IFMT == unix.S_IFREG
}

//go:build unix

package wholefile

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Inode tells a file from another one that took its name.
func Inode(fi os.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// LinkCount is how many names a file has: hard links.
func LinkCount(fi os.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink) //nolint:gosec // small
	}
	return 1
}

// StampIn asks for a file by its name in an open folder: the system has no path to
// walk then, which is most of what asking costs. It is ok for regular files alone.
func StampIn(folder *os.File, name string) (stamp Stamp, ok bool) {
	var st unix.Stat_t
	if err := unix.Fstatat(int(folder.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil { //nolint:gosec // a small number
		return Stamp{}, false
	}
	return Stamp{st.Size, st.Mtim.Nano(), st.Ino}, st.Mode&unix.S_IFMT == unix.S_IFREG
}

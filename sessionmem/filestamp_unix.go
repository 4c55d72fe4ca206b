//go:build unix

package sessionmem

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// inode tells a file from another one that took its name.
func inode(fi os.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// linkCount is how many names a file has: hard links.
func linkCount(fi os.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink) //nolint:gosec // small
	}
	return 1
}

// stampIn asks for a file by its name in an open folder: the system has no path to
// walk then, which is most of what asking costs. It is ok for regular files alone.
func stampIn(folder *os.File, name string) (stamp fileStamp, ok bool) {
	var st unix.Stat_t
	if err := unix.Fstatat(int(folder.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil { //nolint:gosec // a small number
		return fileStamp{}, false
	}
	return fileStamp{st.Size, st.Mtim.Nano(), st.Ino}, st.Mode&unix.S_IFMT == unix.S_IFREG
}

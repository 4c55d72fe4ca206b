package wholefile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// IsOpenForWriting reports whether any program has the file open for writing; known is
// false if the system can't tell. Linux grants a read lease only on a file that nobody
// writes (fcntl(2), "Leases"); the lease is returned at once.
func IsOpenForWriting(path string) (open, known bool) {
	f, err := Open(path)
	if err != nil {
		return false, false
	}
	defer f.Close()
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if errors.Is(err, unix.EAGAIN) {
		return true, true
	}
	if err != nil { // another user's file, or a file system without leases
		return false, false
	}
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	return false, err == nil
}

package wholefile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// IsOpenForWriting reports whether any program has the file open to write into it; known
// is false where the system can't tell. Linux grants a read lease on a file that nobody
// writes alone (fcntl(2), "Leases"); it is given back at once.
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

package main

import "golang.org/x/sys/unix"

const flushRead = 1 // FREAD in sys/fcntl.h

// Flush drops typed input that was not read yet.
func (t terminal) Flush() {
	if raw, err := t.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, flushRead) }) // if it fails, the input counts as an answer
	}
}

package main

import "golang.org/x/sys/unix"

const flushRead = 1 // FREAD of sys/fcntl.h

// Flush drops what was typed and not read yet.
func (t terminal) Flush() {
	if raw, err := t.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.IoctlSetPointerInt(int(fd), unix.TIOCFLUSH, flushRead) }) // without it it's an answer
	}
}

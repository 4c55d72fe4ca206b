package main

import "golang.org/x/sys/unix"

// Flush drops what was typed and not read yet.
func (t terminal) Flush() {
	if raw, err := t.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) }) // without it it's an answer
	}
}

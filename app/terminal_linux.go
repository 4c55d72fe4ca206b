package main

import "golang.org/x/sys/unix"

// Flush drops typed input that was not read yet.
func (t terminal) Flush() {
	if raw, err := t.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.IoctlSetInt(int(fd), unix.TCFLSH, unix.TCIFLUSH) }) // if it fails, the input counts as an answer
	}
}

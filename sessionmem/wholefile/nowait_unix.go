//go:build unix

package wholefile

import "syscall"

const noWait = syscall.O_NONBLOCK

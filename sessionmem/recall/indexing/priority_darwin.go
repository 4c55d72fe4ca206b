package indexing

import "golang.org/x/sys/unix"

// Of sys/resource.h: the thread that calls, and the priority of work in the background.
const (
	prioDarwinThread = 3
	prioDarwinBG     = 0x1000
)

// lowerPriority lets all other threads go before this one.
func lowerPriority() {
	_ = unix.Setpriority(prioDarwinThread, 0, prioDarwinBG) // else it runs as the others
}

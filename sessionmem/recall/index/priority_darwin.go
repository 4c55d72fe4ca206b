package index

import "golang.org/x/sys/unix"

// From sys/resource.h: the calling thread, and the priority of background work.
const (
	prioDarwinThread = 3
	prioDarwinBG     = 0x1000
)

// lowerPriority lets all other threads go before this one.
func lowerPriority() {
	_ = unix.Setpriority(prioDarwinThread, 0, prioDarwinBG) // on error it runs at normal priority
}

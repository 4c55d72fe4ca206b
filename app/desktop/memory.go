package desktop

import "runtime/debug"

// How far the heap may grow beyond what is in use before it is collected, in percent:
// in sight as Go has it; hidden, where little is allocated, so that what was given
// back isn't taken again by and by.
const (
	growthShown  = 100
	growthHidden = 20
)

// useMemory undoes the thrift of giveBackMemory: a window is shown.
func useMemory() { debug.SetGCPercent(growthShown) }

// giveBackMemory returns unused memory to the system: Go's, and where the graphics
// stack lives in C, the C library's.
func giveBackMemory() {
	debug.SetGCPercent(growthHidden)
	debug.FreeOSMemory() // empties what pools hold; they let go of it at the second
	debug.FreeOSMemory()
	trimC()
}

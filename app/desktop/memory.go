package desktop

import "runtime/debug"

// How far the heap may grow beyond what is in use before it is collected, in percent. A
// heap that once was large stays larger, because what lives on is spread over it; so it
// grows less than Go would have it, and hidden, where little is allocated, less still.
const (
	growthShown  = 50
	growthHidden = 20
)

// useMemory is for a start, and undoes the thrift of giveBackMemory: a window is shown.
func useMemory() { debug.SetGCPercent(growthShown) }

// giveBackMemory returns unused memory to the system: Go's, and where the graphics
// stack lives in C, the C library's.
func giveBackMemory() {
	debug.SetGCPercent(growthHidden)
	debug.FreeOSMemory() // empties what pools hold; they let go of it at the second
	debug.FreeOSMemory()
	trimC()
}

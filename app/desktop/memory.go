package desktop

import "runtime/debug"

// giveBackMemory returns unused memory to the system: Go's, and where the graphics
// stack lives in C, the C library's.
func giveBackMemory() {
	debug.FreeOSMemory()
	trimC()
}

package desktop

import "runtime/debug"

// How far the heap may grow beyond what is in use before a garbage collection, in percent.
// A heap that was once large stays large, because live objects are spread over it; so it
// grows less than with Go's default, and even less while hidden, when little is allocated.
const (
	growthShown  = 50
	growthHidden = 20
)

// useMemory undoes freeMemory's thrift when a window is shown. It is also called at
// startup.
func useMemory() { debug.SetGCPercent(growthShown) }

// freeMemory returns unused memory to the system: Go's, and the C library's if the
// graphics stack uses it.
func freeMemory() {
	debug.SetGCPercent(growthHidden)
	debug.FreeOSMemory() // empties pools, which only let go at the second call
	debug.FreeOSMemory()
	trimC()
}

//go:build linux && cgo && !ci

package desktop

/*
#include <sys/prctl.h>

// relax_timers lets the system end any wait of this process up to four milliseconds late,
// so that it can wake the processor for several at once. While anything runs, Go's monitor
// thread wakes every 20 microseconds otherwise: two thirds of the wake-ups of a hidden app,
// and, while a frame is drawn in C, a third of those of an open one. Threads take this over
// from the one that starts them, so it must come
// before the runtime starts its first.
__attribute__((constructor)) static void relax_timers(void) {
	prctl(PR_SET_TIMERSLACK, 4000000UL, 0UL, 0UL, 0UL);
}
*/
import "C"

//go:build linux && cgo && !ci

package desktop

/*
#include <sys/prctl.h>

// relax_timers lets the system end any wait of the app up to four milliseconds late, so
// that it can wake the processor for several at once. Otherwise Go's monitor thread wakes
// every 20 microseconds while anything runs: two thirds of a hidden app's wake-ups and,
// while a frame is drawn in C, a third of an open one's. Threads inherit this setting from
// the thread that starts them, so it must be set before the runtime starts its first.
//
// The monitor thread also lets other goroutines continue when one waits for the disk. A
// command, which somebody waits for, keeps it quick; glibc passes the arguments that show
// whether this is one.
__attribute__((constructor)) static void relax_timers(int argc, char **argv) {
#ifdef __GLIBC__
	if (argc > 1 && argv[1][0] != '-') return;
#endif
	prctl(PR_SET_TIMERSLACK, 4000000UL, 0UL, 0UL, 0UL);
}
*/
import "C"

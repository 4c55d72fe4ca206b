//go:build linux && cgo && !ci

package desktop

/*
#include <sys/prctl.h>

// relax_timers lets the system end any wait of the app up to four milliseconds late, so that
// it can wake the processor for several at once. While anything runs, Go's monitor thread
// wakes every 20 microseconds otherwise: two thirds of the wake-ups of a hidden app, and,
// while a frame is drawn in C, a third of those of an open one. Threads take this over from
// the one that starts them, so it must come before the runtime starts its first.
//
// That thread also lets others go on where one waits for the disk. A command, which somebody
// waits for, keeps it quick; the C library of GNU tells here whether this is one.
__attribute__((constructor)) static void relax_timers(int argc, char **argv) {
#ifdef __GLIBC__
	if (argc > 1 && argv[1][0] != '-') return;
#endif
	prctl(PR_SET_TIMERSLACK, 4000000UL, 0UL, 0UL, 0UL);
}
*/
import "C"

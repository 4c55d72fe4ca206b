package index

import "golang.org/x/sys/unix"

// niceness is how much nicer the thread is than the process, as with `nice`; mostNice is
// the end of the scale.
const niceness, mostNice = 10, 19

// lowerPriority lets all other threads go before this one.
func lowerPriority() {
	if p, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid()); err == nil { // 20 - nice, as the system call returns it
		_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), min(20-p+niceness, mostNice)) // on error it runs at normal priority
	}
}

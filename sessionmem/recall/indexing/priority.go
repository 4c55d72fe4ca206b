package indexing

import (
	"context"
	"runtime"
)

type aside struct{}

// InBackground marks an indexing that nobody waits for.
func InBackground(ctx context.Context) context.Context { return context.WithValue(ctx, aside{}, true) }

// readers is how many files are read at a time. Where nobody waits for many of them half
// of the processors are left to others, and so is the rest when they want it: the
// goroutine that calls stepBack has a thread of its own that the system runs last.
func readers(ctx context.Context, files int) (n int, stepBack func()) {
	n = min(runtime.GOMAXPROCS(0), files)
	if files < manyFiles || ctx.Value(aside{}) == nil {
		return n, func() {}
	}
	return (n + 1) / 2, func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		lowerPriority()
	}
}

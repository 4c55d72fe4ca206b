package indexing

import (
	"context"
	"runtime"
)

type background struct{}

// InBackground marks an indexing run that nobody waits for.
func InBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, background{}, true)
}

// readers returns how many files to read at a time. If nobody waits for them and there are
// many, half of the processors are left to other work, and the other half gives way to it:
// stepBack moves the calling goroutine to a thread of its own with the lowest priority.
func readers(ctx context.Context, files int) (n int, stepBack func()) {
	n = min(runtime.GOMAXPROCS(0), files)
	if files < manyFiles || ctx.Value(background{}) == nil {
		return n, func() {}
	}
	return (n + 1) / 2, func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		lowerPriority()
	}
}

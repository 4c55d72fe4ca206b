package index

import (
	"context"
	"runtime"
)

type background struct{}

// InBackground marks an Update that nobody waits for.
func InBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, background{}, true)
}

// muchWork is the number of passages from which an Update in the background gives way.
const muchWork = 512

// analysts returns how many sources to analyse at a time. If nobody waits for them and there is
// much to do, half of the processors are left to other work, and the other half gives way to it:
// stepBack moves the calling goroutine to a thread of its own with the lowest priority.
func analysts(ctx context.Context, sources, passages int) (n int, stepBack func()) {
	n = min(runtime.GOMAXPROCS(0), sources)
	if passages < muchWork || ctx.Value(background{}) == nil {
		return n, func() {}
	}
	return (n + 1) / 2, func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		lowerPriority()
	}
}

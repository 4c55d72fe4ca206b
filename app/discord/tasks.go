package discord

import (
	"context"
	"sync"
	"time"
)

// tasks is what is under way beside the workers: short work, pauses, events. Run waits
// for it.
type tasks struct {
	mu    sync.Mutex
	ctx   context.Context // of Run
	open  int             // events, short work and pauses that are not over
	ended bool            // Run waits for the last of the work, or is over
	work  sync.WaitGroup  // short work beside the workers
}

// run has what follows end with ctx.
func (ts *tasks) run(ctx context.Context) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.ctx = ctx
}

// end waits for what is under way.
func (ts *tasks) end() {
	ts.mu.Lock()
	ts.ended = true // before the wait: nothing is begun beside it
	ts.mu.Unlock()
	ts.work.Wait()
}

// ending reports whether Run is ending.
func (ts *tasks) ending() bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.ctx.Err() != nil
}

// begin notes something that over ends.
func (ts *tasks) begin() {
	ts.mu.Lock()
	ts.open++
	ts.mu.Unlock()
}

// none reports whether nothing is under way.
func (ts *tasks) none() bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.open == 0
}

// aside does short work on a goroutine of its own, that Run waits for.
func (ts *tasks) aside(do func(ctx context.Context)) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.ended {
		return // nobody waits for it any more
	}
	parent := ts.ctx
	ts.open++
	ts.work.Go(func() {
		defer ts.over()
		ctx, cancel := context.WithTimeout(parent, sendTimeout)
		defer cancel()
		do(ctx)
	})
}

// later does something after a while, unless never takes it back.
func (ts *tasks) later(after time.Duration, do func()) *time.Timer {
	ts.begin()
	return time.AfterFunc(after, func() {
		defer ts.over()
		do()
	})
}

// never takes back what later was told, and reports whether it still could; there
// may be no timer.
func (ts *tasks) never(t *time.Timer) bool {
	if t == nil || !t.Stop() {
		return false
	}
	ts.over()
	return true
}

func (ts *tasks) over() {
	ts.mu.Lock()
	ts.open--
	ts.mu.Unlock()
}

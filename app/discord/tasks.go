package discord

import (
	"context"
	"sync"
	"time"
)

// tasks tracks work in progress outside the workers: short work, pauses, events. Run waits
// for it.
type tasks struct {
	mu    sync.Mutex
	ctx   context.Context // the context of Run
	open  int             // events, short work and pauses in progress
	ended bool            // Run waits for the last of the work, or has returned
	work  sync.WaitGroup  // short work outside the workers
}

// run makes later work end with ctx.
func (ts *tasks) run(ctx context.Context) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.ctx = ctx
}

// end waits for the work in progress.
func (ts *tasks) end() {
	ts.mu.Lock()
	ts.ended = true // before the wait, so that nothing new begins
	ts.mu.Unlock()
	ts.work.Wait()
}

// ending reports whether Run is ending.
func (ts *tasks) ending() bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.ctx.Err() != nil
}

// begin records work that over ends.
func (ts *tasks) begin() {
	ts.mu.Lock()
	ts.open++
	ts.mu.Unlock()
}

// isDone reports whether nothing is in progress.
func (ts *tasks) isDone() bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.open == 0
}

// spawn does short work on a goroutine of its own, for which Run waits.
func (ts *tasks) spawn(do func(ctx context.Context)) {
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

// later calls do after a while, unless cancel stops it.
func (ts *tasks) later(after time.Duration, do func()) *time.Timer {
	ts.begin()
	return time.AfterFunc(after, func() {
		defer ts.over()
		do()
	})
}

// cancel cancels what later scheduled, and reports whether it was in time. t may be nil.
func (ts *tasks) cancel(t *time.Timer) bool {
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

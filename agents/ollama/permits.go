package ollama

import (
	"context"
	"errors"
	"sync"
)

// permits bounds how many chat calls run at once. Waiters are served in the
// order they came: a channel queues its senders so.
type permits chan struct{}

func (p permits) tryAcquire() bool {
	select {
	case p <- struct{}{}:
		return true
	default:
		return false
	}
}

func (p permits) acquire(ctx context.Context) error {
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p permits) release() { <-p }

// errAside is the cause of a call's end that gave way to a chat.
var errAside = errors.New("it gave way to a chat")

// aside are the calls that give way: those that hold a permit, or wait for one,
// while a chat may come that wants it. The zero value is ready.
type aside struct {
	mu    sync.Mutex // guards calls
	next  int
	calls map[int]context.CancelCauseFunc
}

// enter gives a call the context that a chat ends.
func (a *aside) enter(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls == nil {
		a.calls = map[int]context.CancelCauseFunc{}
	}
	id := a.next
	a.next++
	a.calls[id] = cancel
	return ctx, func() {
		a.mu.Lock()
		delete(a.calls, id)
		a.mu.Unlock()
		cancel(nil)
	}
}

// giveWay ends the calls that are there now.
func (a *aside) giveWay() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, cancel := range a.calls {
		cancel(errAside)
	}
}

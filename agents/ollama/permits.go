package ollama

import (
	"context"
	"errors"
	"sync"
)

// permits limits the number of concurrent chat calls. Waiters are served in order, as a
// channel serves its senders.
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

// errAside is the cause of a call that ended in favour of a chat.
var errAside = errors.New("it gave way to a chat")

// aside tracks the calls that yield to chats: those that hold a permit or wait for one. The
// zero value is ready to use.
type aside struct {
	mu    sync.Mutex // guards calls
	next  int
	calls map[int]context.CancelCauseFunc
}

// enter returns a context for a call that a chat cancels.
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

// cancelAll cancels the current calls.
func (a *aside) cancelAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, cancel := range a.calls {
		cancel(errAside)
	}
}

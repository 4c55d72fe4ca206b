package ollama

import "context"

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

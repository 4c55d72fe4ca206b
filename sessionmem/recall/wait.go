package recall

import (
	"context"
	"time"
)

// askFor calls ask and waits for at most wait; an ask that ignores its context is left behind.
func askFor[T any](ctx context.Context, wait time.Duration, ask func(context.Context) (T, error)) (T, error) {
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	type answer struct {
		is  T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		is, err := ask(ctx)
		done <- answer{is, err}
	}()
	select {
	case a := <-done:
		return a.is, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// nudge wakes up the reader of a channel with one place.
func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

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

// repeat calls do now, whenever it is woken, and after the time that do returned, until ctx ends. After a
// failure do is left alone for minBackoff, then twice as long each time, and nobody wakes it.
func repeat(ctx context.Context, wake <-chan struct{}, do func() (next time.Duration, err error)) {
	wait := time.NewTimer(0)
	defer wait.Stop()
	failures := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
			if failures > 0 {
				continue
			}
		case <-wait.C:
		}
		next, err := do()
		if err == nil {
			failures = 0
		} else {
			next = min(minBackoff<<min(failures, 10), maxBackoff)
			failures++
		}
		wait.Reset(next)
	}
}

const (
	minBackoff = 5 * time.Second
	maxBackoff = 10 * time.Minute
)

// nudge wakes up the reader of a channel with one place.
func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

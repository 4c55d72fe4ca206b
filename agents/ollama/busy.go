package ollama

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	maxRetries   = 3
	firstBackOff = 500 * time.Millisecond
	maxBackOff   = 30 * time.Second
)

// retryAfter is the cause of an ErrBusy whose response said how long to wait.
type retryAfter time.Duration

// Error returns the wait as text.
func (r retryAfter) Error() string {
	return fmt.Sprintf("the server asks to wait %s", time.Duration(r))
}

// busyFor reads Retry-After, in seconds or as a date. It returns nil if there is none.
func busyFor(resp *http.Response) error {
	value := resp.Header.Get("Retry-After")
	if n, err := strconv.Atoi(value); err == nil && n >= 0 {
		return retryAfter(time.Duration(n) * time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return retryAfter(max(0, time.Until(at)))
	}
	return nil
}

// backOff returns the wait before the given retry, counted from 0: the server's Retry-After
// or a wait that doubles each time, at most maxBackOff.
func backOff(retry int, err error) time.Duration {
	wait := firstBackOff << retry
	var wish retryAfter
	if errors.As(err, &wish) {
		wait = time.Duration(wish)
	}
	return min(wait, maxBackOff)
}

// sleep waits for d and reports whether it elapsed before ctx was done.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

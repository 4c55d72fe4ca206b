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

// retryAfter is the cause of an ErrBusy whose answer said how long to wait.
type retryAfter time.Duration

// Error tells the wait.
func (r retryAfter) Error() string {
	return fmt.Sprintf("the server asks to wait %s", time.Duration(r))
}

// busyFor reads Retry-After, in seconds or as a date; nil where there is none.
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

// backOff is the wait before the given retry (from 0): the server's wish, or a
// doubled wait each time, never more than maxBackOff.
func backOff(retry int, err error) time.Duration {
	wait := firstBackOff << retry
	var wish retryAfter
	if errors.As(err, &wish) {
		wait = time.Duration(wish)
	}
	return min(wait, maxBackOff)
}

// sleep waits for d, or less where ctx ends; it reports whether it waited.
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

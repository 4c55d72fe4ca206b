package wholefile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// LockRetry is how often a lock that another process holds is tried again.
const (
	LockRetry = 5 * time.Millisecond
	TurnRetry = 50 * time.Millisecond

	// LockPatience is how long a lock that is held for milliseconds is waited for:
	// beyond it its holder hangs (stopped, or on a dead network folder).
	LockPatience = 30 * time.Second
)

// Explain wraps an error of the disk with what was being done and, where one
// is known, what to do about it.
func Explain(doing string, err error) error {
	if next := diskAdvice(err); next != "" {
		return fmt.Errorf("%s: %w; %s", doing, err, next)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Wrap is explainDisk for an error that may be none.
func Wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return Explain(doing, err)
}

func diskAdvice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), isDiskFull(err):
		return "the disk is full: free some space and try again"
	case errors.Is(err, syscall.EFBIG):
		return "the file may not grow any more: raise the limit, or start a new session"
	case errors.Is(err, syscall.EROFS):
		return "the disk is mounted read-only: make it writable, or set MAC_STATS_HOME to another folder"
	case errors.Is(err, fs.ErrPermission):
		return "give yourself read and write access to it, or set MAC_STATS_HOME to another folder"
	case errors.Is(err, syscall.ENOTDIR):
		return "there is a file where a folder should be: move it away"
	}
	return ""
}

// WhyNot says why something could not be written, for people: what to do, where that is
// known, else the error.
func WhyNot(err error) string {
	if advice := diskAdvice(err); advice != "" {
		return advice
	}
	return err.Error()
}

// TakeLock takes a lock that every holder has for milliseconds alone. Whoever
// asks may not be stoppable (a partial answer is kept after Stop), so the wait has
// an end of its own.
func TakeLock(ctx context.Context, lock *flock.Flock) error {
	if ok, err := lock.TryLock(); err == nil && ok {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, LockPatience, fmt.Errorf("another program has held it for %s: end that program, then try again", LockPatience))
	defer cancel()
	if _, err := lock.TryLockContext(ctx, LockRetry); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		return err
	}
	return nil
}

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

// LockRetry is the interval at which to try again a lock that another process holds.
const (
	LockRetry = 5 * time.Millisecond
	TurnRetry = 50 * time.Millisecond

	// LockPatience is how long to wait for a lock that is normally held for milliseconds.
	// After that its holder hangs: it was stopped, or is on a dead network folder.
	LockPatience = 30 * time.Second
)

// Explain wraps an error of the disk with what was being done and, if known, what to do
// about it.
func Explain(doing string, err error) error {
	if next := diskAdvice(err); next != "" {
		return fmt.Errorf("%s: %w; %s", doing, err, next)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Wrap is Explain for an error that may be nil.
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

// WhyNot returns, for people, why something couldn't be written: what to do about it if
// that is known, else the error.
func WhyNot(err error) string {
	if advice := diskAdvice(err); advice != "" {
		return advice
	}
	return err.Error()
}

// TakeLock takes a lock that its holders keep for milliseconds only. The caller's context
// may never end (a partial answer is saved after Stop), so the wait has a limit of its own.
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

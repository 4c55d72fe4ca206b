package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// lockRetry is how often a lock that another process holds is tried again.
const (
	lockRetry = 5 * time.Millisecond
	turnRetry = 50 * time.Millisecond

	// lockPatience is how long a lock that is held for milliseconds is waited for:
	// beyond it its holder hangs (stopped, or on a dead network folder).
	lockPatience = 30 * time.Second
)

// explainDisk wraps an error of the disk with what was being done and, where one
// is known, what to do about it.
func explainDisk(doing string, err error) error {
	if next := diskAdvice(err); next != "" {
		return fmt.Errorf("%s: %w; %s", doing, err, next)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// wrapDisk is explainDisk for an error that may be none.
func wrapDisk(doing string, err error) error {
	if err == nil {
		return nil
	}
	return explainDisk(doing, err)
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
		return "a file stands where a folder should be: move it away"
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

// lockFile takes the short lock that every append holds. It is a file of its own,
// never the transcript: editors save by rename.
func (s *Store) lockFile(ctx context.Context, name string) (release func(), err error) {
	if err := transcript.CheckName(name); err != nil {
		return nil, err
	}
	if err := s.root.check(); err != nil {
		return nil, err
	}
	lock := wholefile.NewLock(s.lockPath(name))
	if err := takeShort(ctx, lock); err != nil {
		return nil, explainDisk("locking "+name, err)
	}
	return func() { s.unlockFile(lock) }, nil
}

// takeShort takes a lock that every holder has for milliseconds alone. Whoever
// asks may not be stoppable (a partial answer is kept after Stop), so the wait has
// an end of its own.
func takeShort(ctx context.Context, lock *flock.Flock) error {
	if ok, err := lock.TryLock(); err == nil && ok {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockPatience, fmt.Errorf("another program has held it for %s: end that program, then try again", lockPatience))
	defer cancel()
	if _, err := lock.TryLockContext(ctx, lockRetry); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		return err
	}
	return nil
}

func (s *Store) unlockFile(lock *flock.Flock) {
	if err := lock.Unlock(); err != nil {
		s.logger.Warn("a lock was not given back: others wait until this process ends", "lock", lock.Path(), "err", err)
	}
}

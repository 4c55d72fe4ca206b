package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
)

// Errors callers decide on.
var (
	ErrNotFound = catalog.ErrNotFound
	ErrReadOnly = transcript.ErrReadOnly
	// ErrBusy means that a turn of the session is running.
	ErrBusy = errors.New("a turn of the session is running")
)

// Session is one session of a Folder. It is safe for use by several goroutines and,
// through file locks, by several processes.
//
// mu is taken before the file lock for appends and held with it: mu orders the goroutines
// of this process, the lock file orders the processes.
type Session struct {
	held atomic.Pointer[TurnLock]

	mu sync.Mutex
	state
}

// freshFor is how long nobody looks for the files of a new name: the first message comes
// soon, and each look reads the whole folder.
const freshFor = 2 * time.Second

// setFresh records that the session's name is new and has no files.
func (s *Session) setFresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh = time.Now().Add(freshFor)
}

// isFresh reports that the session has no file yet, without looking. The caller holds mu.
func (s *state) isFresh() bool { return s.file == "" && time.Now().Before(s.fresh) }

// SetPrivate keeps a session in memory only: nothing of it is ever written.
// Call it before the first block.
func (s *Session) SetPrivate() { s.private.Store(true) }

// IsPrivate reports whether the session is kept in memory only.
func (s *Session) IsPrivate() bool { return s.private.Load() }

// Exists returns ErrNotFound for a session without a block, here or in the archive, without
// reading its files.
func (s *Session) Exists(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.private.Load() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.mem) == 0 {
			return fmt.Errorf("%w: %s", ErrNotFound, s.name)
		}
		return nil
	}
	_, err := s.catalog.Locate(s.name)
	return err
}

// Attach stores the data of a file that is attached to a private session.
func (s *Session) Attach(file string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attached == nil {
		s.attached = map[string][]byte{}
	}
	s.attached[file] = data
}

// Attached returns the data of a file that is attached to a private session.
func (s *Session) Attached(file string) (data []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok = s.attached[file]
	return data, ok
}

// lock takes mu and the file lock for appends. Reading goes on without a file lock that can't
// be taken (in a read-only folder).
func (s *Session) lock(ctx context.Context, reading bool) (unlock func(), err error) {
	s.mu.Lock()
	if s.private.Load() {
		return s.mu.Unlock, nil
	}
	if reading && s.file == "" {
		if s.isFresh() {
			return s.mu.Unlock, nil
		}
		if _, err := s.catalog.Locate(s.name); err != nil {
			return s.mu.Unlock, nil //nolint:nilerr // nothing to lock: reading returns the reason
		}
	}
	release, err := s.lockFile(ctx)
	if err != nil && (!reading || ctx.Err() != nil) {
		s.mu.Unlock()
		return nil, err
	}
	return func() {
		if release != nil {
			release()
		}
		s.mu.Unlock()
	}, nil
}

// inspect brings the session up to date and calls at under its locks.
func (s *Session) inspect(ctx context.Context, at func() error) error {
	unlock, err := s.lock(ctx, true)
	if err != nil {
		return fmt.Errorf("reading %s: %w", s.name, err)
	}
	defer unlock()
	if !s.private.Load() {
		if err := s.waitForFile(ctx); err != nil {
			return fmt.Errorf("reading %s: %w", s.name, err)
		}
		err := s.refresh()
		knows := len(s.unsaved.blocks) > 0 && s.index.Len() > len(s.unsaved.blocks)
		if err != nil && !errors.Is(err, ErrNotFound) && (!knows || !isRefusal(err)) {
			return err
		}
	}
	for try := 1; ; try++ {
		err := at()
		if !errors.Is(err, sessiondir.ErrReplaced) || try == appendTries {
			return err
		}
		s.stat = nil // an editor saved meanwhile
		if err := s.refresh(); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
}

// Release drops what this process holds of a session, to be read again at its next use. An
// in-memory session stays: it exists nowhere else.
func (s *Session) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.private.Load() {
		s.forgetFile()
	}
}

// Held reports whether this process holds a session in memory, and whether a turn of this
// process is running in it.
func (s *Session) Held() (held, turn bool) {
	if s.turn.IsTaken() {
		return true, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stat != nil || len(s.mem) > 0, false
}

// rest frees the memory of a session on disk that nobody has used for idle, and reports
// whether it did.
func (s *Session) rest(idle time.Duration) bool {
	if !s.mu.TryLock() {
		return false // in use
	}
	defer s.mu.Unlock()
	if s.idleFor(time.Now()) < idle || s.stat == nil || s.private.Load() || len(s.inTurn) > 0 || len(s.unsaved.blocks) > 0 {
		return false
	}
	s.forgetFile()
	return true
}

// memoryInfo returns the Info of a session that exists only in memory: a private one, or one
// the disk has refused since its first block.
func (s *Session) memoryInfo() (info transcript.Info, ok bool) {
	if !s.private.Load() && s.onRefused == nil {
		return info, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.mem) > 0:
		return s.memInfo(), true
	case s.file == "" && len(s.unsaved.blocks) > 0:
		return s.unsaved.appendTo(s.name, nil).Info, true
	}
	return info, false
}

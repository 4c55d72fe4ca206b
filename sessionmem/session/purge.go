package session

import (
	"context"
	"errors"
	"slices"

	"mac-stats/sessionmem/sieve"
)

// purge removes what was forgotten from a session's files, after one was found to contain it.
// The caller holds the session's locks.
func (s *state) purge(ctx context.Context) error {
	defer s.forgetFile()
	return s.eraser.Purge(ctx, s.forgotten.Traces(), s.name)
}

// purged calls read under a session's locks. If it finds what was forgotten, purged removes
// that and calls read again.
func (s *state) purged(ctx context.Context, read func() error) error {
	err := read()
	if err == nil && s.dirtyCopy {
		s.dirtyCopy = false
		if err := s.purge(ctx); err != nil { // it isn't the session's own file, so reading goes on
			s.logger.Warn("a copy of a transcript holds what was forgotten and can't be cleaned", "session", s.name, "err", err)
		}
		err = read()
		s.dirtyCopy = false
	}
	if !errors.Is(err, sieve.ErrHoldsForgotten) {
		return err
	}
	if err := s.purge(ctx); err != nil {
		return err
	}
	return read()
}

// holdsDirtyCopy reports whether a file with the session's name that isn't the session holds
// what was forgotten: a copy, or an editor's save under an earlier name.
func (s *files) holdsDirtyCopy() bool {
	if s.forgotten.Traces().Empty() {
		return false
	}
	files, err := s.catalog.Of(s.name)
	if err != nil {
		return false
	}
	for _, e := range files {
		if slices.Contains(s.transcripts(), e.File) {
			continue
		}
		f, err := s.catalog.Open(e.File)
		if errors.Is(err, sieve.ErrHoldsForgotten) {
			return true
		}
		if err == nil {
			_ = f.Close() // read only
		}
	}
	return false
}

// purgeUnlocked is purge for callers that hold no lock.
func (s *Session) purgeUnlocked(ctx context.Context) error {
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	return s.purge(ctx)
}

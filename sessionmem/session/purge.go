package session

import (
	"context"
	"errors"
	"slices"

	"mac-stats/sessionmem/sieve"
)

// purge takes what was forgotten out of a session's files, after one of them was found
// to hold some. The caller holds the session's locks.
func (s *state) purge(ctx context.Context) error {
	defer s.forgetFile()
	return s.eraser.Purge(ctx, s.forgotten.Traces(), s.name)
}

// purged reads under a session's locks; where that finds what was forgotten, it is taken
// out, and read again.
func (s *state) purged(ctx context.Context, read func() error) error {
	err := read()
	if err == nil && s.dirtyCopy {
		s.dirtyCopy = false
		if err := s.purge(ctx); err != nil { // it isn't the session's file: that goes on
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

// dirtyCopy reports whether a file that has the session's name and isn't the session holds
// what was forgotten: an editor's save under the name before, or a copy.
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

// purgeAlone is purge for those who hold no lock.
func (s *Session) purgeAlone(ctx context.Context) error {
	unlock, err := s.lock(ctx, false)
	if err != nil {
		return err
	}
	defer unlock()
	return s.purge(ctx)
}

package sessionmem

import (
	"context"
	"errors"
	"os"
	"slices"

	"mac-stats/sessionmem/sieve"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// purge takes what was forgotten out of a session's files, after one of them was found
// to hold some. The caller holds the session's locks.
func (s *Store) purge(ctx context.Context, ses *session) error {
	defer ses.forgetFile()
	return s.eraser.Purge(ctx, s.forgotten.Traces(), ses.name)
}

// purgeSession is purge for those who hold no lock.
func (s *Store) purgeSession(ctx context.Context, name string) error {
	if transcript.CheckName(name) != nil { // a file with a name of its own: nobody writes to it
		return s.eraser.Purge(ctx, s.forgotten.Traces(), name)
	}
	ses := s.session(name)
	unlock, err := s.lock(ctx, ses, false)
	if err != nil {
		return err
	}
	defer unlock()
	return s.purge(ctx, ses)
}

// purged reads under a session's locks; where that finds what was forgotten, it is taken
// out, and read again.
func (s *Store) purged(ctx context.Context, ses *session, read func() error) error {
	err := read()
	if err == nil && ses.dirtyCopy {
		ses.dirtyCopy = false
		if err := s.purge(ctx, ses); err != nil { // it isn't the session's file: that goes on
			s.logger.Warn("a copy of a transcript holds what was forgotten and can't be cleaned", "session", ses.name, "err", err)
		}
		err = read()
		ses.dirtyCopy = false
	}
	if !errors.Is(err, sieve.ErrHoldsForgotten) {
		return err
	}
	if err := s.purge(ctx, ses); err != nil {
		return err
	}
	return read()
}

// dirtyCopy reports whether a file that has the session's name and isn't the session holds
// what was forgotten: an editor's save under the name before, or a copy.
func (s *Store) dirtyCopy(ses *session) bool {
	if s.forgotten.Traces().Empty() {
		return false
	}
	files, err := s.catalog.Of(ses.name)
	if err != nil {
		return false
	}
	for _, e := range files {
		if slices.Contains(ses.transcripts(), e.File) {
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

// openPurged is openTranscript for those who hold no lock.
func (s *Store) openPurged(ctx context.Context, file string) (*os.File, error) {
	f, err := s.catalog.Open(file)
	if !errors.Is(err, sieve.ErrHoldsForgotten) {
		return f, err
	}
	if err := s.purgeSession(ctx, s.catalog.EntryOf(file).Session); err != nil {
		return nil, err
	}
	return s.catalog.Open(file)
}

// OpenPart opens a file of a transcript, one of its Info's, to be read. What was forgotten
// is taken out of it before.
func (s *Store) OpenPart(ctx context.Context, path string) (*os.File, error) {
	return s.openPurged(ctx, s.root.Relative(path))
}

// purgePath takes what was forgotten out of a transcript that is named by its path, where
// that leads into the session folder.
func (s *Store) purgePath(path string) error {
	if s.root == nil || !wholefile.IsWithin(path, s.dir) {
		return nil
	}
	f, err := s.openPurged(context.Background(), s.root.Relative(path))
	if errors.Is(err, sieve.ErrHoldsForgotten) {
		return err
	}
	if err == nil {
		_ = f.Close() // read only
	}
	return nil
}

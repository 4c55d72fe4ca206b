package sessionmem

import (
	"context"
	"io"
	"os"

	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// Append calls session.Session.Append with one block.
func (s *Store) Append(ctx context.Context, name string, b transcript.Block) (transcript.Block, error) {
	out, err := s.Session(name).Append(ctx, b)
	if err != nil {
		return transcript.Block{}, err
	}
	return out[0], nil
}

// Load calls session.Session.Load.
func (s *Store) Load(ctx context.Context, name string) (*transcript.Transcript, error) {
	return s.Session(name).Load(ctx)
}

// Each calls session.Session.Each.
func (s *Store) Each(ctx context.Context, name string, begin func(info transcript.Info, front string) error, each func(transcript.Block) error) error {
	return s.Session(name).Each(ctx, begin, each)
}

// Write calls session.Session.Write.
func (s *Store) Write(ctx context.Context, name string, w io.Writer) (blocks int, err error) {
	return s.Session(name).Write(ctx, w)
}

// Context calls session.Session.Context.
func (s *Store) Context(ctx context.Context, name string) (transcript.Context, error) {
	return s.Session(name).Context(ctx)
}

// Removed calls session.Removals.Missing.
func (s *Store) Removed(ctx context.Context, name string) (session.Removed, error) {
	return s.Session(name).Removals().Missing(ctx)
}

// KeepRemoved calls session.Removals.Keep.
func (s *Store) KeepRemoved(ctx context.Context, name string) (session.Removed, error) {
	return s.Session(name).Removals().Keep(ctx)
}

// Restore calls session.Removals.Restore.
func (s *Store) Restore(ctx context.Context, name string) (session.Removed, error) {
	return s.Session(name).Removals().Restore(ctx)
}

// NewName calls session.Folder.NewName.
func (s *Store) NewName(source string) string { return s.sessions.NewName(source) }

// SetPrivate calls session.Session.SetPrivate.
func (s *Store) SetPrivate(name string) { s.Session(name).SetPrivate() }

// IsPrivate calls session.Folder.IsPrivate.
func (s *Store) IsPrivate(name string) bool { return s.sessions.IsPrivate(name) }

// LoadFile calls session.Folder.LoadFile.
func (s *Store) LoadFile(path string) (*transcript.Transcript, error) {
	return s.sessions.LoadFile(path)
}

// OpenPart opens a file of a transcript, one of its Info's, for reading. What was forgotten
// is removed from it first.
func (s *Store) OpenPart(ctx context.Context, path string) (*os.File, error) {
	return s.sessions.Open(ctx, s.dir.Relative(path))
}

// EachForgettable calls session.Folder.EachForgettable.
func (s *Store) EachForgettable(ctx context.Context, of map[string]bool, each func(session, path string, b transcript.Block)) error {
	return s.sessions.EachForgettable(ctx, of, each)
}

// Session returns the session of that name, a new one if there is none.
func (s *Store) Session(name string) *session.Session { return s.sessions.Session(name) }

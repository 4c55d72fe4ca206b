package sessionmem

import (
	"context"
	"io"
	"os"
	"time"

	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

type (
	// Checkpoint is session.Checkpoint.
	Checkpoint = session.Checkpoint
	// Snapshot is session.Snapshot.
	Snapshot = session.Snapshot
	// Removed is session.Removed.
	Removed = session.Removed
	// Refused is session.Refused.
	Refused = session.Refused
	// TurnLock is session.TurnLock.
	TurnLock = session.TurnLock
	// Holder is session.Holder.
	Holder = session.Holder
)

// Errors callers decide on.
var (
	ErrNotFound = session.ErrNotFound
	ErrReadOnly = session.ErrReadOnly
	ErrBusy     = session.ErrBusy
	ErrStale    = session.ErrStale
	ErrNothing  = session.ErrNothing
)

// Append writes b at the end of the session, see session.Session.Append.
func (s *Store) Append(ctx context.Context, name string, b transcript.Block) (transcript.Block, error) {
	out, err := s.AppendAll(ctx, name, b)
	if err != nil {
		return transcript.Block{}, err
	}
	return out[0], nil
}

// AppendAll is Append for several blocks: all of them in one write, or none.
func (s *Store) AppendAll(ctx context.Context, name string, blocks ...transcript.Block) ([]transcript.Block, error) {
	return s.sessions.Session(name).Append(ctx, blocks...)
}

// Load is session.Session.Load.
func (s *Store) Load(ctx context.Context, name string) (*transcript.Transcript, error) {
	return s.sessions.Session(name).Load(ctx)
}

// Each is session.Session.Each.
func (s *Store) Each(ctx context.Context, name string, begin func(info transcript.Info, front string) error, each func(transcript.Block) error) error {
	return s.sessions.Session(name).Each(ctx, begin, each)
}

// Write is session.Session.Write.
func (s *Store) Write(ctx context.Context, name string, w io.Writer) (blocks int, err error) {
	return s.sessions.Session(name).Write(ctx, w)
}

// Context is session.Session.Context.
func (s *Store) Context(ctx context.Context, name string) (transcript.Context, error) {
	return s.sessions.Session(name).Context(ctx)
}

// Message is session.Session.Message.
func (s *Store) Message(ctx context.Context, name string, id string) (b transcript.Block, next string, err error) {
	return s.sessions.Session(name).Message(ctx, id)
}

// Standing is session.Session.Standing.
func (s *Store) Standing(ctx context.Context, name string) (on func(id string) bool, err error) {
	return s.sessions.Session(name).Standing(ctx)
}

// Checkpoint is session.Session.Checkpoint.
func (s *Store) Checkpoint(ctx context.Context, name string, b transcript.Block) *session.Checkpoint {
	return s.sessions.Session(name).Checkpoint(ctx, b)
}

// LockTurn is session.Session.LockTurn.
func (s *Store) LockTurn(ctx context.Context, name string, who string, waiting func(session.Holder)) (*session.TurnLock, error) {
	return s.sessions.Session(name).LockTurn(ctx, who, waiting)
}

// LockCompaction is session.Session.LockCompaction.
func (s *Store) LockCompaction(ctx context.Context, name string) (release func(), err error) {
	return s.sessions.Session(name).LockCompaction(ctx)
}

// Snapshot is session.Session.Snapshot.
func (s *Store) Snapshot(ctx context.Context, name string, before string) (session.Snapshot, error) {
	return s.sessions.Session(name).Snapshot(ctx, before)
}

// Renewable is session.Session.Renewable.
func (s *Store) Renewable(ctx context.Context, name string) (session.Renewable, error) {
	return s.sessions.Session(name).Renewable(ctx)
}

// Removed is session.Session.Removed.
func (s *Store) Removed(ctx context.Context, name string) (session.Removed, error) {
	return s.sessions.Session(name).Removed(ctx)
}

// KeepRemoved is session.Session.KeepRemoved.
func (s *Store) KeepRemoved(ctx context.Context, name string) (session.Removed, error) {
	return s.sessions.Session(name).KeepRemoved(ctx)
}

// Restore is session.Session.Restore.
func (s *Store) Restore(ctx context.Context, name string) (session.Removed, error) {
	return s.sessions.Session(name).Restore(ctx)
}

// StillHolds is session.Session.StillHolds.
func (s *Store) StillHolds(ctx context.Context, snap session.Snapshot, through string) error {
	return s.sessions.Session(snap.Session).StillHolds(ctx, snap, through)
}

// StillMeant is session.Session.StillMeant.
func (s *Store) StillMeant(snap session.Snapshot) error {
	return s.sessions.Session(snap.Session).StillMeant(snap)
}

// AppendSummary is session.Session.AppendSummary.
func (s *Store) AppendSummary(ctx context.Context, snap session.Snapshot, b transcript.Block) (transcript.Block, error) {
	return s.sessions.Session(snap.Session).AppendSummary(ctx, snap, b)
}

// NewName is session.Folder.NewName.
func (s *Store) NewName(source string) string { return s.sessions.NewName(source) }

// SetPrivate is session.Session.SetPrivate.
func (s *Store) SetPrivate(name string) { s.sessions.Session(name).SetPrivate() }

// IsPrivate is session.Folder.IsPrivate.
func (s *Store) IsPrivate(name string) bool { return s.sessions.IsPrivate(name) }

// Release is session.Session.Release.
func (s *Store) Release(name string) { s.sessions.Session(name).Release() }

// Held is session.Folder.Held.
func (s *Store) Held(name string) (held, turn bool) { return s.sessions.Held(name) }

// Rest is session.Folder.Rest.
func (s *Store) Rest(idle time.Duration) int { return s.sessions.Rest(idle) }

// InTurn is session.Folder.InTurn.
func (s *Store) InTurn() bool { return s.sessions.InTurn() }

// RecoverAll is session.Folder.RecoverAll.
func (s *Store) RecoverAll(ctx context.Context) error { return s.sessions.RecoverAll(ctx) }

// ExpireRemoved is session.Folder.ExpireRemoved.
func (s *Store) ExpireRemoved(ctx context.Context) error { return s.sessions.ExpireRemoved(ctx) }

// Refused is session.Folder.Refused.
func (s *Store) Refused() []session.Refused { return s.sessions.Refused() }

// Save is session.Folder.Save.
func (s *Store) Save(ctx context.Context) error { return s.sessions.Save(ctx) }

// KeepSaving is session.Folder.KeepSaving.
func (s *Store) KeepSaving(ctx context.Context) { s.sessions.KeepSaving(ctx) }

// LoadFile is session.Folder.LoadFile.
func (s *Store) LoadFile(path string) (*transcript.Transcript, error) {
	return s.sessions.LoadFile(path)
}

// OpenPart opens a file of a transcript, one of its Info's, to be read. What was forgotten
// is taken out of it before.
func (s *Store) OpenPart(ctx context.Context, path string) (*os.File, error) {
	return s.sessions.Open(ctx, s.dir.Relative(path))
}

// EachForgettable is session.Folder.EachForgettable.
func (s *Store) EachForgettable(ctx context.Context, of map[string]bool, each func(session, path string, b transcript.Block)) error {
	return s.sessions.EachForgettable(ctx, of, each)
}

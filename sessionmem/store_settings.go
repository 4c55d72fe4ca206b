package sessionmem

import (
	"context"
	"fmt"
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// SetSettings writes a Note "settings". A session never written gives session.ErrNotFound:
// its first message brings them along.
func (s *Store) SetSettings(ctx context.Context, name string, settings transcript.Settings) error {
	if err := settings.Check(); err != nil {
		return fmt.Errorf("changing %s: %w", name, err)
	}
	if err := s.mustExist(ctx, name); err != nil {
		return fmt.Errorf("changing %s: %w", name, err)
	}
	_, err := s.Append(ctx, name, settings.Note())
	return err
}

// SuggestTitle writes a Note "title" that a model made (by), unless the session has
// one: what a person called it stays. It reports whether it was written.
func (s *Store) SuggestTitle(ctx context.Context, name, title, by string) (bool, error) {
	if title = transcript.OneLine(title); title == "" {
		return false, nil
	}
	if err := s.mustExist(ctx, name); err != nil {
		return false, fmt.Errorf("naming %s: %w", name, err)
	}
	note := transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteTitle, Text: title, By: by}
	written := false
	_, err := s.Session(name).AppendIf(ctx, func(f *branch.Fold) bool {
		written = !f.Titled() && !s.forgotten.Since(time.Now().Add(-session.TurnGrace)) // it may be made of what is gone
		return written
	}, note)
	if err != nil {
		return false, fmt.Errorf("naming %s: %w", name, err)
	}
	return written, nil
}

// Correct appends Notes of the kinds NoteEdited and NoteDeleted to a session.
func (s *Store) Correct(ctx context.Context, name string, notes ...transcript.Block) error {
	for i := range notes {
		notes[i].Kind = transcript.KindNote
	}
	_, err := s.Session(name).Append(ctx, notes...)
	return err
}

// UseVersion lets a session go on with another version of a message: one that was edited
// or answered again since. The branch it is on is the one again, as it was when it was
// left; the one that is left stays in the transcript. A message that is on no such branch
// since the last reset gives session.ErrNotFound; a running turn gives session.ErrBusy.
func (s *Store) UseVersion(ctx context.Context, name, id string) error {
	ses := s.Session(name)
	turn, err := ses.TryTurn(ctx, "version")
	if err != nil {
		return err
	}
	defer turn.Unlock()
	if err := ses.HasVersion(ctx, id); err != nil {
		return err
	}
	_, err = ses.AppendIf(ctx, nil, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteVersion, Text: id})
	return err
}

package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mac-stats/sessionmem/branch"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// SetSettings writes a Note "settings". A session never written gives session.ErrNotFound:
// its first message brings them along.
func (l *library) SetSettings(ctx context.Context, name string, settings transcript.Settings) error {
	if err := settings.Check(); err != nil {
		return fmt.Errorf("changing %s: %w", name, err)
	}
	if err := l.mustExist(ctx, name); err != nil {
		return fmt.Errorf("changing %s: %w", name, err)
	}
	_, err := l.sessions.Session(name).Append(ctx, settings.Note())
	return err
}

// SuggestTitle writes a Note "title" that a model made (by), unless the session has
// one: what a person called it stays. It reports whether it was written.
func (l *library) SuggestTitle(ctx context.Context, name, title, by string) (bool, error) {
	if title = transcript.OneLine(title); title == "" {
		return false, nil
	}
	if err := l.mustExist(ctx, name); err != nil {
		return false, fmt.Errorf("naming %s: %w", name, err)
	}
	note := transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteTitle, Text: title, By: by}
	written := false
	_, err := l.sessions.Session(name).AppendIf(ctx, func(f *branch.Fold) bool {
		written = !f.Titled() && !l.forgotten.Since(time.Now().Add(-session.TurnGrace)) // it may be made of what is gone
		return written
	}, note)
	if err != nil {
		return false, fmt.Errorf("naming %s: %w", name, err)
	}
	return written, nil
}

// Correct appends Notes of the kinds NoteEdited and NoteDeleted to a session.
func (l *library) Correct(ctx context.Context, name string, notes ...transcript.Block) error {
	for i := range notes {
		notes[i].Kind = transcript.KindNote
	}
	_, err := l.sessions.Session(name).Append(ctx, notes...)
	return err
}

// UseVersion lets a session go on with another version of a message: one that was edited
// or answered again since. The branch it is on is the one again, as it was when it was
// left; the one that is left stays in the transcript. A message that is on no such branch
// since the last reset gives session.ErrNotFound; a running turn gives session.ErrBusy.
func (l *library) UseVersion(ctx context.Context, name, id string) error {
	ses := l.sessions.Session(name)
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

// Reset writes a Note "ended": the context starts anew after it. A session never
// written needs none.
func (l *library) Reset(ctx context.Context, name string) error {
	if err := l.mustExist(ctx, name); errors.Is(err, session.ErrNotFound) {
		return nil
	} else if err != nil {
		return fmt.Errorf("resetting %s: %w", name, err)
	}
	_, err := l.sessions.Session(name).Append(ctx, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteEnded})
	return err
}

// SetTitle writes a Note "title". A session never written gives session.ErrNotFound.
func (l *library) SetTitle(ctx context.Context, name, title string) error {
	title = transcript.OneLine(title)
	if title == "" {
		return fmt.Errorf("renaming %s: the title is empty; give it at least one word", name)
	}
	if err := l.mustExist(ctx, name); err != nil {
		return fmt.Errorf("renaming %s: %w", name, err)
	}
	_, err := l.sessions.Session(name).Append(ctx, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteTitle, Text: title})
	return err
}

// Exists says whether a session has a block, here or in the archive. Nothing of it is
// read.
func (l *library) Exists(ctx context.Context, name string) (bool, error) {
	err := l.mustExist(ctx, name)
	if errors.Is(err, session.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// mustExist gives session.ErrNotFound for a session that has no block.
func (l *library) mustExist(ctx context.Context, name string) error {
	return l.sessions.Session(name).Exists(ctx)
}

// Rewind starts a branch: a Note "rewind" and the blocks the conversation goes on
// with are appended in one write. The message of this id and what was said after
// it stay in the transcript and leave the context. An id that the context doesn't
// hold gives session.ErrNotFound. The appended blocks are returned, without the Note.
func (l *library) Rewind(ctx context.Context, name, id string, next ...transcript.Block) ([]transcript.Block, error) {
	if _, _, err := l.sessions.Session(name).Message(ctx, id); err != nil {
		return nil, fmt.Errorf("rewinding %s: %w", name, err)
	}
	note := transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: id}
	out, err := l.sessions.Session(name).AppendIf(ctx, nil, append([]transcript.Block{note}, next...)...)
	if err != nil {
		return nil, fmt.Errorf("writing to %s: %w", name, err)
	}
	return out[1:], nil
}

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

// SetSettings appends a Note "settings". For a session that has no block yet it returns
// session.ErrNotFound: the first message carries its settings.
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

// SuggestTitle appends a Note "title" that a model (by) proposed, unless the session has a
// title: a person's title stays. It reports whether it was written.
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
		written = !f.Titled() && !l.forgotten.Since(time.Now().Add(-session.TurnGrace)) // the title may come from what was forgotten
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

// UseVersion resumes a session with another version of a message: one that was edited or
// answered again since. That version's branch becomes current as it was when it was left;
// the current one stays in the transcript. A message that is on no such branch
// since the last reset returns session.ErrNotFound; a running turn returns session.ErrBusy.
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

// Reset appends a Note "ended": the context starts over after it. A session without a block
// needs none.
func (l *library) Reset(ctx context.Context, name string) error {
	if err := l.mustExist(ctx, name); errors.Is(err, session.ErrNotFound) {
		return nil
	} else if err != nil {
		return fmt.Errorf("resetting %s: %w", name, err)
	}
	_, err := l.sessions.Session(name).Append(ctx, transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteEnded})
	return err
}

// SetTitle gives a session a title (see session.Session.SetTitle). A session without a block returns session.ErrNotFound.
func (l *library) SetTitle(ctx context.Context, name, title string) error {
	title = transcript.OneLine(title)
	if title == "" {
		return fmt.Errorf("renaming %s: the title is empty; give it at least one word", name)
	}
	if err := l.mustExist(ctx, name); err != nil {
		return fmt.Errorf("renaming %s: %w", name, err)
	}
	return l.sessions.Session(name).SetTitle(ctx, title)
}

// Exists reports whether a session has a block, here or in the archive, without reading
// its files.
func (l *library) Exists(ctx context.Context, name string) (bool, error) {
	err := l.mustExist(ctx, name)
	if errors.Is(err, session.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// mustExist returns session.ErrNotFound for a session without a block.
func (l *library) mustExist(ctx context.Context, name string) error {
	return l.sessions.Session(name).Exists(ctx)
}

// Rewind starts a branch: it appends a Note "rewind" and the blocks the conversation
// continues with, in one write. The message with this ID and everything after it stay in the
// transcript and leave the context. An ID that isn't in the context returns
// session.ErrNotFound. Rewind returns the appended blocks without the Note.
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

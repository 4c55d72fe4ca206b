package sessionmem

import (
	"context"
	"fmt"
	"time"

	"mac-stats/sessionmem/transcript"
)

// SetSettings writes a Note "settings". A session never written gives ErrNotFound:
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
	_, err := s.appendIf(ctx, name, func(f *fold) bool {
		written = !f.titled && !s.forgotten.Since(time.Now().Add(-turnGrace)) // it may be made of what is gone
		return written
	}, note)
	if err != nil {
		return false, fmt.Errorf("naming %s: %w", name, err)
	}
	return written, nil
}

package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
	"mac-stats/sessionmem/wholefile"
)

// Written is a lesson that was saved and read back from disk.
type Written struct {
	Path    string
	Line    int
	Text    string // "" for a removal
	Old     string // the line that was replaced or removed
	Target  Target
	Session string // the session it was learned in; "" if written by hand
	UndoID  string
}

// Append trims, checks and writes a lesson: under a lock, atomically, following a symbolic
// link, and reads it back. While the file can't be written (another program saves it, it is
// missing or read-only), the lesson waits in the inbox and Settle writes it later. Errors:
// ErrDuplicate; lesson.ErrRejected; ErrFull if the memory has no room; sharedfile.ErrLater
// for a lesson that waits; or errors of the disk.
func (m *Memory) Append(ctx context.Context, l Lesson) (Written, error) {
	unlock, err := m.files.Lock(ctx)
	if err != nil {
		return Written{}, err
	}
	defer unlock()
	return m.appendLocked(ctx, l)
}

// appendLocked is Append for callers that hold the lock.
func (s *store) appendLocked(ctx context.Context, l Lesson) (Written, error) {
	w, u, err := s.write(ctx, l, sharedfile.Patience, !l.proposed)
	if err == nil {
		w.UndoID = s.undos.keep(u)
	}
	return w, err
}

// AppendTo appends a lesson to each of the files; one undo removes all of them. It skips
// files that already say so, and returns the targets that have no room.
func (m *Memory) AppendTo(ctx context.Context, l Lesson, targets []Target) (written []Written, full []Target, err error) {
	unlock, err := m.files.Lock(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	var undos []undo
	for _, l.Target = range targets {
		w, u, writeErr := m.write(ctx, l, sharedfile.Patience, true)
		switch {
		case writeErr == nil:
			written, undos = append(written, w), append(undos, u)
		case errors.Is(writeErr, ErrDuplicate), errors.Is(writeErr, sharedfile.ErrLater): // it is in the file, or will be
		case errors.Is(writeErr, ErrFull):
			full = append(full, l.Target)
		default:
			err = errors.Join(err, writeErr)
		}
	}
	if len(undos) > 0 {
		id := m.undos.keep(undos...)
		for i := range written {
			written[i].UndoID = id
		}
	}
	return written, full, err
}

// write puts a lesson into its file and reads it back. It waits up to patience for another
// program's save; with keep, the lesson is in the inbox meanwhile. The caller holds the
// lock.
func (s *store) write(ctx context.Context, l Lesson, patience time.Duration, keep bool) (Written, undo, error) {
	if l.Target.Kind == "" {
		l.Target.Kind = TargetGlobal
	}
	path := s.Path(l.Target)
	if path == "" {
		return Written{}, undo{}, badTarget(l.Target)
	}
	if err := lesson.CheckConfidence(l.Confidence); err != nil {
		return Written{}, undo{}, err
	}
	text, err := lesson.Check(l.Text)
	if err != nil {
		return Written{}, undo{}, err
	}
	if !l.Hand && s.forgotten.HasIn(l.Session, text) {
		return Written{}, undo{}, fmt.Errorf("%w: you had it forgotten; add it yourself if you want it back", lesson.ErrRejected)
	}
	if l.Hand {
		if err := s.forgotten.Allow(text); err != nil {
			return Written{}, undo{}, err
		}
	} else if err := s.files.Journal().CheckRemoved(text); err != nil {
		return Written{}, undo{}, err
	}
	bullet := memorytext.FormatLesson(text, l.Session, time.Now())
	w := Written{Path: path, Text: text, Target: l.Target, Session: l.Session}
	var change memorytext.Change
	var written []byte
	how, waits := sharedfile.Editing{Patience: patience, Overdue: l.overdue}, ""
	if keep {
		how.Waiting = func() (err error) {
			waits, err = s.waiting.keep(ctx, l, text)
			return err
		}
	}
	err = s.files.EditAs(ctx, path, how, func(raw []byte) ([]byte, error) {
		raw = s.sieve.Without(path, raw)
		before := memorytext.ParseBytes(raw)
		if dup, found := findDuplicate(before, text); found {
			return nil, fmt.Errorf("%w: line %d of %s: %q", ErrDuplicate, dup.Line, filepath.Base(path), dup.Text)
		}
		if why := s.room.full(l.Target, before, text, l.Hand); why != "" {
			return nil, fmt.Errorf("%w: %s; replace one of them", ErrFull, why)
		}
		written, change = before.Append(raw, bullet)
		w.Line = change.At + 1
		return written, nil
	})
	if err == nil {
		err = readBack(w, written)
	}
	if keep && waits == "" && errors.Is(err, sharedfile.ErrLater) {
		id, keepErr := s.waiting.keep(ctx, l, text)
		if keepErr != nil {
			return Written{}, undo{}, errors.Join(err, keepErr)
		}
		waits = id
	}
	if waits != "" {
		if errors.Is(err, sharedfile.ErrLater) {
			return Written{}, undo{}, fmt.Errorf("%w. The lesson waits in the inbox as %s and is remembered when it can be", err, waits)
		}
		if err == nil || errors.Is(err, ErrDuplicate) || errors.Is(err, lesson.ErrRejected) || errors.Is(err, ErrFull) {
			err = errors.Join(err, s.waiting.takeOut(ctx, waits))
		} else {
			err = errors.Join(fmt.Errorf("the lesson stays in the inbox as %s: %w", waits, err), s.waiting.unsettle(ctx, waits, ""))
		}
	}
	if err != nil {
		return Written{}, undo{}, err
	}
	return w, undo{Target: l.Target, Change: change}, nil
}

// findDuplicate finds the bullet that already says what text says.
func findDuplicate(m memorytext.Text, text string) (memorytext.Bullet, bool) {
	words := lesson.Words(text)
	for _, it := range m.Items {
		b, ok := it.Bullet()
		if !ok {
			continue
		}
		if strings.EqualFold(b.Text, text) {
			return b, true
		}
		if len(words) > 0 && strings.Contains(strings.ToLower(b.Text), words[0]) && lesson.AlreadySays(lesson.Words(b.Text), words) {
			return b, true
		}
	}
	return memorytext.Bullet{}, false
}

// readBack verifies that the lesson is on disk and is read as a bullet. The written bytes
// were checked before, so the file is parsed only if it was edited since.
func readBack(w Written, written []byte) error {
	raw, _, err := wholefile.ReadText(w.Path)
	if err != nil {
		return fmt.Errorf("reading the lesson back: %w", wholefile.Explain("reading "+filepath.Base(w.Path), err))
	}
	if bytes.Equal(raw, written) || memorytext.ParseBytes(raw).HasBullet(0, w.Text) {
		return nil
	}
	return fmt.Errorf("the lesson is not in %s after writing it; look at the file and try again", filepath.Base(w.Path))
}

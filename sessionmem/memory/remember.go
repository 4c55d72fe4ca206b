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
// link, and reads it back. While another program saves the file, the lesson waits in the
// inbox, and Append waits for the save. If the file can't be written (it is missing or
// read-only) or ctx ends, the lesson stays in the inbox and Settle writes it later. Errors:
// ErrDuplicate; lesson.ErrRejected; ErrFull if the memory has no room; sharedfile.ErrLater
// for a lesson that waits; or errors of the disk.
func (m *Memory) Append(ctx context.Context, l Lesson) (Written, error) {
	out, err := m.appendTo(ctx, l, []Target{l.Target})
	if err != nil {
		return Written{}, err
	}
	if out[0].err == nil {
		out[0].UndoID = m.undos.keep(out[0].undo)
	}
	return out[0].Written, out[0].err
}

// AppendTo appends a lesson to each of the files; one undo removes all of them. It skips
// files that already say so, and returns the targets that have no room.
func (m *Memory) AppendTo(ctx context.Context, l Lesson, targets []Target) (written []Written, full []Target, err error) {
	out, err := m.appendTo(ctx, l, targets)
	var undos []undo
	for i, o := range out {
		switch {
		case o.err == nil:
			written, undos = append(written, o.Written), append(undos, o.undo)
		case errors.Is(o.err, ErrDuplicate), errors.Is(o.err, sharedfile.ErrLater): // it is in the file, or will be
		case errors.Is(o.err, ErrFull):
			full = append(full, targets[i])
		default:
			err = errors.Join(err, o.err)
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

// appended is what became of a lesson in one file.
type appended struct {
	Written
	undo undo
	err  error
}

func (m *Memory) appendTo(ctx context.Context, l Lesson, targets []Target) ([]appended, error) {
	lessons, waits, paths := make([]Lesson, len(targets)), make([]string, len(targets)), []string(nil)
	for i, target := range targets {
		if target.Kind == "" {
			target.Kind = TargetGlobal
		}
		lessons[i] = l
		lessons[i].Target = target
		path := m.Path(target)
		if path == "" {
			continue
		}
		paths = append(paths, path)
		if m.files.Still(path) || !m.files.Still(m.waiting.path) {
			continue
		}
		var err error
		if waits[i], err = m.keepWaiting(ctx, lessons[i]); err != nil {
			return nil, err
		}
	}
	out := make([]appended, len(targets))
	unlock, err := m.files.LockStill(ctx, paths...)
	for i := range out {
		if out[i].err = err; err == nil {
			out[i].Written, out[i].undo, out[i].err = m.write(lessons[i])
		}
	}
	if err == nil {
		unlock()
	}
	for i := range out {
		out[i].err = m.settleWaiting(context.WithoutCancel(ctx), lessons[i], waits[i], out[i].err)
	}
	return out, nil
}

// keepWaiting puts a lesson into the inbox while its file can't be written.
func (m *Memory) keepWaiting(ctx context.Context, l Lesson) (id string, err error) {
	text, err := m.check(l)
	if err != nil {
		return "", err
	}
	unlock, err := m.files.LockStill(ctx, m.waiting.path)
	if err != nil {
		return "", err
	}
	defer unlock()
	return m.waiting.keep(l, text)
}

// settleWaiting returns the outcome of a lesson that waits in the inbox, or has to because of
// err, and takes it out of there if it needn't wait any more.
func (m *Memory) settleWaiting(ctx context.Context, l Lesson, waits string, err error) error {
	if errors.Is(err, sharedfile.ErrLater) {
		if waits == "" {
			var keepErr error
			if waits, keepErr = m.keepWaiting(ctx, l); keepErr != nil {
				// It is lost, so it isn't ErrLater any more: whoever asked has to try again.
				return errors.New(err.Error() + "; nor can it wait in the inbox: " + keepErr.Error())
			}
		}
		return fmt.Errorf("%w. The lesson waits in the inbox as %s and is remembered when it can be", err, waits)
	}
	if waits == "" {
		return err
	}
	unlock, lockErr := m.files.LockStill(ctx, m.waiting.path)
	if lockErr != nil {
		return errors.Join(err, lockErr)
	}
	defer unlock()
	if err == nil || errors.Is(err, ErrDuplicate) || errors.Is(err, lesson.ErrRejected) || errors.Is(err, ErrFull) {
		return errors.Join(err, m.waiting.takeOut(waits))
	}
	return errors.Join(fmt.Errorf("the lesson stays in the inbox as %s: %w", waits, err), m.waiting.unsettle(waits, ""))
}

// check checks a lesson and returns its text.
func (s *store) check(l Lesson) (text string, err error) {
	if s.Path(l.Target) == "" {
		return "", badTarget(l.Target)
	}
	if err := lesson.CheckConfidence(l.Confidence); err != nil {
		return "", err
	}
	if text, err = lesson.Check(l.Text); err != nil {
		return "", err
	}
	switch {
	case l.Hand:
		return text, s.forgotten.Allow(text)
	case s.forgotten.HasIn(l.Session, text):
		return "", fmt.Errorf("%w: you had it forgotten; add it yourself if you want it back", lesson.ErrRejected)
	}
	return text, s.files.Journal().CheckRemoved(text)
}

// write puts a lesson into its file and reads it back. The caller holds the lock.
func (s *store) write(l Lesson) (Written, undo, error) {
	text, err := s.check(l)
	if err != nil {
		return Written{}, undo{}, err
	}
	path := s.Path(l.Target)
	bullet := memorytext.FormatLesson(text, l.Session, time.Now())
	w := Written{Path: path, Text: text, Target: l.Target, Session: l.Session}
	var change memorytext.Change
	var written []byte
	err = s.files.Edit(path, func(raw []byte) ([]byte, error) {
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

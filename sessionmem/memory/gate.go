package memory

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// A memory file, too, is read without what was forgotten: late saves, backups and synced
// copies bring it back. What the user writes anew in the app, or adds by a command, is
// allowed (see Forgotten.Allow): text from another program can't be told from an old one.

// withoutForgotten gives a file's bytes without what was forgotten.
func (m *Memory) withoutForgotten(path string, raw []byte) []byte {
	t := m.forgotten.Traces()
	if t.Empty() || len(raw) == 0 || !m.mayHold(t, raw) {
		return raw
	}
	return m.cleanBy(t.Each(func(time.Time, bool) bool { return true }), path, raw)
}

// withoutOver is withoutForgotten for forgettings that are over: what one that is under
// way means it takes out itself, and tells of.
func (m *Memory) withoutOver(path string, raw []byte) []byte {
	over := m.forgotten.Traces().Each(func(_ time.Time, over bool) bool { return over })
	return m.cleanBy(over, path, raw)
}

// returned says whether a line that was noted elsewhere was forgotten before.
func (m *Memory) returned(path, line string) bool {
	return m.forgotten.Has(line) && len(m.withoutOver(path, []byte(line))) == 0
}

// withoutForgottenSince gives an unsaved edit without what was forgotten after it was
// typed; false where it stays.
func (m *Memory) withoutForgottenSince(u Unsaved) (Unsaved, bool) {
	since := m.forgotten.Traces().Each(func(at time.Time, _ bool) bool { return !at.Before(u.Time) })
	if len(since) == 0 {
		return u, false
	}
	was := u
	u.Base, u.Text = string(m.cleanBy(since, u.Path, []byte(u.Base))), string(m.cleanBy(since, u.Path, []byte(u.Text)))
	return u, u != was
}

// cleanBy takes out of a file's bytes what these forgettings mean.
func (m *Memory) cleanBy(by []*forgotten.Traces, path string, raw []byte) []byte {
	for _, t := range by {
		f := &forgetLines{m: m, t: t, path: path, dry: true, returned: true}
		if !t.MeansTyped() && f.place() == placeAgent {
			continue // as Forget leaves it
		}
		raw = f.clean(raw)
	}
	return raw
}

// mayHold says whether anything in a file may be meant.
func (m *Memory) mayHold(t *forgotten.Traces, raw []byte) bool {
	if t.HoldsRaw(raw) {
		return true
	}
	return t.MarksLines() && slices.ContainsFunc(memorytext.ParseBytes(raw).Bullets(), func(b memorytext.Bullet) bool {
		return t.IsChosen(b.Text) || t.IsLesson(b.Text)
	})
}

// purge takes what was forgotten out of a file that was read and held some; whoever holds
// the lock meanwhile does so with what they write, see edit. It gives what
// is to be read, and whether the file says the same.
func (m *Memory) purge(path string, raw []byte) (out []byte, clean bool) {
	out = m.withoutForgotten(path, raw)
	if bytes.Equal(out, raw) {
		return raw, true
	}
	if bytes.Equal(m.withoutOver(path, raw), raw) {
		return out, false
	}
	if err := m.purgeFile(path); err != nil {
		m.logger.Warn("what was forgotten came back in a memory file and can't be taken out now; it isn't read", "file", filepath.Base(path), "err", err)
		return out, false
	}
	m.logger.Info("what was forgotten came back in a memory file and was taken out again", "file", filepath.Base(path))
	return out, true
}

// Clean gives what was read of a file that people own without what was forgotten, and
// takes that out of the file. A file that Forget doesn't look into stays as it is.
func (m *Memory) Clean(path string, text []byte) []byte {
	if !IsMemoryText(filepath.Base(path)) || !wholefile.IsWithin(filepath.Clean(path), m.root) {
		return text
	}
	out, _ := m.purge(path, text)
	return out
}

func (m *Memory) purgeFile(path string) error {
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm()&0o200 == 0 {
		return errors.Join(err, errors.New("it is read-only; give yourself the right to write it"))
	}
	ctx, cancel := context.WithTimeout(context.Background(), purgePatience)
	defer cancel()
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return m.edit(ctx, path, func(now []byte) ([]byte, error) { return m.withoutOver(path, now), nil })
}

// purgePatience is how long the memory's lock is waited for to take something out.
const purgePatience = 100 * time.Millisecond

package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// memoryLock is the lock of all memory files, beside the sessions' locks; a
// session's name has no dot.
const memoryLock = "memory.lock"

// memoryTries is how often a write starts again because the file was edited
// between reading it and replacing it.
const memoryTries = 5

// Written is a lesson that was saved and read back from disk.
type Written struct {
	Path    string
	Line    int
	Text    string // "" of a removal
	Old     string // the line that was replaced or removed
	Target  Target
	Session string // where it was learnt; "" for by hand
	UndoID  string
}

// Append writes a lesson through at once: trimmed, capped, scanned, checked
// against duplicates, appended under a lock, atomically, through a symlink if the
// file is one, and read back. While another program saves the file, the lesson waits in
// the inbox; where that takes long it stays there, and Settle writes it later. Errors:
// ErrDuplicate, ErrRejected, ErrFull for a memory that has no room, ErrSaving for a
// lesson that waits, or of the disk.
func (m *Memory) Append(ctx context.Context, l Lesson) (Written, error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return Written{}, err
	}
	defer unlock()
	return m.appendLocked(ctx, l)
}

// appendLocked is Append under the lock.
func (m *Memory) appendLocked(ctx context.Context, l Lesson) (Written, error) {
	w, u, err := m.write(ctx, l, savingPatience, !l.proposed)
	if err == nil {
		w.UndoID = m.keepUndo(u)
	}
	return w, err
}

// AppendTo appends a lesson to each of the files; one undo takes all of it back. A
// file that says so already is passed over, those without room are given back.
func (m *Memory) AppendTo(ctx context.Context, l Lesson, targets []Target) (written []Written, full []Target, err error) {
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	var undos []undo
	for _, l.Target = range targets {
		w, u, writeErr := m.write(ctx, l, savingPatience, true)
		switch {
		case writeErr == nil:
			written, undos = append(written, w), append(undos, u)
		case errors.Is(writeErr, ErrDuplicate), errors.Is(writeErr, ErrSaving): // it is there, or will be
		case errors.Is(writeErr, ErrFull):
			full = append(full, l.Target)
		default:
			err = errors.Join(err, writeErr)
		}
	}
	if len(undos) > 0 {
		id := m.keepUndo(undos...)
		for i := range written {
			written[i].UndoID = id
		}
	}
	return written, full, err
}

// write puts a lesson into its file and reads it back; the lock is held. It waits so
// long for another program's save; where the lesson is to be kept, it stands in the
// inbox meanwhile.
func (m *Memory) write(ctx context.Context, l Lesson, patience time.Duration, keep bool) (Written, undo, error) {
	if l.Target.Kind == "" {
		l.Target.Kind = TargetGlobal
	}
	path := m.Path(l.Target)
	if path == "" {
		return Written{}, undo{}, badTarget(l.Target)
	}
	if err := checkConfidence(l.Confidence); err != nil {
		return Written{}, undo{}, err
	}
	text, err := screen(l.Text)
	if err != nil {
		return Written{}, undo{}, err
	}
	if !l.Hand && m.forgotten.HasIn(l.Session, text) {
		return Written{}, undo{}, fmt.Errorf("%w: you had it forgotten; add it yourself if you want it back", ErrRejected)
	}
	if l.Hand {
		if err := m.forgotten.Allow(text); err != nil {
			return Written{}, undo{}, err
		}
	} else if err := m.keptRemoved(text); err != nil {
		return Written{}, undo{}, err
	}
	bullet := text + " <!-- " + provenance(l.Session, time.Now()) + " -->"
	w := Written{Path: path, Text: text, Target: l.Target, Session: l.Session}
	var added string
	var written []byte
	how, waits := editing{patience: patience}, ""
	if keep {
		how.waiting = func() (err error) {
			waits, err = m.keepWaiting(ctx, l, text)
			return err
		}
	}
	err = m.editAs(ctx, path, how, func(raw []byte) ([]byte, error) {
		raw = m.withoutForgotten(path, raw)
		before := parseMemory(normalizeFile(raw))
		if dup, found := findDuplicate(before, text); found {
			return nil, fmt.Errorf("%w: line %d of %s: %q", ErrDuplicate, dup.Line, filepath.Base(path), dup.Text)
		}
		if why := m.full(l.Target, before, text, l.Hand); why != "" {
			return nil, fmt.Errorf("%w: %s; replace one of them", ErrFull, why)
		}
		written, w.Line, added = insertBullet(raw, before.items, bullet)
		if !parseMemory(normalizeFile(written)).hasBullet(w.Line, text) {
			return nil, fmt.Errorf("%s has no place for a lesson: it ends within a code block or a comment; close it, then try again", filepath.Base(path))
		}
		return written, nil
	})
	if err == nil {
		err = m.readBack(w, written)
	}
	if waits != "" {
		if errors.Is(err, ErrSaving) {
			return Written{}, undo{}, fmt.Errorf("%s: %w: the lesson waits in the inbox as %s and is remembered when that is done", filepath.Base(path), ErrSaving, waits)
		}
		if err == nil || errors.Is(err, ErrDuplicate) || errors.Is(err, ErrRejected) || errors.Is(err, ErrFull) {
			err = errors.Join(err, m.takeOut(ctx, waits))
		} else {
			err = errors.Join(fmt.Errorf("the lesson stays in the inbox as %s: %w", waits, err), m.proposeWaiting(ctx, waits, ""))
		}
	}
	if err != nil {
		return Written{}, undo{}, err
	}
	return w, undo{Target: l.Target, Line: added}, nil
}

// keepWaiting puts a lesson into the inbox while its file is being saved.
func (m *Memory) keepWaiting(ctx context.Context, l Lesson, text string) (id string, err error) {
	waiting, err := m.Inbox()
	if err != nil {
		return "", err
	}
	for _, p := range waiting {
		if p.Kind == ProposeAdd && p.Target == l.Target && p.Text == text {
			return p.ID, nil
		}
	}
	p := Proposal{ID: transcript.RandomID(6), Kind: ProposeAdd, Target: l.Target, Text: text, Confidence: l.Confidence, Session: l.Session, Why: WhySaving, Time: time.Now()}
	return p.ID, m.putIntoInbox(ctx, &p)
}

// proposeWaiting makes a lesson that waited for a save a proposal like others: it can't
// be written now.
func (m *Memory) proposeWaiting(ctx context.Context, id, why string) error {
	_, err := m.changeProposal(ctx, id, func(p *Proposal) (string, error) {
		p.Why = why
		return p.bullet(), nil
	})
	return err
}

// provenance says where a lesson comes from.
func provenance(session string, now time.Time) string {
	return strings.TrimSpace(now.Format(time.DateOnly) + " " + plainName(session))
}

// plainName makes a name fit for a comment.
func plainName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < 0x80 && transcript.IsKeyByte(byte(r)) {
			return r
		}
		return '_'
	}, name)
	return strings.ReplaceAll(clean, "--", "-_")
}

// findDuplicate finds the bullet that says already what text says.
func findDuplicate(m memoryText, text string) (Bullet, bool) {
	lesson := ContentWords(text)
	for _, it := range m.items {
		b, ok := it.bullet()
		if !ok {
			continue
		}
		if strings.EqualFold(b.Text, text) {
			return b, true
		}
		if len(lesson) > 0 && strings.Contains(strings.ToLower(b.Text), lesson[0]) && alreadySays(ContentWords(b.Text), lesson) {
			return b, true
		}
	}
	return Bullet{}, false
}

// insertBullet puts a bullet at the end of the last list, in that list's manner,
// and leaves every other byte as it is. A file without a list gets it at its end.
// It gives the new bytes, the bullet's 1-based line, and the line. items are those
// of raw.
func insertBullet(raw []byte, items []item, bullet string) (out []byte, line int, added string) {
	eol := "\n"
	if bytes.Contains(raw, []byte("\r\n")) {
		eol = "\r\n"
	}
	last := -1
	for i, it := range items {
		if it.kind == itemBullet {
			last = i
		}
	}
	if last < 0 {
		added = "- " + bullet
		return appendAtEnd(raw, added, eol)
	}
	pad, sign := listManner(items[:last+1])
	added = pad + sign + " " + bullet
	after := items[last].first + len(items[last].lines) // lines before the new one
	at := lineOffset(raw, after)
	out = slices.Clone(raw[:at])
	if at > 0 && raw[at-1] != '\n' {
		out = append(out, eol...)
	}
	out = append(out, added+eol...)
	return append(out, raw[at:]...), after + 1, added
}

// listManner gives how the next bullet of the list that ends the items is
// written: its outermost indentation, and its sign or next number.
func listManner(items []item) (pad, sign string) {
	last := items[len(items)-1]
	pad, sign = last.pad, last.sign
	for i := len(items) - 2; i >= 0 && items[i].kind == itemBullet; i-- {
		if len(items[i].pad) < len(pad) {
			pad, sign = items[i].pad, items[i].sign
		}
	}
	if n, err := strconv.Atoi(sign[:len(sign)-1]); err == nil {
		sign = strconv.Itoa(n+1) + sign[len(sign)-1:]
	}
	return pad, sign
}

// appendAtEnd appends a line after the file's text, with a blank line between a
// paragraph or heading and the list that begins.
func appendAtEnd(raw []byte, added, eol string) ([]byte, int, string) {
	out := slices.Clone(raw)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, eol...)
	}
	if text := strings.TrimRight(normalizeFile(out), "\n"); text != "" && !bytes.HasSuffix(out, []byte(eol+eol)) {
		out = append(out, eol...)
	}
	line := bytes.Count(out, []byte("\n")) + 1
	return append(out, added+eol...), line, added
}

// lineOffset is where the 0-based line n begins, or the end.
func lineOffset(raw []byte, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(raw[at:], '\n')
		if i < 0 {
			return len(raw)
		}
		at += i + 1
	}
	return at
}

// readBack makes sure that the lesson is on disk and is read as a bullet: what was
// written was looked at before, so only a file that was edited since is read anew.
func (m *Memory) readBack(w Written, written []byte) error {
	raw, _, err := wholefile.ReadText(w.Path)
	if err != nil {
		return fmt.Errorf("reading the lesson back: %w", wholefile.Explain("reading "+filepath.Base(w.Path), err))
	}
	if bytes.Equal(raw, written) || parseMemory(normalizeFile(raw)).hasBullet(0, w.Text) {
		return nil
	}
	return fmt.Errorf("the lesson is not in %s after writing it; look at the file and try again", filepath.Base(w.Path))
}

// hasBullet says whether a bullet with this text is there, at this 1-based line
// unless it is 0.
func (m memoryText) hasBullet(line int, text string) bool {
	return slices.ContainsFunc(m.items, func(it item) bool {
		if line != 0 && it.first+1 != line {
			return false
		}
		b, ok := it.bullet()
		return ok && b.Text == text
	})
}

// removeLine removes the last line that is exactly this one.
func removeLine(raw []byte, line string) ([]byte, bool) {
	end := len(raw)
	for end > 0 {
		begin := bytes.LastIndexByte(raw[:end-1], '\n') + 1
		if string(bytes.TrimRight(raw[begin:end], "\r\n")) == line {
			return append(slices.Clone(raw[:begin]), raw[end:]...), true
		}
		end = begin
	}
	return nil, false
}

// lock takes the lock of the memory files. The session folder that it is in is made
// once: where that is gone later, it was moved away and may come back.
func (m *Memory) lock(ctx context.Context) (unlock func(), err error) {
	dir := filepath.Join(m.root, transcript.SessionDir, transcript.LocksDir)
	mkdir := os.MkdirAll
	if m.locked.Load() {
		mkdir = os.Mkdir
	}
	if err := mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, wholefile.Explain("locking the memory", err)
	}
	m.locked.Store(true)
	l := wholefile.NewLock(filepath.Join(dir, memoryLock))
	if err := wholefile.TakeLock(ctx, l); err != nil {
		return nil, wholefile.Explain("locking the memory", err)
	}
	return func() {
		if err := l.Unlock(); err != nil {
			m.logger.Warn("the memory's lock was not given back: others wait until this process ends", "err", err)
		}
	}, nil
}

// rewrite replaces a file that is the app's alone by what change makes of it; the lock is
// held.
func (m *Memory) rewrite(path string, change func(raw []byte) ([]byte, error)) error {
	raw, _, err := wholefile.ReadText(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return wholefile.Explain("reading "+filepath.Base(path), err)
	}
	out, err := change(raw)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return wholefile.Explain("writing "+filepath.Base(path), err)
	}
	return wholefile.Wrap("writing "+filepath.Base(path), wholefile.Write(path, out, 0o600))
}

// ownFile is the file that is written for path: what a link there leads to, and
// where there is none the path, with its folder made.
func ownFile(path string) (string, error) {
	real, err := wholefile.Through(path)
	if err == nil {
		err = os.MkdirAll(ownFolder(real), 0o700)
	}
	return real, err
}

// ownFolder is the folder that may be made for a memory file: its own, but not an
// agent's, which would be an agent without its files.
func ownFolder(path string) string {
	dir := filepath.Dir(path)
	if strings.HasPrefix(filepath.Base(dir), "agent-") {
		return filepath.Dir(dir)
	}
	return dir
}

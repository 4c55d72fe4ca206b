package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mac-stats/sessionmem/wholefile"
)

// ErrNoLine: no line, or more than one, says what is to be replaced or removed.
var ErrNoLine = errors.New("not one line says this")

// ErrFull: the list of a person or a server holds as many lines as it may, or a
// memory as many characters as go into a prompt. Nothing is evicted in silence:
// propose a replacement.
var ErrFull = errors.New("the memory is full")

// full says why there is no room for one more lesson, "" where there is. What the
// owner writes by hand may go beyond a budget: then the oldest lines are left out of
// prompts, which is said there.
func (m *Memory) full(t Target, text memoryText, lesson string, hand bool) string {
	lines, most := len(text.bullets()), 0
	switch t.Kind {
	case TargetPerson:
		most = m.maxPerson
	case TargetServer:
		most = m.maxServer
	}
	if most != 0 && lines >= most {
		return fmt.Sprintf("%s holds %d lines of %d", filepath.Base(m.Path(t)), lines, max(most, 0))
	}
	if hand || m.budget == nil {
		return ""
	}
	budget, size := m.budget(t), textSize(strings.Join(text.lines, "\n"))
	if budget <= 0 || size+utf8.RuneCountInString("\n- "+lesson) <= budget {
		return ""
	}
	return fmt.Sprintf("%s holds %d characters of %d", filepath.Base(m.Path(t)), size, budget)
}

// findLine finds the one bullet that says this, else in another case.
func findLine(text memoryText, words, file string) (item, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []item
		for _, it := range text.items {
			if b, ok := it.bullet(); ok && same(b.Text, words) {
				found = append(found, it)
			}
		}
		switch len(found) {
		case 1:
			return found[0], nil
		case 0:
		default:
			return item{}, fmt.Errorf("%w: %d lines of %s are %q; remove the others by hand", ErrNoLine, len(found), file, words)
		}
	}
	return item{}, fmt.Errorf("%w: no line of %s is %q; copy its words exactly", ErrNoLine, file, words)
}

// changeLine replaces or removes the one line a proposal is about; every other
// byte stays. The lock is held.
func (m *Memory) changeLine(ctx context.Context, p Proposal) (Written, error) {
	w := Written{Path: m.Path(p.Target), Text: p.Text, Old: p.Old, Target: p.Target}
	back := undo{Target: p.Target}
	var written []byte
	err := m.edit(ctx, w.Path, func(raw []byte) ([]byte, error) {
		text := parseMemory(normalizeFile(raw))
		it, err := findLine(text, p.Old, filepath.Base(w.Path))
		if err != nil {
			return nil, err
		}
		if dup, found := findDuplicate(text, p.Text); found && p.Text != "" && dup.Line != it.first+1 {
			return nil, fmt.Errorf("%w: line %d of %s: %q", ErrDuplicate, dup.Line, filepath.Base(w.Path), dup.Text)
		}
		bullet := ""
		if p.Text != "" {
			bullet = p.Text + " <!-- " + provenance(p.Session, time.Now()) + " -->"
		}
		written, back.Line, back.Old = replaceItem(raw, it, bullet)
		back.After, back.At = lineBefore(text, it), it.first
		w.Line = it.first + 1
		if p.Text != "" && !parseMemory(normalizeFile(written)).hasBullet(w.Line, p.Text) {
			return nil, fmt.Errorf("line %d of %s can't be replaced where it stands; change it by hand", w.Line, filepath.Base(w.Path))
		}
		return written, nil
	})
	if err != nil {
		return Written{}, err
	}
	if err := m.readChangeBack(w, written); err != nil {
		return Written{}, err
	}
	w.UndoID = m.keepUndo(back)
	return w, nil
}

// readChangeBack makes sure that the change is on disk.
func (m *Memory) readChangeBack(w Written, written []byte) error {
	if w.Text != "" {
		return m.readBack(w, written)
	}
	raw, _, err := wholefile.ReadText(w.Path)
	if err != nil {
		return fmt.Errorf("reading the memory back: %w", wholefile.Explain("reading "+filepath.Base(w.Path), err))
	}
	if !bytes.Equal(raw, written) && parseMemory(normalizeFile(raw)).hasBullet(0, w.Old) {
		return fmt.Errorf("the line is still in %s after removing it; look at the file and try again", filepath.Base(w.Path))
	}
	return nil
}

// replaceItem puts a bullet into the place of an item's lines, in the manner of the
// first of them; "" leaves nothing there. It gives the new bytes, the line that is
// new, and the bytes that went.
func replaceItem(raw []byte, it item, bullet string) (out []byte, added string, gone []byte) {
	begin, end := itemBytes(raw, it)
	gone = slices.Clone(raw[begin:end])
	out = slices.Clone(raw[:begin])
	if bullet != "" {
		added = it.pad + it.sign + " " + bullet
		out = append(out, added+wholefile.LineEnd(gone)...)
	}
	return append(out, raw[end:]...), added, gone
}

// itemBytes is where an item's lines begin and end.
func itemBytes(raw []byte, it item) (begin, end int) {
	begin, end = lineOffset(raw, it.first), lineOffset(raw, it.first+len(it.lines))
	if begin == 0 && bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) {
		begin = 3
	}
	return begin, end
}

// lineBefore is the line above an item, "" at the beginning.
func lineBefore(text memoryText, it item) string {
	if it.first == 0 {
		return ""
	}
	return text.lines[it.first-1]
}

// apply takes a change back: the line that was added goes, what stood there
// returns to its place. It reports false where its line is gone.
func (u undo) apply(raw []byte) ([]byte, bool) {
	if u.Line == "" {
		return u.reinsert(raw), true
	}
	if len(u.Old) == 0 {
		return removeLine(raw, u.Line)
	}
	end := len(raw)
	for end > 0 {
		begin := bytes.LastIndexByte(raw[:end-1], '\n') + 1
		if line := bytes.TrimPrefix(raw[begin:end], []byte("\xef\xbb\xbf")); string(bytes.TrimRight(line, "\r\n")) == u.Line {
			begin = end - len(line)
			return slices.Concat(raw[:begin], u.Old, raw[end:]), true
		}
		end = begin
	}
	return nil, false
}

// reinsert puts removed lines back: below the line they stood under, nearest to
// where that was, else at the end.
func (u undo) reinsert(raw []byte) []byte {
	lines := strings.Split(normalizeFile(raw), "\n")
	at := -1
	for i, line := range lines {
		if line == u.After && (at < 0 || distance(i+1, u.At) < distance(at, u.At)) {
			at = i + 1
		}
	}
	offset := len(raw)
	switch {
	case u.At == 0:
		offset = len(raw) - len(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	case at >= 0:
		offset = lineOffset(raw, at)
	}
	out, old := slices.Clone(raw[:offset]), u.Old
	if offset > 0 && u.At > 0 && raw[offset-1] != '\n' {
		out = append(out, '\n')
	}
	if offset < len(raw) && wholefile.LineEnd(old) == "" {
		old = append(slices.Clone(old), '\n')
	}
	return slices.Concat(out, old, raw[offset:])
}

func distance(a, b int) int { return max(a-b, b-a) }

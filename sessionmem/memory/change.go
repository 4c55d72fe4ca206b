package memory

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// ErrNoLine means that no line, or more than one, has the words to be replaced or removed.
var ErrNoLine = errors.New("not one line says this")

// ErrFull means that the list of a person or a server holds as many lines as it may, or a
// memory as many characters as fit into a prompt. No line is evicted silently; propose a
// replacement instead.
var ErrFull = errors.New("the memory is full")

// room holds the limits on how much the memories may hold.
type room struct {
	person, server int              // lines; none if negative
	budget         func(Target) int // characters, 0 for no limit; nil for no limit anywhere
}

// full returns the reason why there is no room for one more lesson, or "" if there is. A
// line that the owner writes by hand may exceed the budget: the oldest lines are then left
// out of prompts, and the prompt says so.
func (r room) full(t Target, text memorytext.Text, lesson string, hand bool) string {
	name, most := filepath.Base(folder("").path(t)), 0
	switch t.Kind {
	case TargetPerson:
		most = r.person
	case TargetServer:
		most = r.server
	}
	if most != 0 {
		if lines := len(text.Bullets()); lines >= most {
			return fmt.Sprintf("%s holds %d lines of %d", name, lines, max(most, 0))
		}
	}
	if hand || r.budget == nil {
		return ""
	}
	budget, size := r.budget(t), memorytext.Size(strings.Join(text.Lines, "\n"))
	if budget <= 0 || size+utf8.RuneCountInString("\n- "+lesson) <= budget {
		return ""
	}
	return fmt.Sprintf("%s holds %d characters of %d", name, size, budget)
}

// findLine finds the one bullet with these words, first exactly and then ignoring case.
func findLine(text memorytext.Text, words, file string) (memorytext.Item, error) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		var found []memorytext.Item
		for _, it := range text.Items {
			if b, ok := it.Bullet(); ok && same(b.Text, words) {
				found = append(found, it)
			}
		}
		switch len(found) {
		case 1:
			return found[0], nil
		case 0:
		default:
			return memorytext.Item{}, fmt.Errorf("%w: %d lines of %s are %q; remove the others by hand", ErrNoLine, len(found), file, words)
		}
	}
	return memorytext.Item{}, fmt.Errorf("%w: no line of %s is %q; copy its words exactly", ErrNoLine, file, words)
}

// changeLine replaces or removes the one line that a proposal is about. All other bytes
// stay as they are. The caller holds the lock.
func (s *store) changeLine(p Proposal) (Written, error) {
	w := Written{Path: s.Path(p.Target), Text: p.Text, Old: p.Old, Target: p.Target}
	back := undo{Target: p.Target}
	var written []byte
	err := s.files.Edit(w.Path, func(raw []byte) ([]byte, error) {
		text := memorytext.ParseBytes(raw)
		it, err := findLine(text, p.Old, filepath.Base(w.Path))
		if err != nil {
			return nil, err
		}
		if dup, found := findDuplicate(text, p.Text); found && p.Text != "" && dup.Line != it.First+1 {
			return nil, fmt.Errorf("%w: line %d of %s: %q", ErrDuplicate, dup.Line, filepath.Base(w.Path), dup.Text)
		}
		bullet := ""
		if p.Text != "" {
			bullet = memorytext.FormatLesson(p.Text, p.Session, time.Now())
		}
		written, back.Line, back.Old = it.Replace(raw, bullet)
		back.After, back.At = text.Above(it), it.First
		w.Line = it.First + 1
		if p.Text != "" && !memorytext.ParseBytes(written).HasBullet(w.Line, p.Text) {
			return nil, fmt.Errorf("line %d of %s can't be replaced where it stands; change it by hand", w.Line, filepath.Base(w.Path))
		}
		return written, nil
	})
	if err != nil {
		return Written{}, err
	}
	if err := readChangeBack(w, written); err != nil {
		return Written{}, err
	}
	w.UndoID = s.undos.keep(back)
	return w, nil
}

// readChangeBack verifies that the change is on disk.
func readChangeBack(w Written, written []byte) error {
	if w.Text != "" {
		return readBack(w, written)
	}
	raw, _, err := wholefile.ReadText(w.Path)
	if err != nil {
		return fmt.Errorf("reading the memory back: %w", wholefile.Explain("reading "+filepath.Base(w.Path), err))
	}
	if !bytes.Equal(raw, written) && memorytext.ParseBytes(raw).HasBullet(0, w.Old) {
		return fmt.Errorf("the line is still in %s after removing it; look at the file and try again", filepath.Base(w.Path))
	}
	return nil
}

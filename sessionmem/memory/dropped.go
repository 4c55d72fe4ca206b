package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
)

// Dropped is a line that the app has remembered and that is in no memory file any more:
// another program saved the file without it. Nothing puts it back but Restore, and it is
// in no prompt.
type Dropped struct {
	ID     string
	Target Target
	Path   string
	Text   string
	From   string // where it was learnt: "2026-11-21 cpu-k3x9qa"
}

// ErrNothingDropped: no remembered line is missing.
var ErrNothingDropped = errors.New("every remembered line is still in its file")

// ErrUnknownDropped: the ID is not that of a missing line.
var ErrUnknownDropped = errors.New("no missing line has the ID")

// Dropped gives the remembered lines that other programs' saves took out, the oldest
// first. A line that was reworded or moved to another memory file is not among them. A
// file that is being saved right now is left out until that is over.
func (m *Memory) Dropped() []Dropped {
	lines := m.files.Journal().Lines()
	var all []File // read where a line is missing
	files := map[string]*remembered{}
	var out []Dropped
	for _, l := range lines {
		f, ok := files[l.File]
		if !ok {
			f = m.remembered(l.File, lines)
			files[l.File] = f
		}
		b := memorytext.BulletOf(l.Line)
		if f == nil || f.says(b) {
			continue
		}
		if all == nil {
			all, _ = m.List() // a folder that can't be read holds nothing that was moved there
		}
		elsewhere := func(o File) bool {
			return slices.ContainsFunc(o.Bullets, func(other memorytext.Bullet) bool { return other.Text == b.Text })
		}
		if slices.ContainsFunc(all, elsewhere) || m.forgotten.HasIn(b.Session(), b.Text) {
			continue
		}
		out = append(out, Dropped{ID: l.ID, Target: f.target, Path: f.path, Text: b.Text, From: b.From})
	}
	return out
}

// remembered is a memory file with what tells whether it says a remembered line.
type remembered struct {
	target   Target
	path     string
	text     memorytext.Text
	bullets  map[string]bool     // what its lines say
	reworded map[string][]string // by origin: lines of it that the app did not write so
}

// remembered reads a file of the journal; nil where nothing can be said of it now.
func (m *Memory) remembered(file string, lines []sharedfile.Line) *remembered {
	path := filepath.Join(string(m.root), filepath.FromSlash(file))
	t, ok := m.root.targetAt(path)
	if !ok {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil // its agent was deleted, or the folder is away
	}
	f, err := m.Load(t)
	if err != nil || f.Saving {
		return nil
	}
	r := &remembered{target: t, path: path, text: memorytext.Parse(f.Text), bullets: map[string]bool{}, reworded: map[string][]string{}}
	written := map[string]bool{}
	for _, l := range lines {
		if l.File == file {
			written[l.Text()] = true
		}
	}
	for _, b := range f.Bullets {
		r.bullets[b.Text] = true
		if b.From != "" && !written[b.Text] {
			r.reworded[b.From] = append(r.reworded[b.From], b.Text)
		}
	}
	return r
}

// says reports whether the file still says a line, in these words or others.
func (r *remembered) says(b memorytext.Bullet) bool {
	if r.bullets[b.Text] {
		return true
	}
	others := r.reworded[b.From]
	if i := slices.IndexFunc(others, func(other string) bool { return shareAWord(other, b.Text) }); i >= 0 {
		r.reworded[b.From] = slices.Delete(others, i, i+1)
		return true
	}
	_, found := findDuplicate(r.text, b.Text)
	return found
}

// shareAWord reports whether two lines may be about the same: they have a longer word in
// common.
func shareAWord(a, b string) bool {
	words := strings.Fields(strings.ToLower(b))
	return slices.ContainsFunc(strings.Fields(strings.ToLower(a)), func(w string) bool {
		return utf8.RuneCountInString(w) > 3 && slices.Contains(words, w)
	})
}

// chosen are the journal's lines of these ids that are missing; all where there is none.
func (m *Memory) chosen(ids []string) ([]sharedfile.Line, error) {
	var missing []string
	for _, d := range m.Dropped() {
		missing = append(missing, d.ID)
	}
	for _, id := range ids {
		if !slices.Contains(missing, id) {
			return nil, fmt.Errorf("%w %q", ErrUnknownDropped, id)
		}
	}
	if len(missing) == 0 {
		return nil, ErrNothingDropped
	}
	if len(ids) == 0 {
		ids = missing
	}
	var list []sharedfile.Line
	for _, l := range m.files.Journal().Lines() {
		if slices.Contains(ids, l.ID) {
			list = append(list, l)
		}
	}
	return list, nil
}

// Restore puts dropped lines back where they stood, those of the ids or all; one undo
// takes them out again. After an error those it gives are back. Errors:
// ErrNothingDropped, sharedfile.ErrSaving, or of the disk.
func (m *Memory) Restore(ctx context.Context, ids ...string) ([]Written, error) {
	unlock, err := m.files.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	lines, err := m.chosen(ids)
	if err != nil {
		return nil, err
	}
	var written []Written
	var undos []undo
	for _, l := range lines {
		var w Written
		var u undo
		if w, u, err = m.restore(ctx, l); err != nil {
			break
		}
		written, undos = append(written, w), append(undos, u)
	}
	if len(undos) > 0 {
		id := m.undos.keep(undos...)
		for i := range written {
			written[i].UndoID = id
		}
	}
	return written, err
}

// restore puts one line back; the lock is held.
func (m *Memory) restore(ctx context.Context, l sharedfile.Line) (Written, undo, error) {
	path := m.files.Journal().PathOf(l)
	target, _ := m.root.targetAt(path)
	w := Written{Path: path, Text: l.Text(), Target: target}
	added := ""
	err := m.files.Edit(ctx, path, func(raw []byte) ([]byte, error) {
		text := memorytext.ParseBytes(raw)
		var out []byte
		if i := slices.Index(text.Lines, l.After); i >= 0 && strings.TrimSpace(l.After) != "" {
			old := strings.ReplaceAll(l.Line+"\n", "\n", memorytext.LineEnd(raw))
			out, added = memorytext.Change{Old: []byte(old), After: l.After, At: i + 1}.Reinsert(raw), l.Line
		} else {
			out, _, added = text.Insert(raw, memorytext.WithoutSign(l.Line))
		}
		for _, b := range memorytext.ParseBytes(out).Bullets() {
			if b.Text == w.Text {
				w.Line = b.Line
				return out, nil
			}
		}
		return nil, fmt.Errorf("%s has no place for the line: it ends within a code block or a comment; close it, then try again", filepath.Base(path))
	})
	return w, undo{Target: target, Change: memorytext.Change{Line: added}}, err
}

// KeepRemoved takes the removal of dropped lines, those of the ids or all, for what the
// user wants: nothing tells of them any more, and no model writes them again. Errors:
// ErrNothingDropped, or of the disk.
func (m *Memory) KeepRemoved(ctx context.Context, ids ...string) error {
	unlock, err := m.files.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	lines, err := m.chosen(ids)
	if err != nil {
		return err
	}
	return m.files.Journal().KeepRemoved(lines)
}

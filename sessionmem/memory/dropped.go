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

// Dropped is a line that the app remembered and that is no longer in any memory file,
// because another program saved the file without it. Only Restore puts it back, and no
// prompt contains it.
type Dropped struct {
	ID     string
	Target Target
	Path   string
	Text   string
	From   string // where it was learned: "2026-11-21 cpu-k3x9qa"
}

// ErrNothingDropped means that no remembered line is missing.
var ErrNothingDropped = errors.New("every remembered line is still in its file")

// ErrUnknownDropped means that the ID doesn't belong to a missing line.
var ErrUnknownDropped = errors.New("no missing line has the ID")

// Dropped returns the remembered lines that other programs' saves removed, oldest first. It
// doesn't return lines that were reworded or moved to another memory file. Files that are
// being saved at the moment are left out until the save is complete.
func (m *Memory) Dropped() []Dropped { return m.dropped(m.stable) }

func (m *Memory) dropped(read reader) []Dropped {
	lines := m.files.Journal().Lines()
	var all []File // read only if a line is missing
	files := map[string]*remembered{}
	var out []Dropped
	for _, l := range lines {
		f, ok := files[l.File]
		if !ok {
			f = m.remembered(read, l.File, lines)
			files[l.File] = f
		}
		b := memorytext.BulletOf(l.Line)
		if f == nil || f.has(b) {
			continue
		}
		if all == nil {
			all, _ = m.list(read) // if a folder can't be read, no line was moved to it
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

// remembered is a memory file, with what it takes to tell whether it still has a line.
type remembered struct {
	target   Target
	path     string
	text     memorytext.Text
	bullets  map[string]bool     // the texts of its bullets
	reworded map[string][]string // by origin: lines that the app didn't write with these words
}

// remembered reads a file of the journal. It returns nil if the file can't be judged now.
func (m *Memory) remembered(read reader, file string, lines []sharedfile.Line) *remembered {
	path := filepath.Join(string(m.root), filepath.FromSlash(file))
	t, ok := m.root.targetAt(path)
	if !ok {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil // the agent was deleted, or the folder is unavailable
	}
	f, err := m.load(t, read)
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
		r.bullets[b.Head] = true // a person may have written more below it
		if b.From != "" && !written[b.Text] && !written[b.Head] {
			r.reworded[b.From] = append(r.reworded[b.From], b.Text)
		}
	}
	return r
}

// has reports whether the file still has a line, with the same words or reworded.
func (r *remembered) has(b memorytext.Bullet) bool {
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

// shareAWord reports whether two lines may be about the same thing: they have a word of
// more than three letters in common.
func shareAWord(a, b string) bool {
	words := strings.Fields(strings.ToLower(b))
	return slices.ContainsFunc(strings.Fields(strings.ToLower(a)), func(w string) bool {
		return utf8.RuneCountInString(w) > 3 && slices.Contains(words, w)
	})
}

// chosen returns the missing lines with these IDs from the journal, or all missing lines if
// there are no IDs.
func (m *Memory) chosen(read reader, ids []string) ([]sharedfile.Line, error) {
	var missing []string
	for _, d := range m.dropped(read) {
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

// Restore puts the dropped lines with these IDs, or all if there are none, back below the
// app's own heading. One undo removes them again. If it fails, the lines it returns are back
// nevertheless. Errors: ErrNothingDropped, ErrUnknownDropped, sharedfile.ErrLater, or
// errors of the disk.
func (m *Memory) Restore(ctx context.Context, ids ...string) ([]Written, error) {
	lines, err := m.chosen(m.stable, ids)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, l := range lines {
		paths = append(paths, m.files.Journal().PathOf(l))
	}
	unlock, err := m.files.LockStill(ctx, paths...)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if lines, err = m.chosen(m.files.Read, ids); err != nil { // an editor may have put some back meanwhile
		return nil, err
	}
	var written []Written
	var undos []undo
	for _, l := range lines {
		var w Written
		var u undo
		if w, u, err = m.restore(l); err != nil {
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

// restore puts one line back. The caller holds the lock.
func (m *Memory) restore(l sharedfile.Line) (Written, undo, error) {
	path := m.files.Journal().PathOf(l)
	target, _ := m.root.targetAt(path)
	w := Written{Path: path, Text: l.Text(), Target: target}
	var change memorytext.Change
	err := m.files.Edit(path, func(raw []byte) (out []byte, err error) {
		out, change = memorytext.ParseBytes(raw).Append(raw, memorytext.WithoutSign(l.Line))
		w.Line = change.At + 1
		return out, nil
	})
	return w, undo{target, change}, err
}

// KeepRemoved records that the user wants the dropped lines with these IDs, or all if there
// are none, to stay removed: they are no longer reported, and no model writes them again.
// Errors: ErrNothingDropped, ErrUnknownDropped, or errors of the disk.
func (m *Memory) KeepRemoved(ctx context.Context, ids ...string) error {
	unlock, err := m.files.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	lines, err := m.chosen(m.files.Read, ids)
	if err != nil {
		return err
	}
	return m.files.Journal().KeepRemoved(lines)
}

// Key returns a random key of the data folder, for hashes of lines that stand where others may read
// them. If none can be written, the key is one of this process.
func (m *Memory) Key(ctx context.Context) string {
	journal := m.files.Journal()
	if key := journal.Key(); key != "" {
		return key
	}
	unlock, err := m.files.Lock(ctx)
	if err == nil {
		defer unlock()
		err = journal.MakeKey()
	}
	if key := journal.Key(); key != "" {
		return key
	}
	m.logger.Warn("no key of the memory could be kept", "err", err)
	return m.spare
}

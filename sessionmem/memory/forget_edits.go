package memory

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// forgetUndo drops the changes that hold what is meant: they can't be undone any
// more. The lock is held.
func (m *Memory) forgetUndo(t *forgotten.Traces, dry bool) []forgotten.Touched {
	raw, _, err := wholefile.ReadText(m.undoPath())
	if err != nil {
		return nil // none was made yet
	}
	goes := func(id string) bool {
		changes, ok := parseUndo(id)
		return ok && slices.ContainsFunc(changes, func(u undo) bool {
			return t.Holds(u.Line) || t.Holds(u.After) || t.HoldsRaw(u.Old) || t.GoesAsLesson(memorytext.BulletOf(u.Line).Text) || t.GoesAsLesson(memorytext.BulletOf(string(u.Old)).Text)
		})
	}
	if !slices.ContainsFunc(strings.Fields(string(raw)), goes) {
		return nil
	}
	touched := forgotten.Touched{Place: "undo", Action: forgotten.Removed, Path: m.undoPath()}
	if !dry {
		err := m.rewrite(m.undoPath(), func(raw []byte) ([]byte, error) {
			return []byte(strings.Join(append(slices.DeleteFunc(strings.Fields(string(raw)), goes), ""), "\n")), nil
		})
		if err != nil {
			touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
		}
	}
	return []forgotten.Touched{touched}
}

// forgetEdits forgets in edits that wait to be saved. The lock is held.
func (m *Memory) forgetEdits(t *forgotten.Traces, dry bool) []forgotten.Touched {
	dir := filepath.Join(m.root, "agents", unsavedDir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is none
	}
	var found []forgotten.Touched
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		raw, _, err := wholefile.ReadText(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			found = append(found, forgotten.Touched{Place: "unsaved edit", Action: forgotten.Refused, Path: file, Why: wholefile.WhyNot(err)})
		}
		if err != nil || !t.HoldsRaw(raw) && !m.editHoldsLesson(t, raw) {
			continue
		}
		if t.IsForGuest() && !m.editIsShared(raw) {
			continue
		}
		touched := forgotten.Touched{Place: "unsaved edit", Action: forgotten.Removed, Path: file}
		if !dry {
			if err := m.cleanEdit(t, file, raw); err != nil {
				touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
			}
		}
		found = append(found, touched)
	}
	return found
}

func (m *Memory) editIsShared(raw []byte) bool {
	var u Unsaved
	return json.Unmarshal(raw, &u) == nil && m.isShared(u.Path)
}

func (m *Memory) editHoldsLesson(t *forgotten.Traces, raw []byte) bool {
	var u Unsaved
	if json.Unmarshal(raw, &u) != nil {
		return false
	}
	return slices.ContainsFunc(memorytext.Parse(u.Base+"\n"+u.Text).Bullets(), func(b memorytext.Bullet) bool { return t.GoesAsLesson(b.Text) })
}

// cleanEdit takes the lines out of an edit, and out of the text that it began with:
// saving it then changes nothing that was forgotten. One that can't be read goes.
func (m *Memory) cleanEdit(t *forgotten.Traces, file string, raw []byte) error {
	var u Unsaved
	if json.Unmarshal(raw, &u) != nil {
		return os.Remove(file)
	}
	for _, text := range []*string{&u.Base, &u.Text} {
		f := &forgetLines{m: m, t: t, path: u.Path}
		*text = string(f.clean([]byte(*text)))
	}
	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	if !t.IsForGuest() && t.HoldsRaw(data) {
		return os.Remove(file)
	}
	return m.rewrite(file, func([]byte) ([]byte, error) { return data, nil })
}

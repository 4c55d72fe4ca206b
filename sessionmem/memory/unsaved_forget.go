package memory

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// forgetUnsaved removes matching text from unsaved edits. The caller holds the lock.
func (e *Edits) forgetUnsaved(t *forgotten.Traces, dry bool) []forgotten.Touched {
	dir := e.s.root.unsaved()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is none
	}
	var found []forgotten.Touched
	for _, entry := range entries {
		file := filepath.Join(dir, entry.Name())
		raw, _, err := wholefile.ReadText(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			found = append(found, forgotten.Touched{Place: "unsaved edit", Action: forgotten.Refused, Path: file, Why: wholefile.WhyNot(err)})
		}
		if err != nil || !t.HoldsRaw(raw) && !editHoldsLesson(t, raw) {
			continue
		}
		if t.Own().Guest && !e.isShared(raw) {
			continue
		}
		touched := forgotten.Touched{Place: "unsaved edit", Action: forgotten.Removed, Path: file}
		if !dry {
			if err := e.clean(t, file, raw); err != nil {
				touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
			}
		}
		found = append(found, touched)
	}
	return found
}

func (e *Edits) isShared(raw []byte) bool {
	var u Unsaved
	return json.Unmarshal(raw, &u) == nil && e.s.root.isShared(u.Path)
}

func editHoldsLesson(t *forgotten.Traces, raw []byte) bool {
	var u Unsaved
	if json.Unmarshal(raw, &u) != nil {
		return false
	}
	return slices.ContainsFunc(memorytext.Parse(u.Base+"\n"+u.Text).Bullets(), func(b memorytext.Bullet) bool { return t.GoesAsLesson(b.Text) })
}

// clean removes the lines from an edit and from the text it began with, so that saving the
// edit doesn't bring anything back. An edit that can't be read is deleted.
func (e *Edits) clean(t *forgotten.Traces, file string, raw []byte) error {
	var u Unsaved
	if json.Unmarshal(raw, &u) != nil {
		return os.Remove(file)
	}
	for _, text := range []*string{&u.Base, &u.Text} {
		f := &pass{s: e.s.sieve, t: t, path: u.Path}
		*text = string(f.clean([]byte(*text)))
	}
	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	if !t.Own().Guest && t.HoldsRaw(data) {
		return os.Remove(file)
	}
	return e.s.files.Rewrite(file, func([]byte) ([]byte, error) { return data, nil })
}

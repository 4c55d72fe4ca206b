package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// unsavedDir holds the edits that were begun in the window and not saved, one file each.
const unsavedDir = ".unsaved"

// Unsaved is an edit that isn't saved yet. It survives closing the window and the app.
type Unsaved struct {
	Path string    `json:"path"`
	Base string    `json:"base"` // the file's text when the edit began
	Text string    `json:"text"`
	Time time.Time `json:"time"`
}

func (e *Edits) unsavedPath(path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(e.s.root.unsaved(), hex.EncodeToString(sum[:8])+".json")
}

// KeepUnsaved writes an edit to disk. It replaces an earlier one of the same file.
func (e *Edits) KeepUnsaved(u Unsaved) error {
	data, err := json.Marshal(u)
	if err != nil {
		return fmt.Errorf("keeping an unsaved edit: %w", err)
	}
	file := e.unsavedPath(u.Path)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return wholefile.Explain("keeping an unsaved edit", err)
	}
	was, err := os.Stat(file)
	if err != nil {
		was = nil
	}
	done, err := wholefile.Replace(file, data, was)
	if err == nil && !done {
		err = errors.New("another window is editing the same file; close one of them")
	}
	return wholefile.Wrap("keeping an unsaved edit of "+filepath.Base(u.Path), err)
}

// DropUnsaved deletes an edit that was saved or abandoned.
func (e *Edits) DropUnsaved(path string) error {
	err := os.Remove(e.unsavedPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return wholefile.Wrap("forgetting an unsaved edit", err)
}

// AllUnsaved returns the unsaved edits by path. An edit that can't be read stays where it
// is and is reported in the error, beside the others.
func (e *Edits) AllUnsaved() (map[string]Unsaved, error) {
	dir := e.s.root.unsaved()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wholefile.Explain("reading unsaved edits", err)
	}
	all := map[string]Unsaved{}
	var errs []error
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") || filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		var u Unsaved
		data, _, err := wholefile.ReadRaw(filepath.Join(dir, entry.Name()))
		if err == nil {
			err = json.Unmarshal(data, &u)
		}
		if err == nil && !wholefile.IsWithin(filepath.Clean(u.Path), string(e.s.root)) {
			err = errors.New("it is of another data folder")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("reading the unsaved edit %s: %w", filepath.Join(dir, entry.Name()), err))
			continue
		}
		if cleaned, changed := e.s.sieve.since(u); changed {
			u = cleaned
			errs = append(errs, e.KeepUnsaved(u))
		}
		all[u.Path] = u
	}
	return all, errors.Join(errs...)
}

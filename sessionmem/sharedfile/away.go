package sharedfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mac-stats/sessionmem/wholefile"
)

// A missing file is not an empty one: its vault isn't mounted, a sync program has put a
// placeholder in its place, or somebody has renamed it. Until it is back, or the person says
// that it begins anew, it is neither read as empty nor written.

// away returns an ErrAway that says where a missing file may be; nil if it has never been
// there. The caller has seen that the file is missing.
func (f *Files) away(path string) error {
	base := filepath.Base(path)
	if real, err := wholefile.Through(path); err == nil && real != path {
		return fmt.Errorf("%w: %s is a link to %s, which isn't there; put it back, or begin anew with `mac-stats memory begin`", ErrAway, base, real)
	}
	if !f.p.Journaled(path) {
		return nil
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil //nolint:nilerr // without its folder it never was there, or its agent was deleted
	}
	var beside []string
	for _, e := range entries {
		if name := e.Name(); strings.Contains(strings.ToLower(name), strings.ToLower(base)) && !wholefile.IsTempName(name) {
			beside = append(beside, name)
		}
	}
	switch {
	case len(beside) > 0:
		return fmt.Errorf("%w: instead of %s there is %s; rename it, or begin anew with `mac-stats memory begin`", ErrAway, base, strings.Join(beside, ", "))
	case f.knows(path):
		return fmt.Errorf("%w: %s was there before; put it back, or begin anew with `mac-stats memory begin`", ErrAway, path)
	}
	return nil
}

// knows reports whether the file was there before.
func (f *Files) knows(path string) bool {
	f.mu.Lock()
	_, read := f.read[path]
	f.mu.Unlock()
	return read || slices.Contains(f.journal.known(), path)
}

// Known returns the paths of the files that this process or an earlier one has read or
// written.
func (f *Files) Known() []string { return f.journal.known() }

// unseen returns the files that were read and that the journal doesn't know yet.
func (f *Files) unseen() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var paths []string
	known := f.journal.known()
	for path, k := range f.read {
		if k.Stat != nil && k.Stat.Size() > 0 && f.p.Journaled(path) && !slices.Contains(known, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Begin creates an empty file in the place of one that is missing, because the person
// doesn't expect it back. The caller holds the lock.
func (f *Files) Begin(path string) error {
	real, err := f.ownFile(path)
	if err == nil {
		err = wholefile.Create(real, nil, 0o600)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there: nothing to begin", path)
	}
	if err != nil {
		return wholefile.Wrap("beginning "+path, err)
	}
	return f.noteEdit(path, real, nil, nil, true) // otherwise it looks like a file that an editor has just emptied
}

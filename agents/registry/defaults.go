package registry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mac-stats/sessionmem/wholefile"
)

// shippedFile records what was installed.
const shippedFile = ".shipped.json"

// shipped maps each path below the data folder to the hash of what was last written
// there. It distinguishes a file the user deleted from a new one, and a file the user
// edited from one that may be upgraded.
type shipped struct {
	Version int               `json:"version"`
	Files   map[string]string `json:"files"`
}

// shippedFolder installs what the app ships into the data folder. It never reads an
// agent.
type shippedFolder struct {
	root   string // the data folder
	assets fs.FS
}

func (d shippedFolder) agentsDir() string { return filepath.Join(d.root, "agents") }

// InstallDefaults writes the shipped agents, skills, soul.md and the rest if they are
// missing, and upgrades files that were shipped before and never edited. It never
// overwrites a user's file; a shipped agent or file that the user deleted stays deleted.
// A folder that is no longer shipped is removed if nobody touched it. A folder of
// another origin (the Rust app's agent-002) is left alone. A file that can't be written
// doesn't stop the others: the errors are joined.
func (r *Registry) InstallDefaults(ctx context.Context) error {
	d := r.shipped
	files, err := d.shippedFiles()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(d.agentsDir(), 0o700); err != nil {
		return fmt.Errorf("make the agents folder: %w", err)
	}
	// Two processes that start in a new folder would overwrite each other's files. Without the
	// lock, as in a folder that can't be written, the files say what is wrong.
	if lock := wholefile.NewLock(filepath.Join(d.agentsDir(), ".shipped.lock")); wholefile.TakeLock(ctx, lock) == nil {
		defer func() { _ = lock.Unlock() }() // the process releases it when it ends
	}
	state, err := d.loadShipped()
	if err != nil {
		return err
	}
	before := len(state.Files)
	var errs []error
	changed := false
	skip := d.skippedUnits(files, state)
	for _, f := range files {
		if ctx.Err() != nil {
			errs = append(errs, ctx.Err())
			break
		}
		if skip[f.unit] {
			continue
		}
		done, err := d.install(f, state)
		errs = append(errs, err)
		changed = changed || done
	}
	errs = append(errs, d.retire(files, state))
	if changed || len(state.Files) != before {
		errs = append(errs, d.saveShipped(state))
	}
	return errors.Join(errs...)
}

// retire removes the folders that an older version shipped and this one doesn't, if they
// hold only unedited shipped files. The other such folders now belong to the user.
func (d shippedFolder) retire(files []defaultFile, state *shipped) error {
	var errs []error
	units := map[string]bool{"": true}
	for _, f := range files {
		units[f.unit] = true
	}
	for name := range maps.Clone(state.Files) {
		unit := unitOf(name)
		if units[unit] {
			continue
		}
		units[unit] = true
		if d.untouched(unit, state) {
			errs = append(errs, os.RemoveAll(d.onDisk(unit)))
		}
		maps.DeleteFunc(state.Files, func(name, _ string) bool { return unitOf(name) == unit })
	}
	return errors.Join(errs...)
}

// untouched reports whether a folder holds only unedited shipped files.
func (d shippedFolder) untouched(unit string, state *shipped) bool {
	same := true
	err := filepath.WalkDir(d.onDisk(unit), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(d.root, file)
		if err != nil || !entry.Type().IsRegular() {
			same = false
			return err
		}
		data, err := readRegular(file)
		same = same && hashOf(data) == state.Files[filepath.ToSlash(rel)]
		return err
	})
	return err == nil && same
}

// defaultFile is one asset.
type defaultFile struct {
	name string // slash path below the data folder
	unit string // the agent's or skill's folder it belongs to; "" for a single file
	data []byte
	hash string
}

// shippedFiles reads agents/ and skills/ from the assets, sorted by name.
func (d shippedFolder) shippedFiles() ([]defaultFile, error) {
	var files []defaultFile
	for _, top := range []string{"agents", "skills"} {
		err := fs.WalkDir(d.assets, top, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
				return err
			}
			data, err := fs.ReadFile(d.assets, name)
			files = append(files, defaultFile{name: name, unit: unitOf(name), data: data, hash: hashOf(data)})
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the built-in %s: %w", top, err)
		}
	}
	return files, nil
}

// unitOf returns agents/agent-002 for agents/agent-002/skill.md, and "" for
// agents/soul.md.
func unitOf(name string) string {
	parts := strings.Split(name, "/")
	if len(parts) < 3 {
		return ""
	}
	return path.Join(parts[:2]...)
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func (d shippedFolder) onDisk(name string) string {
	return filepath.Join(d.root, filepath.FromSlash(name))
}

// skippedUnits returns the folders to leave alone: those the user deleted after the
// installation, and those that exist but weren't installed by the app.
func (d shippedFolder) skippedUnits(files []defaultFile, state *shipped) map[string]bool {
	skip := map[string]bool{}
	for _, f := range files {
		if f.unit == "" {
			continue
		}
		_, err := os.Lstat(d.onDisk(f.unit))
		switch ours := state.holds(f.unit); {
		case ours && errors.Is(err, fs.ErrNotExist):
			skip[f.unit] = true
		case !ours && err == nil && d.differs(f):
			skip[f.unit] = true
		}
	}
	return skip
}

// holds reports whether the app installed any file of the folder.
func (s *shipped) holds(unit string) bool {
	for name := range s.Files {
		if strings.HasPrefix(name, unit+"/") {
			return true
		}
	}
	return false
}

// differs reports whether the file exists with other content. A file that can't be read
// counts as different.
func (d shippedFolder) differs(f defaultFile) bool {
	data, err := readRegular(d.onDisk(f.name))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || !bytes.Equal(data, f.data)
}

// install brings one file up to date and reports whether the file or the state changed.
func (d shippedFolder) install(f defaultFile, state *shipped) (bool, error) {
	target, was := d.onDisk(f.name), state.Files[f.name]
	data, err := readRegular(target)
	switch {
	case err == nil && hashOf(data) == f.hash:
		state.Files[f.name] = f.hash
		return was != f.hash, nil
	case err == nil && (was == "" || hashOf(data) != was):
		return false, nil // the user's
	case err != nil && !isMissing(target):
		return false, fmt.Errorf("read %s: %w", f.name, withoutPath(err))
	case err != nil && was != "":
		return false, nil // deleted by the user
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return false, fmt.Errorf("install %s: %w", f.name, err)
	}
	if err := writeThrough(target, f.data); err != nil {
		return false, fmt.Errorf("install %s: %w", f.name, err)
	}
	state.Files[f.name] = f.hash
	return true, nil
}

// maxShipped limits the size of a shipped file after people have edited it, in bytes.
const maxShipped = 16 << 20

// readRegular reads a regular file; opening a pipe would block forever.
func readRegular(path string) ([]byte, error) {
	data, err := wholefile.Read(path, maxShipped)
	if errors.Is(err, wholefile.ErrNotFile) {
		return nil, errNotRegular
	}
	return data, err
}

// isMissing reports that nothing exists at path, not even a dangling link.
func isMissing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// loadShipped reads what was installed before. A state file that can't be read is an
// error, because guessing would bring deleted agents back.
func (d shippedFolder) loadShipped() (*shipped, error) {
	state := &shipped{Version: 1, Files: map[string]string{}}
	file := filepath.Join(d.agentsDir(), shippedFile)
	data, err := wholefile.Read(file, maxShipped)
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was installed: %w", err)
	}
	if err := json.Unmarshal(data, state); err != nil || state.Files == nil {
		return nil, fmt.Errorf("%s is damaged; remove it to have the shipped agents written again where missing", file)
	}
	return state, nil
}

func (d shippedFolder) saveShipped(state *shipped) error {
	data, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return fmt.Errorf("remember what was installed: %w", err)
	}
	if err := writeThrough(filepath.Join(d.agentsDir(), shippedFile), append(data, '\n')); err != nil {
		return fmt.Errorf("remember what was installed: %w", err)
	}
	return nil
}

// writeThrough replaces a file atomically, following a symlink, with mode 0600.
func writeThrough(path string, data []byte) error {
	target, err := wholefile.Through(path)
	if err != nil {
		return err
	}
	return wholefile.Write(target, data, 0o600)
}

// shippedIDs returns the IDs of the agents that can be reset, sorted.
func shippedIDs(files []defaultFile) []string {
	var ids []string
	for _, f := range files {
		if id, ok := strings.CutPrefix(f.unit, "agents/agent-"); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

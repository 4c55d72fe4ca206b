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

// shippedFile is where it is remembered what was installed.
const shippedFile = ".shipped.json"

// shipped remembers, by path below the data folder, the hash of what was written
// there last. It tells a file the user deleted from one that is new, and a file
// the user edited from one that may be upgraded.
type shipped struct {
	Version int               `json:"version"`
	Files   map[string]string `json:"files"`
}

// InstallDefaults writes shipped agents, skills, soul.md and the rest where
// missing, and upgrades what was shipped before and never edited. A user's file
// is never overwritten; a shipped agent or file the user deleted stays deleted; one that
// is no longer shipped goes where nobody touched it;
// a folder of another origin (the Rust app's agent-002) is left as it is. A file
// that can't be written doesn't keep the others from it: the errors are joined.
func (r *Registry) InstallDefaults(ctx context.Context) error {
	files, err := r.shippedFiles()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.agentsDir(), 0o700); err != nil {
		return fmt.Errorf("make the agents folder: %w", err)
	}
	state, err := r.loadShipped()
	if err != nil {
		return err
	}
	before := len(state.Files)
	var errs []error
	changed := false
	skip := r.skippedUnits(files, state)
	for _, f := range files {
		if ctx.Err() != nil {
			errs = append(errs, ctx.Err())
			break
		}
		if skip[f.unit] {
			continue
		}
		done, err := r.install(f, state)
		errs = append(errs, err)
		changed = changed || done
	}
	errs = append(errs, r.retire(files, state))
	if changed || len(state.Files) != before {
		errs = append(errs, r.saveShipped(state))
	}
	return errors.Join(errs...)
}

// retire removes the folders that came with an older version, are no longer shipped and
// hold nothing but what was: nobody made them theirs. Others are the user's from now on.
func (r *Registry) retire(files []defaultFile, state *shipped) error {
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
		if r.untouched(unit, state) {
			errs = append(errs, os.RemoveAll(r.onDisk(unit)))
		}
		maps.DeleteFunc(state.Files, func(name, _ string) bool { return unitOf(name) == unit })
	}
	return errors.Join(errs...)
}

// untouched reports whether a folder holds files as they were shipped, and nothing else.
func (r *Registry) untouched(unit string, state *shipped) bool {
	same := true
	err := filepath.WalkDir(r.onDisk(unit), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(r.root, file)
		if err != nil || !d.Type().IsRegular() {
			same = false
			return err
		}
		data, err := readRegular(file)
		same = same && hashOf(data) == state.Files[filepath.ToSlash(rel)]
		return err
	})
	return err == nil && same
}

// defaultFile is one file of the assets.
type defaultFile struct {
	name string // slash path below the data folder
	unit string // the agent's or skill's folder it belongs to; "" for a file by itself
	data []byte
	hash string
}

// shippedFiles reads agents/ and skills/ of the assets, sorted by name.
func (r *Registry) shippedFiles() ([]defaultFile, error) {
	var files []defaultFile
	for _, top := range []string{"agents", "skills"} {
		err := fs.WalkDir(r.defaults, top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
				return err
			}
			data, err := fs.ReadFile(r.defaults, name)
			files = append(files, defaultFile{name: name, unit: unitOf(name), data: data, hash: hashOf(data)})
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the built-in %s: %w", top, err)
		}
	}
	return files, nil
}

// unitOf gives agents/agent-002 for agents/agent-002/skill.md, "" for agents/soul.md.
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

func (r *Registry) onDisk(name string) string {
	return filepath.Join(r.root, filepath.FromSlash(name))
}

// skippedUnits are the folders to leave alone: deleted by the user since they
// were installed, or there already without having come from us.
func (r *Registry) skippedUnits(files []defaultFile, state *shipped) map[string]bool {
	skip := map[string]bool{}
	for _, f := range files {
		if f.unit == "" {
			continue
		}
		_, err := os.Lstat(r.onDisk(f.unit))
		switch ours := state.holds(f.unit); {
		case ours && errors.Is(err, fs.ErrNotExist):
			skip[f.unit] = true
		case !ours && err == nil && r.differs(f):
			skip[f.unit] = true
		}
	}
	return skip
}

// holds reports whether any file of the folder was installed before.
func (s *shipped) holds(unit string) bool {
	for name := range s.Files {
		if strings.HasPrefix(name, unit+"/") {
			return true
		}
	}
	return false
}

// differs reports whether the file is there with another content. One that
// cannot be read counts as another.
func (r *Registry) differs(f defaultFile) bool {
	data, err := readRegular(r.onDisk(f.name))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || !bytes.Equal(data, f.data)
}

// install brings one file up to date and reports whether it wrote or learnt
// anything.
func (r *Registry) install(f defaultFile, state *shipped) (bool, error) {
	target, was := r.onDisk(f.name), state.Files[f.name]
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

// maxShipped is how large a file that came with the app may be once people have edited
// it, in bytes.
const maxShipped = 16 << 20

// readRegular reads a file, and nothing else: opening a pipe would wait for ever.
func readRegular(path string) ([]byte, error) {
	data, err := wholefile.Read(path, maxShipped)
	if errors.Is(err, wholefile.ErrNotFile) {
		return nil, errNotRegular
	}
	return data, err
}

// isMissing reports that nothing is there, not even a link that leads nowhere.
func isMissing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// loadShipped reads what was installed before. A state file that can't be read
// is an error: to guess would bring deleted agents back.
func (r *Registry) loadShipped() (*shipped, error) {
	state := &shipped{Version: 1, Files: map[string]string{}}
	file := filepath.Join(r.agentsDir(), shippedFile)
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

func (r *Registry) saveShipped(state *shipped) error {
	data, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		return fmt.Errorf("remember what was installed: %w", err)
	}
	if err := writeThrough(filepath.Join(r.agentsDir(), shippedFile), append(data, '\n')); err != nil {
		return fmt.Errorf("remember what was installed: %w", err)
	}
	return nil
}

// writeThrough replaces a file at once, through a symlink if it is one, with mode
// 0600.
func writeThrough(path string, data []byte) error {
	target, err := wholefile.Through(path)
	if err != nil {
		return err
	}
	return wholefile.Write(target, data, 0o600)
}

// shippedIDs are the ids of the agents that can be reset, sorted.
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

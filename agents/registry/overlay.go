package registry

import (
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
	"time"

	"mac-stats/sessionmem/wholefile"
)

// What the app ships lies below the person's folder: a file of a shipped agent or skill
// is read from the assets unless the folder has it. A skill.md of one's own brings its
// examples.md and testing.md along: those of another skill don't fit it. soul.md,
// memory.md and reset-phrases.md are files that people own; Prepare writes them once.

// trashFolder holds what was deleted, reset or retired. It is in the agents folder.
const trashFolder = ".trash"

// recordFile records which files the app wrote, by their hash.
const recordFile = ".shipped.json"

// record is the recordFile. Version 1 also named the files of agents and skills, which
// were copied into the folder then.
type record struct {
	Version int               `json:"version"`
	Files   map[string]string `json:"files"` // path below the data folder → hash of what was written last
}

// shippedFiles reads agents/ and skills/ from the assets, by their path.
func shippedFiles(assets fs.FS) map[string]file {
	files := map[string]file{}
	for _, top := range []string{"agents", "skills"} {
		_ = fs.WalkDir(assets, top, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
				return nil //nolint:nilerr // what can't be read isn't shipped
			}
			data, err := fs.ReadFile(assets, name)
			if err == nil {
				files[name] = file{raw: data, text: NormalizeText(data)}
			}
			return nil //nolint:nilerr // the same
		})
	}
	return files
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

// named returns the path of a file below the data folder, with slashes.
func (r *Registry) named(file string) string {
	name, err := filepath.Rel(r.root, file)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(name)
}

// layered reads a file of an agent or a skill: the person's, or else the shipped one. A
// link that leads nowhere is the person's.
func (r *Registry) layered(path string) (file, error) {
	own, err := r.read(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return own, err
	}
	name := r.named(path)
	below, ok := r.shipped()[name]
	if !ok || unitOf(name) == "" || !isMissing(path) {
		return own, err
	}
	switch filepath.Base(path) {
	case "examples.md", "testing.md":
		if !isMissing(filepath.Join(filepath.Dir(path), "skill.md")) {
			return own, err
		}
	}
	return below, nil
}

// Text returns the text of one of an agent's files, its own or the shipped one.
func (r *Registry) Text(file string) (string, error) {
	f, err := r.layered(file)
	return f.text, err
}

// Ships reports whether the app ships an agent with that ID, or one of its files.
func (r *Registry) Ships(id string) bool {
	_, ok := r.shipped()["agents/agent-"+id+"/agent.json"]
	return ok
}

// shippedIDs returns the IDs of the shipped agents, sorted.
func (r *Registry) shippedIDs() []string {
	var ids []string
	for name := range r.shipped() {
		if id, ok := strings.CutPrefix(unitOf(name), "agents/agent-"); ok && path.Base(name) == "agent.json" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Customise copies the files of a shipped agent or skill into the person's folder, where
// they can be edited. It leaves alone what is there. The path is the agent's or the skill's.
func (r *Registry) Customise(ctx context.Context, file string) error {
	unit := unitOf(r.named(file) + "/x")
	missing := map[string][]byte{} // found before the first is written, as a skill.md hides shipped examples
	for name := range r.shipped() {
		target := filepath.Join(r.root, filepath.FromSlash(name))
		if f, err := r.layered(target); unitOf(name) == unit && err == nil && f.raw != nil {
			missing[target] = f.raw
		}
	}
	for _, target := range slices.Sorted(maps.Keys(missing)) {
		err := errors.Join(ctx.Err(), os.MkdirAll(filepath.Dir(target), 0o700))
		if err == nil {
			err = wholefile.Write(target, missing[target], 0o600)
		}
		if err != nil {
			return fmt.Errorf("customise %s: %w", path.Base(unit), err)
		}
	}
	return nil
}

// Reset puts a shipped agent back, or all of them and soul.md if the selector is "": the
// person's files move to the trash, all but the agent's memory. It returns where they are
// kept. The selector names a shipped agent, or the edited agent in its place.
func (r *Registry) Reset(ctx context.Context, selector string) (kept []string, err error) {
	ids, err := r.resetIDs(selector)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		trash, err := r.resetFolder(ctx, filepath.Join(r.agentsDir(), "agent-"+id))
		if trash != "" {
			kept = append(kept, trash)
		}
		if err != nil {
			return kept, fmt.Errorf("reset agent-%s: %w", id, err)
		}
	}
	soul, ok := r.shipped()["agents/soul.md"]
	if strings.TrimSpace(selector) != "" || !ok {
		return kept, nil
	}
	target := filepath.Join(r.agentsDir(), "soul.md")
	old, err := readRegular(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return kept, fmt.Errorf("reset soul.md: %w", err)
	case hashOf(old) == hashOf(soul.raw):
		return kept, nil
	default: // copied, because it may be a link
		trash, err := r.trashFor("soul.md")
		if err != nil {
			return kept, err
		}
		if err := wholefile.Write(trash, old, 0o600); err != nil {
			return kept, fmt.Errorf("keep the old soul.md: %w", err)
		}
		kept = append(kept, trash)
	}
	if err := writeThrough(target, soul.raw); err != nil {
		return kept, fmt.Errorf("reset soul.md: %w", err)
	}
	return kept, nil
}

// resetFolder moves an agent's files to the trash, all but its memory.
func (r *Registry) resetFolder(ctx context.Context, dir string) (trash string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) && isMissing(dir) {
		return "", nil
	}
	if err := errors.Join(err, ctx.Err()); err != nil {
		return "", err
	}
	var names []string
	for _, e := range entries {
		if e.Name() != "memory.md" {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return r.toTrash(dir, names)
}

// resetIDs resolves a selector among the shipped agents, then among the agents that are
// in their folders now.
func (r *Registry) resetIDs(selector string) ([]string, error) {
	ids := r.shippedIDs()
	if strings.TrimSpace(selector) == "" {
		return ids, nil
	}
	var builtIn, current []Agent
	var known []string
	for _, id := range ids {
		a := Agent{ID: id}
		if err := parseAgentJSON(r.shipped()["agents/agent-"+id+"/agent.json"].text, &a); err != nil {
			return nil, fmt.Errorf("built-in agent-%s: %w", id, err)
		}
		builtIn, known = append(builtIn, a), append(known, a.Slug)
	}
	for _, a := range r.Agents() {
		if r.Ships(a.ID) && a.HasFolder() {
			current = append(current, a)
		}
	}
	for _, list := range [][]Agent{builtIn, current} {
		if a, ok := Select(list, selector, anyAgent); ok {
			return []string{a.ID}, nil
		}
	}
	return nil, fmt.Errorf("only shipped agents can be reset: %w", noMatch(ErrNoAgent, selector, known))
}

// trashFor returns a free path in the trash for something of that name.
func (r *Registry) trashFor(name string) (string, error) {
	dir := filepath.Join(r.agentsDir(), trashFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	first := filepath.Join(dir, time.Now().Format("20060102-150405")+"-"+name)
	free := first
	for n := 2; !isMissing(free); n++ { // two in one second
		free = fmt.Sprintf("%s-%d", first, n)
	}
	return free, nil
}

// toTrash moves entries of a folder to the trash, and the folder itself if nothing is left
// in it. It moves all of them or none.
func (r *Registry) toTrash(dir string, names []string) (trash string, err error) {
	trash, err = r.trashFor(filepath.Base(dir))
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(entries) == len(names) {
		return trash, os.Rename(dir, trash)
	}
	if err := os.Mkdir(trash, 0o700); err != nil {
		return "", err
	}
	for i, name := range names {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(trash, name)); err != nil {
			for _, back := range names[:i] {
				err = errors.Join(err, os.Rename(filepath.Join(trash, back), filepath.Join(dir, back)))
			}
			return "", errors.Join(err, os.Remove(trash))
		}
	}
	return trash, nil
}

// Prepare writes soul.md, memory.md and reset-phrases.md if they were never there, and
// upgrades one that nobody edited. It moves to the trash what earlier versions copied into
// the folder and nobody edited; an agent or skill of these that the person deleted is
// switched off. It never overwrites a person's file. Only what writes anyway calls it:
// agents and skills can be read without it.
func (r *Registry) Prepare(ctx context.Context) error {
	var files []string // the shipped files that people own
	for name := range r.shipped() {
		if unitOf(name) == "" {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	settled := func(rec *record) bool {
		return rec.Version == 2 && !slices.ContainsFunc(files, func(name string) bool { return rec.Files[name] != hashOf(r.shipped()[name].raw) })
	}
	rec, err := r.loadRecord()
	if err != nil || settled(rec) {
		return err
	}
	if err := os.MkdirAll(r.agentsDir(), 0o700); err != nil {
		return fmt.Errorf("make the agents folder: %w", err)
	}
	// Two processes that start in a new folder would overwrite each other's files. Without the
	// lock, as in a folder that can't be written, the files say what is wrong.
	if lock := wholefile.NewLock(filepath.Join(r.agentsDir(), ".shipped.lock")); wholefile.TakeLock(ctx, lock) == nil {
		defer func() { _ = lock.Unlock() }() // the process releases it when it ends
	}
	if rec, err = r.loadRecord(); err != nil || settled(rec) || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	var errs []error
	next := &record{Version: 2, Files: map[string]string{}}
	for _, name := range files {
		if err := r.place(name, rec.Files[name]); err != nil {
			errs = append(errs, err)
			continue
		}
		next.Files[name] = hashOf(r.shipped()[name].raw)
	}
	unedited, err := r.translate(rec)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	// First the record: if the app is killed in between, unedited files stay as if they were
	// the person's. The other way round, they would count as deleted.
	data, err := json.MarshalIndent(next, "", "  ")
	if err == nil {
		err = writeThrough(filepath.Join(r.agentsDir(), recordFile), append(data, '\n'))
	}
	if err != nil {
		return errors.Join(append(errs, fmt.Errorf("remember what was installed: %w", err))...)
	}
	for _, unit := range slices.Sorted(maps.Keys(unedited)) {
		if _, err := r.toTrash(filepath.Join(r.root, filepath.FromSlash(unit)), unedited[unit]); err != nil {
			errs = append(errs, fmt.Errorf("put the shipped %s away: %w", unit, err))
		}
	}
	return errors.Join(errs...)
}

// place writes a shipped file that people own if it is new, or unedited since the app
// wrote it.
func (r *Registry) place(name, was string) error {
	target := filepath.Join(r.root, filepath.FromSlash(name))
	data, err := readRegular(target)
	switch {
	case err == nil && (was == "" || hashOf(data) != was || hashOf(data) == hashOf(r.shipped()[name].raw)):
		return nil // the person's, or as it should be
	case err != nil && !isMissing(target):
		return fmt.Errorf("read %s: %w", name, withoutPath(err))
	case err != nil && was != "":
		return nil // the person deleted it
	}
	if err := writeThrough(target, r.shipped()[name].raw); err != nil {
		return fmt.Errorf("install %s: %w", name, err)
	}
	return nil
}

// translate carries out what a record of version 1 says of agents and skills: those that
// the person deleted are switched off, and the unedited files of the others are returned
// by their folder. A folder with an edited or missing file stays as it is, but for the
// settings, which are read file by file.
func (r *Registry) translate(rec *record) (unedited map[string][]string, err error) {
	units := map[string][]string{}
	for name := range rec.Files {
		if unit := unitOf(name); unit != "" {
			units[unit] = append(units[unit], strings.TrimPrefix(name, unit+"/"))
		}
	}
	unedited = map[string][]string{}
	for unit, names := range units {
		dir := filepath.Join(r.root, filepath.FromSlash(unit))
		if isMissing(dir) {
			if err := r.switchOff(unit); err != nil {
				return nil, err
			}
			continue
		}
		var same []string
		whole := false
		for _, name := range names {
			file := filepath.Join(dir, filepath.FromSlash(name))
			info, err := os.Lstat(file)
			data, readErr := readRegular(file)
			switch {
			case err == nil && readErr == nil && info.Mode().IsRegular() && hashOf(data) == rec.Files[unit+"/"+name]:
				same = append(same, name)
			case name != "agent.json" || r.shipped()[unit+"/agent.json"].raw == nil:
				whole = true
			}
		}
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && !whole && len(same) > 0 {
			unedited[unit] = same
		}
	}
	return unedited, nil
}

// switchOff writes the file that switches a shipped agent or skill off.
func (r *Registry) switchOff(unit string) error {
	name, off := unit+"/agent.json", `{"enabled": false}`+"\n"
	file := r.shipped()[name]
	if strings.HasPrefix(unit, "skills/") {
		name = unit + "/SKILL.md"
		file = r.shipped()[name]
	}
	if file.raw == nil {
		return nil
	}
	if text, err := WithSetting(name, file.text, "enabled", false); err == nil {
		off = text + "\n"
	}
	target := filepath.Join(r.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return fmt.Errorf("switch off %s: %w", unit, err)
	}
	return wholefile.Write(target, []byte(off), 0o600)
}

// maxOwned limits the size of a shipped file after people have edited it, in bytes.
const maxOwned = 16 << 20

// readRegular reads a regular file; opening a pipe would block forever.
func readRegular(path string) ([]byte, error) {
	data, err := wholefile.Read(path, maxOwned)
	if errors.Is(err, wholefile.ErrNotFile) {
		return nil, errNotRegular
	}
	return data, err
}

// loadRecord reads what was installed before. A record that can't be read is an error,
// because without it nobody knows what was deleted.
func (r *Registry) loadRecord() (*record, error) {
	rec := &record{Version: 1, Files: map[string]string{}}
	file := filepath.Join(r.agentsDir(), recordFile)
	data, err := readRegular(file)
	if errors.Is(err, fs.ErrNotExist) {
		return rec, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was installed: %w", err)
	}
	if err := json.Unmarshal(data, rec); err != nil || rec.Files == nil {
		return nil, fmt.Errorf("%s is damaged; remove it to have the shipped files written again where missing", file)
	}
	return rec, nil
}

// writeThrough replaces a file atomically, following a symlink, with mode 0600.
func writeThrough(path string, data []byte) error {
	target, err := wholefile.Through(path)
	if err != nil {
		return err
	}
	return wholefile.Write(target, data, 0o600)
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// isMissing reports that nothing exists at path, not even a dangling link.
func isMissing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

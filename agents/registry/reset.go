package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// Reset restores a shipped agent, or all of them and soul.md if the selector is "". It
// keeps the old folder beside the new one under a name with the time, and returns its
// path. The agent's memory.md is copied into the new folder. An unedited agent is left
// alone. The selector names a shipped agent, or the edited agent in its place.
func (r *Registry) Reset(ctx context.Context, selector string) (kept []string, err error) {
	files, err := r.shipped.shippedFiles()
	if err != nil {
		return nil, err
	}
	ids, err := r.resetIDs(files, selector)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.agentsDir(), 0o700); err != nil {
		return nil, fmt.Errorf("make the agents folder: %w", err)
	}
	state, err := r.shipped.loadShipped()
	if err != nil { // a reset is meant to repair this
		state = &shipped{Version: 1, Files: map[string]string{}}
	}
	reset := &resetRun{shippedFolder: r.shipped, files: files, state: state, stamp: time.Now().Format("20060102-150405")}
	for _, id := range ids {
		if ctx.Err() != nil {
			err = ctx.Err()
			break
		}
		if err = reset.folder("agents/agent-" + id); err != nil {
			err = fmt.Errorf("reset agent-%s: %w", id, err)
			break
		}
	}
	if err == nil && strings.TrimSpace(selector) == "" {
		err = reset.file("agents/soul.md")
	}
	return reset.kept, errors.Join(err, r.shipped.saveShipped(state))
}

// Shipped reports whether the app ships an agent with that ID, so that Reset can restore
// it.
func (r *Registry) Shipped(id string) bool {
	files, err := r.shipped.shippedFiles()
	return err == nil && HasTool(shippedIDs(files), id)
}

// resetIDs resolves a selector among the shipped agents, then among the agents that are
// in their folders now.
func (r *Registry) resetIDs(files []defaultFile, selector string) ([]string, error) {
	ids := shippedIDs(files)
	if strings.TrimSpace(selector) == "" {
		return ids, nil
	}
	var builtIn, current []Agent
	for _, id := range ids {
		a := Agent{ID: id}
		for _, f := range files {
			if f.name != "agents/agent-"+id+"/agent.json" {
				continue
			}
			settings, err := parseAgentJSON(string(f.data))
			if err != nil {
				return nil, fmt.Errorf("built-in agent-%s: %w", id, err)
			}
			settings.apply(&a)
		}
		builtIn = append(builtIn, a)
	}
	for _, a := range r.Agents() {
		if HasTool(ids, a.ID) && isDir(a.Path) {
			current = append(current, a)
		}
	}
	for _, list := range [][]Agent{builtIn, current} {
		if a, ok := Select(list, selector, anyAgent); ok {
			return []string{a.ID}, nil
		}
	}
	known := make([]string, 0, len(builtIn))
	for _, a := range builtIn {
		known = append(known, a.Slug)
	}
	return nil, fmt.Errorf("only shipped agents can be reset: %w", noMatch(ErrNoAgent, selector, known))
}

// resetRun is one call of Reset.
type resetRun struct {
	shippedFolder
	files []defaultFile
	state *shipped
	stamp string
	kept  []string
}

// folder restores one agent's folder. It completes the new folder under a hidden name
// first, so that a failure leaves the old one in place.
func (run *resetRun) folder(unit string) (err error) {
	target := run.onDisk(unit)
	if run.asShipped(unit) {
		run.remember(unit)
		return nil
	}
	fresh := filepath.Join(run.agentsDir(), wholefile.TempName(path.Base(unit)))
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(fresh)) }() // after the rename there is nothing left to remove
	if err := run.fill(unit, fresh); err != nil {
		return err
	}
	if !isMissing(target) {
		aside := freeName(target + ".old-" + run.stamp)
		if err := os.Rename(target, aside); err != nil {
			return fmt.Errorf("set the old folder aside: %w", err)
		}
		if err := os.Rename(fresh, target); err != nil {
			return errors.Join(err, os.Rename(aside, target))
		}
		run.kept = append(run.kept, aside)
	} else if err := os.Rename(fresh, target); err != nil {
		return err
	}
	run.remember(unit)
	return nil
}

// asShipped reports whether the folder holds exactly the shipped files, apart from
// memory.md.
func (run *resetRun) asShipped(unit string) bool {
	entries, err := os.ReadDir(run.onDisk(unit))
	if err != nil {
		return false
	}
	for _, f := range run.files {
		if f.unit == unit && (isMissing(run.onDisk(f.name)) || run.differs(f)) {
			return false
		}
	}
	for _, e := range entries {
		if e.Name() != "memory.md" && !run.ships(path.Join(unit, e.Name())) {
			return false
		}
	}
	return true
}

// ships reports whether the file, or anything below the folder, is shipped.
func (run *resetRun) ships(name string) bool {
	for _, f := range run.files {
		if f.name == name || strings.HasPrefix(f.name, name+"/") {
			return true
		}
	}
	return false
}

// fill writes the shipped files of a folder and copies the memory over.
func (run *resetRun) fill(unit, fresh string) error {
	for _, f := range run.files {
		if f.unit != unit {
			continue
		}
		target := filepath.Join(fresh, filepath.FromSlash(strings.TrimPrefix(f.name, unit+"/")))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(target, f.data, 0o600); err != nil {
			return err
		}
	}
	memory, err := wholefile.Read(filepath.Join(run.onDisk(unit), "memory.md"), maxShipped)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("copy the agent's memory: %w", err)
	}
	return os.WriteFile(filepath.Join(fresh, "memory.md"), memory, 0o600)
}

func (run *resetRun) remember(unit string) {
	for name := range run.state.Files {
		if strings.HasPrefix(name, unit+"/") {
			delete(run.state.Files, name)
		}
	}
	for _, f := range run.files {
		if f.unit == unit {
			run.state.Files[f.name] = f.hash
		}
	}
}

// file restores one file, following a symlink, and keeps the old text beside it.
func (run *resetRun) file(name string) error {
	for _, f := range run.files {
		if f.name != name {
			continue
		}
		target := run.onDisk(name)
		old, err := wholefile.Read(target, maxShipped)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reset %s: %w", name, err)
		}
		if err == nil && hashOf(old) != f.hash {
			aside := freeName(target + ".old-" + run.stamp)
			if err := writeThrough(aside, old); err != nil {
				return fmt.Errorf("keep the old %s: %w", name, err)
			}
			run.kept = append(run.kept, aside)
		}
		if err := writeThrough(target, f.data); err != nil {
			return fmt.Errorf("reset %s: %w", name, err)
		}
		run.state.Files[name] = f.hash
	}
	return nil
}

// freeName adds a number if the name is taken, as after two resets in one second.
func freeName(name string) string {
	free := name
	for n := 2; !isMissing(free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

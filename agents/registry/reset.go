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

// Reset puts a shipped agent back (all of them and soul.md for ""), keeping the
// old folder beside it under a name with the time; it returns where. What the
// agent has learnt, its memory.md, is copied into the new folder. An agent that
// is as shipped is left alone. The selector is that of a shipped agent, or of
// the edited agent that stands in its place.
func (r *Registry) Reset(ctx context.Context, selector string) (kept []string, err error) {
	files, err := r.shippedFiles()
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
	state, err := r.loadShipped()
	if err != nil { // the very thing a reset is there to put right
		state = &shipped{Version: 1, Files: map[string]string{}}
	}
	reset := r.newReset(files, state)
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
	return reset.kept, errors.Join(err, r.saveShipped(state))
}

// Shipped reports whether an agent of that id comes with the app, so that Reset
// can put it back.
func (r *Registry) Shipped(id string) bool {
	files, err := r.shippedFiles()
	return err == nil && HasTool(shippedIDs(files), id)
}

// resetIDs resolves a selector among the shipped agents, then among those that
// stand in their folders now.
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
	r     *Registry
	files []defaultFile
	state *shipped
	stamp string
	kept  []string
}

func (r *Registry) newReset(files []defaultFile, state *shipped) *resetRun {
	return &resetRun{r: r, files: files, state: state, stamp: time.Now().Format("20060102-150405")}
}

// folder puts one agent's folder back: the new one is made complete under a
// hidden name first, so that a failure leaves the old one in its place.
func (run *resetRun) folder(unit string) (err error) {
	target := run.r.onDisk(unit)
	if run.asShipped(unit) {
		run.remember(unit)
		return nil
	}
	fresh := filepath.Join(run.r.agentsDir(), wholefile.TempName(path.Base(unit)))
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

// asShipped reports whether the folder holds exactly what is shipped, beside
// what was learnt.
func (run *resetRun) asShipped(unit string) bool {
	entries, err := os.ReadDir(run.r.onDisk(unit))
	if err != nil {
		return false
	}
	for _, f := range run.files {
		if f.unit == unit && (isMissing(run.r.onDisk(f.name)) || run.r.differs(f)) {
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

// ships reports whether a file, or anything below a folder, is shipped.
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
	memory, err := wholefile.Read(filepath.Join(run.r.onDisk(unit), "memory.md"), maxShipped)
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

// file puts one file back, through a symlink if it is one, and keeps the old
// text beside it.
func (run *resetRun) file(name string) error {
	for _, f := range run.files {
		if f.name != name {
			continue
		}
		target := run.r.onDisk(name)
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

// freeName adds a number where the name is taken: two resets in one second.
func freeName(name string) string {
	free := name
	for n := 2; !isMissing(free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

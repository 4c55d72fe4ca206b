package memory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
	"mac-stats/sessionmem/wholefile"
)

// UndoStep is a change that can be undone. A change of several files has the target of the
// first of them.
type UndoStep struct {
	ID      string // for Undo
	Target  Target
	Added   string // the new line; "" for a removal
	Removed string // the line that was removed; "" for an addition
	Session string // the session in which the new line was learned; "" if unknown
}

// Undoable returns the changes that can be undone, newest first. It leaves out those whose
// line is gone.
func (m *Memory) Undoable() []UndoStep {
	files := map[Target][]byte{}
	var steps []UndoStep
	for _, id := range slices.Backward(m.undos.ids()) {
		changes, _ := parseUndo(id)
		i := slices.IndexFunc(changes, func(u undo) bool { return u.applies(m.root, files) })
		if i < 0 {
			continue
		}
		steps = append(steps, changes[i].step(id))
	}
	return steps
}

// step returns a change in a form for people.
func (u undo) step(id string) UndoStep {
	added := memorytext.BulletOf(u.Line)
	return UndoStep{ID: id, Target: u.Target, Added: added.Text, Removed: memorytext.BulletOf(string(u.Old)).Text, Session: added.Session()}
}

// applies reports whether a change can be undone. files caches the files that were read for
// earlier changes.
func (u undo) applies(root folder, files map[Target][]byte) bool {
	path := root.path(u.Target)
	if path == "" {
		return false
	}
	if _, ok := files[u.Target]; !ok {
		files[u.Target], _, _ = wholefile.ReadText(path) // a file that can't be read has no line to undo
	}
	_, ok := u.Revert(files[u.Target])
	return ok
}

// Undo undoes a change of Append or Accept if its line is still there, and returns what it
// undid. An empty undoID means the newest change that wasn't undone yet; ErrNothingToUndo
// if there is none. A line that another program's save removed is left to Restore and
// KeepRemoved, unless its own ID is given: then the user asked for exactly this removal.
func (m *Memory) Undo(ctx context.Context, undoID string) ([]UndoStep, error) {
	named := undoID != ""
	if !named {
		ids := m.undos.ids()
		if len(ids) == 0 {
			return nil, ErrNothingToUndo
		}
		undoID = ids[len(ids)-1]
	}
	changes, ok := parseUndo(undoID)
	if !ok || slices.ContainsFunc(changes, func(u undo) bool { return m.Path(u.Target) == "" }) {
		return nil, errors.New("undoing a memory: this is no undo id; copy it whole")
	}
	var paths []string
	for _, u := range changes {
		paths = append(paths, m.Path(u.Target))
	}
	unlock, err := m.files.LockStill(ctx, paths...)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var (
		done []UndoStep
		errs []error
	)
	for _, u := range slices.Backward(changes) { // the newest first, so that a heading without lines goes too
		if err := m.revert(u, named); err != nil {
			errs = append(errs, err)
			continue
		}
		done = append(done, u.step(undoID))
	}
	err = errors.Join(errs...)
	if !errors.Is(err, sharedfile.ErrLater) && !errors.Is(err, ErrMissing) { // otherwise the user can try again
		m.undos.edit(func(ids []string) []string {
			return slices.DeleteFunc(ids, func(id string) bool { return id == undoID })
		})
	}
	return done, err
}

// ErrMissing means that another program's save removed the line of the change.
var ErrMissing = errors.New("another program's save took it out of the file; `mac-stats memory restore` brings it back, with --keep-removed it stays out")

// revert undoes one change. named reports whether the user gave its ID. The caller holds
// the lock.
func (m *Memory) revert(u undo, named bool) error {
	path := m.Path(u.Target)
	if m.forgotten.Has(string(u.Old)) {
		return errors.New("undoing a memory: what it would bring back was forgotten since")
	}
	return m.files.Edit(path, func(raw []byte) ([]byte, error) {
		out, ok := u.Revert(raw)
		switch {
		case ok:
			return out, nil
		case !slices.ContainsFunc(m.dropped(m.files.Read), func(d Dropped) bool { return d.Path == path && d.Text == memorytext.BulletOf(u.Line).Text }):
			return nil, fmt.Errorf("undoing a memory: its line is not in %s any more; it was edited or removed by hand, so there is nothing to take back", filepath.Base(path))
		case !named:
			return nil, fmt.Errorf("undoing “%s”: %w", memorytext.BulletOf(u.Line).Text, ErrMissing)
		}
		m.files.Journal().Drop(path, memorytext.BulletOf(u.Line).Text)
		return raw, nil
	})
}

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

// UndoStep is a change that can be taken back; one of several files is named by the
// first of them.
type UndoStep struct {
	ID      string // for Undo
	Target  Target
	Added   string // the line that is new; "" of a removal
	Removed string // the line that went; "" of an addition
	Session string // where the new line was learnt; "" where it doesn't say
}

// Undoable gives the changes that can be taken back, the newest first. One whose
// line is not there any more is left out.
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

// step is a change for people.
func (u undo) step(id string) UndoStep {
	added := memorytext.BulletOf(u.Line)
	return UndoStep{ID: id, Target: u.Target, Added: added.Text, Removed: memorytext.BulletOf(string(u.Old)).Text, Session: added.Session()}
}

// applies reports whether a change can be taken back; files are those that were read
// for it before.
func (u undo) applies(root folder, files map[Target][]byte) bool {
	path := root.path(u.Target)
	if path == "" {
		return false
	}
	if _, ok := files[u.Target]; !ok {
		files[u.Target], _, _ = wholefile.ReadText(path) // a file that can't be read has no line to undo
	}
	_, ok := u.TakeBack(files[u.Target])
	return ok
}

// Undo takes back a change of Append or Accept if its line is still there, and gives
// what it took back. An empty undoID means the newest change that was not undone yet;
// ErrNothingToUndo where there is none. A line that another program's save took out is
// left to Restore and KeepRemoved, but one whose own id is given: then its removal is
// what is asked for.
func (m *Memory) Undo(ctx context.Context, undoID string) ([]UndoStep, error) {
	unlock, err := m.files.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
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
	var (
		done []UndoStep
		errs []error
	)
	for _, u := range changes {
		if err := m.takeBack(ctx, u, named); err != nil {
			errs = append(errs, err)
			continue
		}
		done = append(done, u.step(undoID))
	}
	err = errors.Join(errs...)
	if !errors.Is(err, sharedfile.ErrSaving) && !errors.Is(err, ErrMissing) { // else it is tried again
		m.undos.edit(func(ids []string) []string {
			return slices.DeleteFunc(ids, func(id string) bool { return id == undoID })
		})
	}
	return done, err
}

// ErrMissing: the line of the change was taken out by another program's save.
var ErrMissing = errors.New("another program's save took it out of the file; `mac-stats memory restore` brings it back, with --keep-removed it stays out")

// takeBack undoes one change; the lock is held. With named its id was given.
func (m *Memory) takeBack(ctx context.Context, u undo, named bool) error {
	path := m.Path(u.Target)
	if m.forgotten.Has(string(u.Old)) {
		return errors.New("undoing a memory: what it would bring back was forgotten since")
	}
	return m.files.Edit(ctx, path, func(raw []byte) ([]byte, error) {
		out, ok := u.TakeBack(raw)
		switch {
		case ok:
			return out, nil
		case !slices.ContainsFunc(m.Dropped(), func(d Dropped) bool { return d.Path == path && d.Text == memorytext.BulletOf(u.Line).Text }):
			return nil, fmt.Errorf("undoing a memory: its line is not in %s any more; it was edited or removed by hand, so there is nothing to take back", filepath.Base(path))
		case !named:
			return nil, fmt.Errorf("undoing “%s”: %w", memorytext.BulletOf(u.Line).Text, ErrMissing)
		}
		m.files.Journal().Drop(path, memorytext.BulletOf(u.Line).Text)
		return raw, nil
	})
}

package memory

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// undoFile keeps the newest changes' undo ids, one a line, the newest last. It can
// be deleted at any time: then only an id that was shown can still be undone.
const undoFile = ".memory-undo"

// maxUndo is how many changes can be undone one after the other without their ids.
const maxUndo = 20

// ErrNothingToUndo: no change of a memory is known that could be taken back.
var ErrNothingToUndo = errors.New("there is no change of the memory to undo")

// undo is what an UndoID holds: it needs no memory of the process that wrote.
type undo struct {
	Target Target `json:"t"`
	memorytext.Change
}

// undoSign parts the changes that one undo takes back.
const undoSign = "."

func undoID(changes ...undo) string {
	var parts []string
	for _, u := range changes {
		data, err := json.Marshal(u)
		if err != nil {
			return "" // strings and numbers alone: can't fail
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(data))
	}
	return strings.Join(parts, undoSign)
}

func parseUndo(id string) (changes []undo, ok bool) {
	for part := range strings.SplitSeq(id, undoSign) {
		var u undo
		data, err := base64.RawURLEncoding.DecodeString(part)
		if err == nil {
			err = json.Unmarshal(data, &u)
		}
		if err != nil || u.Line == "" && len(u.Old) == 0 {
			return nil, false
		}
		changes = append(changes, u)
	}
	return changes, true
}

// undoPath is the file of the ids, where nobody looks for text.
func (m *Memory) undoPath() string { return filepath.Join(m.root, "agents", undoFile) }

// keepUndo notes changes that belong together for Undo without an id; the lock is held.
func (m *Memory) keepUndo(changes ...undo) string {
	id := undoID(changes...)
	m.editUndo(func(ids []string) []string { return append(ids, id) })
	return id
}

// editUndo changes the list of ids. Where it can't be written, the change that was
// made stands, and only its id undoes it.
func (m *Memory) editUndo(change func(ids []string) []string) {
	err := m.rewrite(m.undoPath(), func(raw []byte) ([]byte, error) {
		ids := change(strings.Fields(string(raw)))
		ids = ids[max(0, len(ids)-maxUndo):]
		return []byte(strings.Join(append(ids, ""), "\n")), nil
	})
	if err != nil {
		m.logger.Warn("a change of the memory can only be undone by its id", "err", err)
	}
}

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
	raw, _, err := wholefile.ReadText(m.undoPath())
	if err != nil {
		return nil // none was made yet, or only its id undoes it: editUndo said so
	}
	files := map[Target][]byte{}
	var steps []UndoStep
	for _, id := range slices.Backward(strings.Fields(string(raw))) {
		changes, _ := parseUndo(id)
		i := slices.IndexFunc(changes, func(u undo) bool { return m.applies(u, files) })
		if i < 0 {
			continue
		}
		steps = append(steps, changes[i].step(id))
	}
	return steps
}

// step is a change for people.
func (u undo) step(id string) UndoStep {
	s := UndoStep{ID: id, Target: u.Target, Added: memorytext.BulletOf(u.Line).Text, Removed: memorytext.BulletOf(string(u.Old)).Text}
	for _, b := range memorytext.ParseBytes([]byte(u.Line)).Bullets() {
		s.Session = b.Session()
	}
	return s
}

// applies reports whether a change can be taken back; files are those that were read
// for it before.
func (m *Memory) applies(u undo, files map[Target][]byte) bool {
	path := m.Path(u.Target)
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
	unlock, err := m.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	named := undoID != ""
	if !named {
		raw, _, err := wholefile.ReadText(m.undoPath())
		ids := strings.Fields(string(raw))
		if err != nil || len(ids) == 0 {
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
	if !errors.Is(err, ErrSaving) && !errors.Is(err, ErrMissing) { // else it is tried again
		m.editUndo(func(ids []string) []string {
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
	return m.edit(ctx, path, func(raw []byte) ([]byte, error) {
		out, ok := u.TakeBack(raw)
		switch {
		case ok:
			return out, nil
		case !m.isDropped(path, u.Line):
			return nil, fmt.Errorf("undoing a memory: its line is not in %s any more; it was edited or removed by hand, so there is nothing to take back", filepath.Base(path))
		case !named:
			return nil, fmt.Errorf("undoing “%s”: %w", memorytext.BulletOf(u.Line).Text, ErrMissing)
		}
		m.dropFromJournal(path, u.Line)
		return raw, nil
	})
}

// isDropped reports whether a line is missing from its file since another program's save.
func (m *Memory) isDropped(path, line string) bool {
	return slices.ContainsFunc(m.Dropped(), func(d Dropped) bool { return d.Path == path && d.Text == memorytext.BulletOf(line).Text })
}

// dropFromJournal ends the telling of a line that was dropped: the user undid it.
func (m *Memory) dropFromJournal(path, line string) {
	file, text := m.rel(path), memorytext.BulletOf(line).Text
	m.noteInJournal(func(j *lineJournal) {
		j.Lines = slices.DeleteFunc(j.Lines, func(l journalLine) bool { return l.File == file && memorytext.BulletOf(l.Line).Text == text })
	})
}

package memory

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
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

// undoList is the file of the changes that can be taken back without their ids.
type undoList struct {
	path   string
	files  *sharedfile.Files
	logger *slog.Logger
}

// keep notes changes that belong together for Undo without an id; the lock is held.
func (l undoList) keep(changes ...undo) string {
	id := undoID(changes...)
	l.edit(func(ids []string) []string { return append(ids, id) })
	return id
}

// edit changes the list of ids. Where it can't be written, the change that was
// made stands, and only its id undoes it.
func (l undoList) edit(change func(ids []string) []string) {
	err := l.files.Rewrite(l.path, func(raw []byte) ([]byte, error) {
		ids := change(strings.Fields(string(raw)))
		ids = ids[max(0, len(ids)-maxUndo):]
		return []byte(strings.Join(append(ids, ""), "\n")), nil
	})
	if err != nil {
		l.logger.Warn("a change of the memory can only be undone by its id", "err", err)
	}
}

// ids gives the changes' ids, the oldest first; none where none was made yet.
func (l undoList) ids() []string {
	raw, _, err := wholefile.ReadText(l.path)
	if err != nil {
		return nil // or only its id undoes a change: edit said so
	}
	return strings.Fields(string(raw))
}

// forget drops the changes that hold what is meant: they can't be undone any
// more. The lock is held.
func (l undoList) forget(t *forgotten.Traces, dry bool) []forgotten.Touched {
	goes := func(id string) bool {
		changes, ok := parseUndo(id)
		return ok && slices.ContainsFunc(changes, func(u undo) bool {
			return t.Holds(u.Line) || t.Holds(u.After) || t.HoldsRaw(u.Old) || t.GoesAsLesson(memorytext.BulletOf(u.Line).Text) || t.GoesAsLesson(memorytext.BulletOf(string(u.Old)).Text)
		})
	}
	if !slices.ContainsFunc(l.ids(), goes) {
		return nil
	}
	touched := forgotten.Touched{Place: "undo", Action: forgotten.Removed, Path: l.path}
	if !dry {
		err := l.files.Rewrite(l.path, func(raw []byte) ([]byte, error) {
			return []byte(strings.Join(append(slices.DeleteFunc(strings.Fields(string(raw)), goes), ""), "\n")), nil
		})
		if err != nil {
			touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
		}
	}
	return []forgotten.Touched{touched}
}

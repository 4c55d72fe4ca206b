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

// undoFile holds the undo IDs of the newest changes, one a line, the newest last. It can be
// deleted at any time; then a change can be undone only by an ID that was shown.
const undoFile = ".memory-undo"

// maxUndo is the number of changes that can be undone one after the other without their
// IDs.
const maxUndo = 20

// ErrNothingToUndo means that no change of a memory is known that could be undone.
var ErrNothingToUndo = errors.New("there is no change of the memory to undo")

// undo is the content of an UndoID. It doesn't depend on the process that wrote it.
type undo struct {
	Target Target `json:"t"`
	memorytext.Change
}

// undoSign separates the changes that one undo takes back.
const undoSign = "."

func undoID(changes ...undo) string {
	var parts []string
	for _, u := range changes {
		data, err := json.Marshal(u)
		if err != nil {
			return "" // can't fail: only strings and numbers
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

// undoList is the file of the changes that can be undone without their IDs.
type undoList struct {
	path   string
	files  *sharedfile.Files
	logger *slog.Logger
}

// keep records changes that belong together, for an Undo without an ID. The caller holds
// the lock.
func (l undoList) keep(changes ...undo) string {
	id := undoID(changes...)
	l.edit(func(ids []string) []string { return append(ids, id) })
	return id
}

// edit changes the list of IDs. If it can't be written, the change of the memory stands and
// only its ID undoes it.
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

// ids returns the IDs of the changes, oldest first; none if nothing was changed yet.
func (l undoList) ids() []string {
	raw, _, err := wholefile.ReadText(l.path)
	if err != nil {
		return nil // a change is undone by its ID only; edit logged why
	}
	return strings.Fields(string(raw))
}

// forget drops the changes that hold matching text, so they can no longer be undone. The
// caller holds the lock.
func (l undoList) forget(t *forgotten.Traces, dry bool) []forgotten.Touched {
	matches := func(id string) bool {
		changes, ok := parseUndo(id)
		return ok && slices.ContainsFunc(changes, func(u undo) bool {
			return t.Holds(u.Line) || t.Holds(u.After) || t.HoldsRaw(u.Old) || t.GoesAsLesson(memorytext.BulletOf(u.Line).Text) || t.GoesAsLesson(memorytext.BulletOf(string(u.Old)).Text)
		})
	}
	if !slices.ContainsFunc(l.ids(), matches) {
		return nil
	}
	touched := forgotten.Touched{Place: "undo", Action: forgotten.Removed, Path: l.path}
	if !dry {
		err := l.files.Rewrite(l.path, func(raw []byte) ([]byte, error) {
			return []byte(strings.Join(append(slices.DeleteFunc(strings.Fields(string(raw)), matches), ""), "\n")), nil
		})
		if err != nil {
			touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
		}
	}
	return []forgotten.Touched{touched}
}

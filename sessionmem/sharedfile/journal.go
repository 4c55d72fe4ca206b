package sharedfile

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// journalFile keeps the lines that the app has remembered, so that what another program's
// late save drops can be put back. It is hidden beside the memory files, written under
// their lock, and read by nothing but this package.
const journalFile = ".memory-journal"

// maxJournal is how many lines it keeps, the newest: more than fit into any prompt.
const maxJournal = 1000

// journal is what the file holds, as JSON.
type journal struct {
	Files    map[string]wholefile.Stamp `json:"files,omitempty"` // by file: as the app wrote it last
	Lines    []Line                     `json:"lines,omitempty"` // the oldest first
	Replaced []replaced                 `json:"replaced,omitempty"`
	Key      string                     `json:"key,omitempty"`     // of Removed, in hex
	Removed  []string                   `json:"removed,omitempty"` // keyed hashes of lines that the user keeps removed
}

// Line is a line that the app has written into a memory file.
type Line struct {
	ID    string    `json:"id"`
	File  string    `json:"file"`            // relative to the data folder, with slashes
	Line  string    `json:"line"`            // as it stands in the file, with its sign and comment
	After string    `json:"after,omitempty"` // the line above it
	At    time.Time `json:"at"`
}

// Text is what the line says.
func (l Line) Text() string { return memorytext.BulletOf(l.Line).Text }

// Journal is what the app has written into the files, and what of it the user wants to
// stay removed. Whoever changes it holds the lock of the files.
type Journal struct {
	path string
	p    Params

	mu   sync.Mutex // guards what follows
	last journal
	stat os.FileInfo // of last; nil: not read
	// dirty: the file holds lines that were forgotten, and last doesn't.
	dirty bool
}

func newJournal(p Params) *Journal {
	return &Journal{path: filepath.Join(p.Root, "agents", journalFile), p: p}
}

// rel names a file in the journal.
func (j *Journal) rel(path string) string {
	if rel, err := filepath.Rel(j.p.Root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// PathOf is the memory file that a line was written into.
func (j *Journal) PathOf(l Line) string {
	return filepath.Join(j.p.Root, filepath.FromSlash(l.File))
}

// errDamaged: the journal is there and is no journal.
var errDamaged = errors.New("it is damaged")

// read reads the journal as it is on disk, whatever was forgotten since. Errors:
// fs.ErrNotExist, errDamaged, or of the disk.
func (j *Journal) read() (on journal, raw []byte, fi os.FileInfo, err error) {
	if raw, fi, err = wholefile.ReadRaw(j.path); err != nil {
		return on, nil, nil, err
	}
	if err := json.Unmarshal(raw, &on); err != nil {
		return journal{}, raw, fi, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return on, raw, fi, nil
}

// now gives the journal as it is on disk now, without what was forgotten; j.mu is held.
// One that is not there, or damaged, is empty: it only ever adds to what the memory files
// say.
func (j *Journal) now() *journal {
	fi, err := os.Stat(j.path)
	if err == nil && j.stat != nil && wholefile.StampOf(fi) == wholefile.StampOf(j.stat) {
		return &j.last
	}
	j.last, _, j.stat, err = j.read()
	switch {
	case err == nil:
		lines := len(j.last.Lines)
		j.last.Lines = slices.DeleteFunc(j.last.Lines, func(l Line) bool {
			return j.p.Sieve.Returned(j.PathOf(l), l.Line)
		})
		j.dirty = len(j.last.Lines) < lines
		for i, l := range j.last.Lines {
			if l.After != "" && j.p.Sieve.Returned(j.PathOf(l), l.After) {
				j.last.Lines[i].After = ""
				j.dirty = true
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		j.p.Logger.Warn("the journal of remembered lines can't be read: what was dropped before can't be put back", "path", j.path, "err", err)
	}
	if j.last.Files == nil {
		j.last.Files = map[string]wholefile.Stamp{}
	}
	return &j.last
}

// change changes the journal and writes it. After an error it is as it was.
func (j *Journal) change(change func(on *journal)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	on := j.now()
	change(on)
	on.Lines = on.Lines[max(0, len(on.Lines)-maxJournal):]
	on.Removed = on.Removed[max(0, len(on.Removed)-maxJournal):]
	data, err := json.Marshal(on)
	if err == nil {
		err = wholefile.Write(j.path, data, 0o600)
	}
	if err == nil {
		j.stat, err = os.Stat(j.path)
	}
	if err != nil {
		j.stat = nil // what was read holds the change, and the file doesn't
		return wholefile.Explain("writing the journal of remembered lines", err)
	}
	j.dirty = false
	return nil
}

// note is change where what was done stands all the same: only a late save of another
// program would undo it for good.
func (j *Journal) note(change func(on *journal)) {
	if err := j.change(change); err != nil {
		j.p.Logger.Warn("what another program's late save drops from the memory now can't be put back", "err", err)
	}
}

// noteEdit notes what an edit of the app made of a memory file: its state, the lines
// learnt that are new in it, and those that the edit itself took out. An edit that takes
// over another program's save takes none out knowingly.
func (j *Journal) noteEdit(path string, stamp wholefile.Stamp, before, after []byte, knowingly bool) {
	now, old := memorytext.ParseBytes(after), map[string]bool{}
	for _, b := range memorytext.ParseBytes(before).Bullets() {
		old[b.Text] = true
	}
	file := j.rel(path)
	j.note(func(on *journal) {
		on.Files[file] = stamp
		left := map[string]bool{} // the journal's lines of this file, and whether the file still has them
		for _, l := range on.Lines {
			if l.File == file {
				left[l.Text()] = false
			}
		}
		var learned []Line
		for _, it := range now.Items {
			b, ok := it.Bullet()
			if !ok {
				continue
			}
			if _, known := left[b.Text]; known {
				left[b.Text] = true
			} else if b.From != "" && !old[b.Text] {
				learned = append(learned, Line{ID: transcript.RandomID(6), File: file, Line: strings.Join(it.Lines, "\n"), After: now.Above(it), At: time.Now()})
				on.Removed = slices.DeleteFunc(on.Removed, func(hash string) bool { return hash == on.hash(b.Text) })
			}
		}
		on.Lines = slices.DeleteFunc(on.Lines, func(l Line) bool {
			return knowingly && l.File == file && old[l.Text()] && !left[l.Text()]
		})
		on.Lines = append(on.Lines, learned...)
	})
}

// stamp is a file as the app wrote it last.
func (j *Journal) stamp(path string) (wholefile.Stamp, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	stamp, ok := j.now().Files[j.rel(path)]
	return stamp, ok
}

// Lines are the lines that the app has remembered, the oldest first.
func (j *Journal) Lines() []Line {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.now().Lines)
}

// replaced are the files that are still looked after.
func (j *Journal) replaced() []replaced {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.now().Replaced)
}

// clean takes out of the file what was forgotten and came back in it.
func (j *Journal) clean() error {
	if !j.isDirty() {
		return nil
	}
	return j.change(func(*journal) {})
}

func (j *Journal) isDirty() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now()
	return j.dirty
}

// hash is how a line that is kept removed is remembered: who has the journal alone
// learns nothing of a long line, and can try guesses of a short one.
func (on *journal) hash(text string) string {
	if on.Key == "" {
		return ""
	}
	sum := hmac.New(sha256.New, []byte(on.Key))
	_, _ = sum.Write([]byte(strings.ToLower(strings.Join(strings.Fields(text), " ")))) // never fails
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// CheckRemoved gives the error, a lesson.ErrRejected, for a lesson that the user has taken
// out of the memory and wants to stay out.
func (j *Journal) CheckRemoved(text string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if on := j.now(); len(on.Removed) == 0 || !slices.Contains(on.Removed, on.hash(text)) {
		return nil
	}
	return fmt.Errorf("%w: you removed it from the memory; add it yourself if you want it back", lesson.ErrRejected)
}

// KeepRemoved drops lines from the journal and lets no model write them again.
func (j *Journal) KeepRemoved(lines []Line) error {
	return j.change(func(on *journal) {
		if on.Key == "" {
			on.Key = rand.Text()
		}
		for _, l := range lines {
			on.Removed = append(on.Removed, on.hash(l.Text()))
			on.Lines = slices.DeleteFunc(on.Lines, func(o Line) bool { return o.ID == l.ID })
		}
	})
}

// Drop ends the telling of a line of a file that was dropped: the user undid it.
func (j *Journal) Drop(path, text string) {
	file := j.rel(path)
	j.note(func(on *journal) {
		on.Lines = slices.DeleteFunc(on.Lines, func(l Line) bool { return l.File == file && l.Text() == text })
	})
}

// Meant says what of the journal is to be forgotten.
type Meant struct {
	Line  func(Line) bool
	Above func(Line) bool   // the line stays, and no longer says where it stood
	Raw   func([]byte) bool // of a damaged journal's bytes
}

// Forget takes what is meant out of the journal, or with dry only looks. It gives the
// journal's path where it held some. The file itself counts: reading leaves out what was
// forgotten before.
func (j *Journal) Forget(m Meant, dry bool) (path string, err error) {
	found, err := j.holds(m)
	if err == nil && !found {
		return "", nil
	}
	if err != nil || dry {
		return j.path, err
	}
	err = j.change(func(on *journal) {
		on.Lines = slices.DeleteFunc(on.Lines, m.Line)
		for i, l := range on.Lines {
			if m.Above(l) {
				on.Lines[i].After = ""
			}
		}
	})
	if err == nil {
		if found, err = j.holds(m); found {
			err = errors.New("it still holds it; run it again")
		}
	}
	return j.path, err
}

// holds reports whether the file holds something that is meant.
func (j *Journal) holds(m Meant) (bool, error) {
	on, raw, _, err := j.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, errDamaged):
		return m.Raw(raw), nil
	}
	return slices.ContainsFunc(on.Lines, func(l Line) bool { return m.Line(l) || m.Above(l) }), err
}

package sharedfile

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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

// journalFile holds the lines that the app has remembered, so that lines dropped by another
// program's late save can be restored. It is hidden beside the memory files, written under
// their lock, and read by no other package.
const journalFile = ".memory-journal"

// maxJournal is the number of lines it keeps, the newest: more than fit into any prompt.
const maxJournal = 1000

// journal is the content of the file, as JSON.
type journal struct {
	Files    map[string]wholefile.Stamp `json:"files,omitempty"` // by file: its state when the app last wrote it
	Seen     []string                   `json:"seen,omitempty"`  // files that the app read, and never wrote
	Lines    []Line                     `json:"lines,omitempty"` // oldest first
	Replaced []replaced                 `json:"replaced,omitempty"`
	Key      string                     `json:"key,omitempty"`     // of Removed, and of marks in transcripts
	Removed  []string                   `json:"removed,omitempty"` // keyed hashes of lines that the user wants to stay removed
}

// Line is a line that the app wrote into a memory file.
type Line struct {
	ID   string    `json:"id"`
	File string    `json:"file"` // relative to the data folder, with slashes
	Line string    `json:"line"` // as it is in the file, with its sign and comment
	At   time.Time `json:"at"`
}

// Text returns the line's text.
func (l Line) Text() string { return memorytext.BulletOf(l.Line).Text }

// Journal records what the app wrote into the files, and which of these lines the user
// wants to stay removed. Callers hold the lock of the files to change it.
type Journal struct {
	path string
	p    Params

	mu   sync.Mutex // guards the fields below
	last journal
	stat os.FileInfo // of last; nil if it wasn't read
	// dirty reports whether the file holds forgotten lines that last doesn't.
	dirty bool
}

func newJournal(p Params) *Journal {
	return &Journal{path: filepath.Join(p.Root, "agents", journalFile), p: p}
}

// rel returns the name of a file in the journal.
func (j *Journal) rel(path string) string {
	if rel, err := filepath.Rel(j.p.Root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// PathOf returns the memory file that a line was written into.
func (j *Journal) PathOf(l Line) string {
	return filepath.Join(j.p.Root, filepath.FromSlash(l.File))
}

// errDamaged means that the file exists and isn't a journal.
var errDamaged = errors.New("it is damaged")

// read reads the journal from disk, including what was forgotten since. Errors:
// fs.ErrNotExist, errDamaged, or errors of the disk.
func (j *Journal) read() (on journal, raw []byte, fi os.FileInfo, err error) {
	if raw, fi, err = wholefile.ReadRaw(j.path); err != nil {
		return on, nil, nil, err
	}
	if err := json.Unmarshal(raw, &on); err != nil {
		return journal{}, raw, fi, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return on, raw, fi, nil
}

// now returns the journal as it is on disk now, without what was forgotten. If it is
// missing or damaged, it is empty, because it only adds to what the memory files say. The
// caller holds j.mu.
func (j *Journal) now() *journal {
	fi, err := os.Stat(j.path)
	if err == nil && j.stat != nil && wholefile.StampOf(fi) == wholefile.StampOf(j.stat) {
		return &j.last
	}
	var raw []byte
	j.last, raw, j.stat, err = j.read()
	switch {
	case err == nil:
		lines := len(j.last.Lines)
		j.last.Lines = slices.DeleteFunc(j.last.Lines, func(l Line) bool {
			return j.p.Sieve.Returned(j.PathOf(l), l.Line)
		})
		j.dirty = len(j.last.Lines) < lines || namesLineAbove(raw)
	case !errors.Is(err, fs.ErrNotExist):
		j.p.Logger.Warn("the journal of remembered lines can't be read: what was dropped before can't be put back", "path", j.path, "err", err)
	}
	if j.last.Files == nil {
		j.last.Files = map[string]wholefile.Stamp{}
	}
	return &j.last
}

// change changes the journal and writes it. After an error it is as it was before.
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
		j.stat = nil // last has the change, but the file doesn't
		return wholefile.Explain("writing the journal of remembered lines", err)
	}
	j.dirty = false
	return nil
}

// note is change for when the edit of the memory has been made and must stand. If the
// journal can't be written, only a late save of another program would lose the line.
func (j *Journal) note(change func(on *journal)) {
	if err := j.change(change); err != nil {
		j.p.Logger.Warn("what another program's late save drops from the memory now can't be put back", "err", err)
	}
}

// noteEdit records what an edit by the app did to a memory file: its new state, the lessons
// that are new, and the lines that the edit removed. knowingly is false for an edit that
// adopts another program's save: it removes no line on purpose.
func (j *Journal) noteEdit(path string, stamp wholefile.Stamp, before, after []byte, knowingly bool) {
	was, now := memorytext.ParseBytes(before), memorytext.ParseBytes(after)
	file := j.rel(path)
	j.note(func(on *journal) {
		on.Files[file] = stamp
		left := map[string]bool{} // whether the file still has each of the journal's lines of this file
		for _, l := range on.Lines {
			if l.File == file {
				left[l.Text()] = false
			}
		}
		markPresent(left, now)
		old := map[string]bool{} // whether the file had each of the lines that are missing or new
		for text, has := range left {
			if !has {
				old[text] = false
			}
		}
		missing := len(old) > 0
		var added []memorytext.Item
		for _, it := range changedItems(was.Items, now.Items) {
			b, ok := it.Bullet()
			if _, known := left[b.Text]; ok && b.From != "" && !known {
				added = append(added, it)
				old[b.Text] = false
			}
		}
		markPresent(old, was)
		if knowingly && missing {
			on.Lines = slices.DeleteFunc(on.Lines, func(l Line) bool {
				return l.File == file && old[l.Text()] && !left[l.Text()]
			})
		}
		for _, it := range added {
			b, _ := it.Bullet()
			if old[b.Text] {
				continue
			}
			on.Lines = append(on.Lines, Line{ID: transcript.RandomID(6), File: file, Line: strings.Join(it.Lines, "\n"), At: time.Now()})
			on.Removed = slices.DeleteFunc(on.Removed, func(hash string) bool { return hash == on.hash(b.Text) })
		}
	})
}

// markPresent sets those bullets to true that a memory has.
func markPresent(bullets map[string]bool, in memorytext.Text) {
	if len(bullets) == 0 {
		return
	}
	for _, it := range in.Items {
		b, ok := it.Bullet()
		for _, text := range []string{b.Text, b.Head} { // a person may have written more below it
			if _, asked := bullets[text]; ok && asked {
				bullets[text] = true
			}
		}
	}
}

// changedItems returns the items of now between those with which both begin and end.
func changedItems(was, now []memorytext.Item) []memorytext.Item {
	same := func(a, b memorytext.Item) bool { return a.Kind == b.Kind && slices.Equal(a.Lines, b.Lines) }
	for len(was) > 0 && len(now) > 0 && same(was[0], now[0]) {
		was, now = was[1:], now[1:]
	}
	for len(was) > 0 && len(now) > 0 && same(was[len(was)-1], now[len(now)-1]) {
		was, now = was[:len(was)-1], now[:len(now)-1]
	}
	return now
}

// stamp returns the stamp of a file as the app last wrote it.
func (j *Journal) stamp(path string) (wholefile.Stamp, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	stamp, ok := j.now().Files[j.rel(path)]
	return stamp, ok
}

// known returns the paths of the files that the app has read or written.
func (j *Journal) known() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var paths []string
	for _, rel := range slices.Concat(j.now().Seen, slices.Sorted(maps.Keys(j.now().Files))) {
		paths = append(paths, filepath.Join(j.p.Root, filepath.FromSlash(rel)))
	}
	return paths
}

// Lines returns the lines that the app remembered, oldest first.
func (j *Journal) Lines() []Line {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.now().Lines)
}

// replaced returns the replaced files that are still watched.
func (j *Journal) replaced() []replaced {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.now().Replaced)
}

// clean removes forgotten text that came back from the file.
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

// hash returns the form in which a removed line is recorded. The journal alone reveals
// nothing about a long line; guesses of a short one can be tested.
func (on *journal) hash(text string) string {
	if on.Key == "" {
		return ""
	}
	sum := hmac.New(sha256.New, []byte(on.Key))
	_, _ = sum.Write([]byte(strings.ToLower(strings.Join(strings.Fields(text), " ")))) // never fails
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// CheckRemoved returns a lesson.ErrRejected for a lesson that the user removed from the
// memory and wants to stay removed.
func (j *Journal) CheckRemoved(text string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if on := j.now(); len(on.Removed) == 0 || !slices.Contains(on.Removed, on.hash(text)) {
		return nil
	}
	return fmt.Errorf("%w: you removed it from the memory; add it yourself if you want it back", lesson.ErrRejected)
}

// Key returns the key of the data folder's hashes of lines, "" if it has none yet.
func (j *Journal) Key() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now().Key
}

// MakeKey makes a key if there is none.
func (j *Journal) MakeKey() error {
	return j.change(func(on *journal) {
		if on.Key == "" {
			on.Key = rand.Text()
		}
	})
}

// KeepRemoved drops lines from the journal, so that no model writes them again.
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

// Drop removes a line of a file from the journal: the user undid it, so it no longer counts
// as missing.
func (j *Journal) Drop(path, text string) {
	file := j.rel(path)
	j.note(func(on *journal) {
		on.Lines = slices.DeleteFunc(on.Lines, func(l Line) bool { return l.File == file && l.Text() == text })
	})
}

// Matcher defines what to forget from the journal.
type Matcher struct {
	Line func(Line) bool
	Raw  func([]byte) bool // for the bytes of a damaged journal, or of one of an earlier version
}

// Forget removes matching text from the journal; with dry it only looks. It returns the
// journal's path if it found something. It looks at the file itself, because reading leaves
// out what was forgotten before.
func (j *Journal) Forget(m Matcher, dry bool) (path string, err error) {
	found, err := j.holds(m)
	if err == nil && !found {
		return "", nil
	}
	if err != nil || dry {
		return j.path, err
	}
	err = j.change(func(on *journal) { on.Lines = slices.DeleteFunc(on.Lines, m.Line) })
	if err == nil {
		if found, err = j.holds(m); found {
			err = errors.New("it still holds it; run it again")
		}
	}
	return j.path, err
}

// holds reports whether the file holds matching text.
func (j *Journal) holds(m Matcher) (bool, error) {
	on, raw, _, err := j.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, errDamaged):
		return m.Raw(raw), nil
	}
	return slices.ContainsFunc(on.Lines, m.Line) || namesLineAbove(raw) && m.Raw(raw), err
}

// namesLineAbove reports whether a journal was written by version 0.2, which kept the line
// above each line too. Writing it again removes these.
func namesLineAbove(raw []byte) bool { return bytes.Contains(raw, []byte(`"after":`)) }

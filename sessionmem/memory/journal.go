package memory

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
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"
)

// lineJournalFile keeps the lines that the app has remembered, so that what another program's
// late save drops can be put back. It is hidden beside the memory files, written under
// their lock, and read by nothing but this package. Forgetting cleans it: see
// forgetJournal.
const lineJournalFile = ".memory-journal"

// maxJournal is how many lines it keeps, the newest: more than fit into any prompt.
const maxJournal = 1000

// lineJournal is what the file holds, as JSON.
type lineJournal struct {
	Files    map[string]wholefile.Stamp `json:"files,omitempty"` // by file: as the app wrote it last
	Lines    []journalLine              `json:"lines,omitempty"` // the oldest first
	Replaced []replaced                 `json:"replaced,omitempty"`
	Key      string                     `json:"key,omitempty"`     // of Removed, in hex
	Removed  []string                   `json:"removed,omitempty"` // keyed hashes of lines that the user keeps removed
}

// journalLine is a line that the app has written into a memory file.
type journalLine struct {
	ID    string    `json:"id"`
	File  string    `json:"file"`            // relative to the data folder, with slashes
	Line  string    `json:"line"`            // as it stands in the file, with its sign and comment
	After string    `json:"after,omitempty"` // the line above it
	At    time.Time `json:"at"`
}

func (m *Memory) journalPath() string { return filepath.Join(m.root, "agents", lineJournalFile) }

// rel names a file in the journal.
func (m *Memory) rel(path string) string {
	if rel, err := filepath.Rel(m.root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// errDamaged: the journal is there and is no journal.
var errDamaged = errors.New("it is damaged")

// readJournal reads the journal as it is on disk, whatever was forgotten since. Errors:
// fs.ErrNotExist, errDamaged, or of the disk.
func (m *Memory) readJournal() (j lineJournal, raw []byte, fi os.FileInfo, err error) {
	if raw, fi, err = wholefile.ReadRaw(m.journalPath()); err != nil {
		return j, nil, nil, err
	}
	if err := json.Unmarshal(raw, &j); err != nil {
		return lineJournal{}, raw, fi, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return j, raw, fi, nil
}

// journal gives the journal as it is on disk now, without what was forgotten; m.mu is
// held. One that is not there, or damaged, is empty: it only ever adds to what the memory
// files say.
func (m *Memory) journal() *lineJournal {
	fi, err := os.Stat(m.journalPath())
	if err == nil && m.journalStat != nil && wholefile.StampOf(fi) == wholefile.StampOf(m.journalStat) {
		return &m.journalRead
	}
	m.journalRead, _, m.journalStat, err = m.readJournal()
	switch {
	case err == nil:
		lines := len(m.journalRead.Lines)
		m.journalRead.Lines = slices.DeleteFunc(m.journalRead.Lines, func(l journalLine) bool {
			return m.returned(m.pathOf(l), l.Line)
		})
		m.journalDirty = len(m.journalRead.Lines) < lines
		for i, l := range m.journalRead.Lines {
			if l.After != "" && m.returned(m.pathOf(l), l.After) {
				m.journalRead.Lines[i].After = ""
				m.journalDirty = true
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		m.logger.Warn("the journal of remembered lines can't be read: what was dropped before can't be put back", "path", m.journalPath(), "err", err)
	}
	if m.journalRead.Files == nil {
		m.journalRead.Files = map[string]wholefile.Stamp{}
	}
	return &m.journalRead
}

// pathOf is the memory file that a line was written into.
func (m *Memory) pathOf(l journalLine) string {
	return filepath.Join(m.root, filepath.FromSlash(l.File))
}

// changeJournal changes the journal and writes it; the lock of the memory files is held.
// After an error it is as it was.
func (m *Memory) changeJournal(change func(j *lineJournal)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.journal()
	change(j)
	j.Lines = j.Lines[max(0, len(j.Lines)-maxJournal):]
	j.Removed = j.Removed[max(0, len(j.Removed)-maxJournal):]
	data, err := json.Marshal(j)
	if err == nil {
		err = wholefile.Write(m.journalPath(), data, 0o600)
	}
	if err == nil {
		m.journalStat, err = os.Stat(m.journalPath())
	}
	if err != nil {
		m.journalStat = nil // what was read holds the change, and the file doesn't
		return wholefile.Explain("writing the journal of remembered lines", err)
	}
	m.journalDirty = false
	return nil
}

// noteInJournal is changeJournal where what was done stands all the same: only a late
// save of another program would undo it for good.
func (m *Memory) noteInJournal(change func(j *lineJournal)) {
	if err := m.changeJournal(change); err != nil {
		m.logger.Warn("what another program's late save drops from the memory now can't be put back", "err", err)
	}
}

// noteEdit notes what an edit of the app made of a memory file: its state, the lines
// learnt that are new in it, and those that the edit itself took out. An edit that takes
// over another program's save takes none out knowingly.
func (m *Memory) noteEdit(path, real string, before, after []byte, knowingly bool) error {
	fi, err := os.Stat(real)
	if err != nil {
		return wholefile.Explain("reading "+filepath.Base(path)+" back", err)
	}
	m.mu.Lock()
	m.own[real] = wholefile.StampOf(fi)
	m.mu.Unlock()
	if _, ok := m.targetAt(path); !ok {
		return nil
	}
	defer m.changed()
	was, now := learntLines(before), learntLines(after)
	old, left := textsOf(was), textsOf(now)
	file := m.rel(path)
	m.noteInJournal(func(j *lineJournal) {
		j.Files[file] = wholefile.StampOf(fi)
		known := map[string]bool{}
		j.Lines = slices.DeleteFunc(j.Lines, func(l journalLine) bool {
			if l.File != file {
				return false
			}
			text := memorytext.BulletOf(l.Line).Text
			known[text] = true
			return knowingly && old[text] && !left[text]
		})
		for _, l := range now {
			if l.from == "" || old[l.text] || known[l.text] {
				continue
			}
			j.Lines = append(j.Lines, journalLine{ID: transcript.RandomID(6), File: file, Line: strings.Join(l.lines, "\n"), After: l.after, At: time.Now()})
			j.Removed = slices.DeleteFunc(j.Removed, func(hash string) bool { return hash == j.hash(l.text) })
		}
	})
	return nil
}

// learnt is a bullet of a memory file.
type learnt struct {
	text, from, after string
	lines             []string
}

func textsOf(list []learnt) map[string]bool {
	texts := make(map[string]bool, len(list))
	for _, l := range list {
		texts[l.text] = true
	}
	return texts
}

// learntLines are the bullets of a file.
func learntLines(raw []byte) []learnt {
	text := memorytext.ParseBytes(raw)
	var list []learnt
	for _, it := range text.Items {
		if b, ok := it.Bullet(); ok {
			list = append(list, learnt{b.Text, b.From, text.Above(it), it.Lines})
		}
	}
	return list
}

// hash is how a line that is kept removed is remembered: who has the journal alone
// learns nothing of a long line, and can try guesses of a short one.
func (j *lineJournal) hash(text string) string {
	if j.Key == "" {
		return ""
	}
	sum := hmac.New(sha256.New, []byte(j.Key))
	_, _ = sum.Write([]byte(strings.ToLower(strings.Join(strings.Fields(text), " ")))) // never fails
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// keptRemoved gives the error for a lesson that the user has taken out of the memory and
// wants to stay out.
func (m *Memory) keptRemoved(text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if j := m.journal(); len(j.Removed) == 0 || !slices.Contains(j.Removed, j.hash(text)) {
		return nil
	}
	return fmt.Errorf("%w: you removed it from the memory; add it yourself if you want it back", lesson.ErrRejected)
}

// keepRemoved drops lines from the journal and lets no model write them again.
func (j *lineJournal) keepRemoved(lines []journalLine) {
	if j.Key == "" {
		j.Key = rand.Text()
	}
	for _, l := range lines {
		j.Removed = append(j.Removed, j.hash(memorytext.BulletOf(l.Line).Text))
		j.Lines = slices.DeleteFunc(j.Lines, func(o journalLine) bool { return o.ID == l.ID })
	}
}

// targetAt is the target whose memory file this is.
func (m *Memory) targetAt(path string) (Target, bool) {
	dir, base := filepath.Split(path)
	name, isText := strings.CutSuffix(base, transcript.FileSuffix)
	dir = filepath.Clean(dir)
	var t Target
	switch agent, isAgent := strings.CutPrefix(filepath.Base(dir), "agent-"); {
	case !isText:
		return Target{}, false
	case isAgent && name == "memory":
		t = Target{TargetAgent, agent}
	case name == "memory":
		t = Target{Kind: TargetGlobal}
	default:
		for prefix, kind := range map[string]TargetKind{"memory-discord-": TargetChannel, "user-": TargetPerson, "server-": TargetServer} {
			if id, ok := strings.CutPrefix(name, prefix); ok {
				t = Target{kind, id}
			}
		}
		if id, ok := strings.CutPrefix(name, "memory-"); ok && t.Kind == "" {
			t = Target{TargetGlobal, id}
		}
	}
	return t, t.Kind != "" && m.Path(t) == path
}

// forgetJournal takes what the traces mean out of the journal. The lock is held.
func (m *Memory) forgetJournal(t *forgotten.Traces, dry bool) []forgotten.Touched {
	goes := func(l journalLine) bool {
		f := &forgetLines{m: m, t: t, path: m.pathOf(l), dry: true}
		return len(f.clean([]byte(l.Line))) == 0
	}
	above := func(l journalLine) bool { // it stays, and no longer says where it stood
		f := &forgetLines{m: m, t: t, path: m.pathOf(l), dry: true}
		return t.Holds(l.After) && f.counts("")
	}
	holds := func() (bool, error) { // the file itself: journal leaves out what was forgotten before
		j, raw, _, err := m.readJournal()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, nil
		case errors.Is(err, errDamaged):
			return t.HoldsRaw(raw), nil
		}
		return slices.ContainsFunc(j.Lines, func(l journalLine) bool { return goes(l) || above(l) }), err
	}
	touched := forgotten.Touched{Place: "journal of remembered lines", Action: forgotten.Removed, Path: m.journalPath()}
	found, err := holds()
	if err == nil && !found {
		return nil
	}
	if err == nil && !dry {
		err = m.changeJournal(func(j *lineJournal) {
			j.Lines = slices.DeleteFunc(j.Lines, goes)
			for i, l := range j.Lines {
				if above(l) {
					j.Lines[i].After = ""
				}
			}
		})
	}
	if err == nil && !dry {
		if found, err = holds(); found {
			err = errors.New("it still holds it; run it again")
		}
	}
	if err != nil {
		touched.Action, touched.Why = forgotten.Refused, wholefile.WhyNot(err)
	}
	return []forgotten.Touched{touched}
}

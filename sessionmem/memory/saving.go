package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/wholefile"
)

// People and the app write the same files. Many programs save in place: they empty the
// file and write it anew, at once or in pieces. What is read in between is no decision
// of the user's. Two things keep it from being taken for one:
//
//   - A file that looks like the middle of a save is not trusted: see saving. Readers go
//     on with what they knew, writers wait.
//   - A write of ours takes the file's name away from the one that another program may
//     still have open and go on writing. So the old file keeps a second name until
//     nobody has it open for writing, and what was written into it is taken over: see
//     replaced.

// ErrSaving: another program is saving the file, and takes its time.
var ErrSaving = errors.New("another program is saving it")

const (
	// quietTime is how long any other file that was edited must rest where the system
	// can't tell whether somebody still writes it.
	quietTime = 250 * time.Millisecond
	// emptyTime is how long an emptied file that a program has open for writing is
	// waited for: longer ones have it open for another reason.
	emptyTime = 10 * time.Second
	// savingPatience is how long a write waits for a save.
	savingPatience = 3 * time.Second
	// savingLook is the time between two looks at it.
	savingLook = 20 * time.Millisecond
)

// sight is a state of a file and since when it was seen so.
type sight struct {
	stamp wholefile.Stamp // zero: no such file
	since time.Time
}

// seenFor is how long a file was seen in this state.
func (m *Memory) seenFor(path string, stamp wholefile.Stamp) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	s, ok := m.sights[path]
	if !ok || s.stamp != stamp {
		s = sight{stamp, now}
		m.sights[path] = s
	}
	return now.Sub(s.since)
}

// lookedAt ends the watching of a file that can be trusted.
func (m *Memory) lookedAt(path string) {
	m.mu.Lock()
	delete(m.sights, path)
	m.mu.Unlock()
}

// knownFile is what was known of a file before: by this process, or by the journal.
type knownFile struct {
	own  bool // the file is as the app wrote it
	size int64
	text string // "" where its size alone is known
}

// cutShort reports whether a text can be the beginning of the known file, saved anew.
func (k knownFile) cutShort(size int64, text string) bool {
	if k.text == "" {
		return size < k.size
	}
	return len(text) < len(k.text) &&
		(strings.HasPrefix(k.text, text) || strings.HasSuffix(k.text, "\n") && !strings.HasSuffix(text, "\n"))
}

// saving reports whether a file looks like the middle of another program's save: it is
// gone, emptied or cut short since it was known and hasn't been so for a second, or
// somebody has it open for writing. fi is nil where there is no file.
func (m *Memory) saving(path string, fi os.FileInfo, text string, known knownFile) bool {
	if known.own || fi == nil && known.size == 0 && !comesBack(path) {
		return false
	}
	busy := false
	switch {
	case fi == nil:
		busy = m.seenFor(path, wholefile.Stamp{}) < wholefile.StableTime
	case fi.Size() == 0:
		busy = m.emptied(path, fi)
	case known.cutShort(fi.Size(), text), known.size == 0 && !strings.HasSuffix(text, "\n"):
		busy = !restedFor(fi, wholefile.StableTime) && m.seenFor(path, wholefile.StampOf(fi)) < wholefile.StableTime
	}
	if !busy && fi != nil && fi.Size() > 0 {
		open, certain := wholefile.IsOpenForWriting(path)
		switch {
		case open:
			busy = m.seenFor(path, wholefile.StampOf(fi)) < wholefile.StableTime
		case !certain:
			busy = !restedFor(fi, quietTime) && m.seenFor(path, wholefile.StampOf(fi)) < quietTime
		}
	}
	if !busy {
		m.lookedAt(path)
	}
	return busy
}

// comesBack reports whether a file that nobody knew, and that isn't there, may be between
// the steps of an editor that moves it away first: something was just done in its folder,
// and what lies there has its name and more.
func comesBack(path string) bool {
	dir := filepath.Dir(path)
	if fi, err := os.Stat(dir); err != nil || restedFor(fi, wholefile.StableTime) {
		return false
	}
	entries, err := os.ReadDir(dir)
	base := filepath.Base(path)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != base && strings.Contains(e.Name(), base)
	})
}

// emptied reports whether an empty file may be about to be written.
func (m *Memory) emptied(path string, fi os.FileInfo) bool {
	if restedFor(fi, emptyTime) {
		return false
	}
	seen := m.seenFor(path, wholefile.StampOf(fi))
	open, _ := wholefile.IsOpenForWriting(path)
	return seen < wholefile.StableTime || open && seen < emptyTime
}

// restedFor reports whether a file's last change lies so far back. A time in the future
// (another computer's clock, a restored backup) says nothing.
func restedFor(fi os.FileInfo, d time.Duration) bool {
	age := time.Since(fi.ModTime())
	return age >= d
}

// isBinary reports whether bytes are no text: a stray zero byte is, many are not.
func isBinary(text []byte) bool { return bytes.Count(text, []byte{0})*8 > len(text) }

// notText is the error for a file whose bytes are no text: nothing can be read from it
// as memory, and nothing is written into it.
func notText(path string) error {
	return fmt.Errorf("%s is not a text file (UTF-8 or UTF-16); save it as UTF-8 in your editor, then try again", filepath.Base(path))
}

// edit replaces a file people own by what change makes of its text: through a link, at
// once, keeping its mode and encoding. It waits out another program's save; where the
// file was edited between reading and replacing it, it begins again. The lock is held.
// Errors: ErrSaving where the save takes long; of change; of the disk.
func (m *Memory) edit(ctx context.Context, path string, change func(raw []byte) ([]byte, error)) error {
	return m.editAs(ctx, path, editing{patience: savingPatience}, change)
}

// editing says how an edit goes about another program's save.
type editing struct {
	patience time.Duration // how long it is waited for
	waiting  func() error  // what is done before waiting; nil for nothing
	takeOver bool          // the edit takes over what another program saved
}

// editAs is edit as how says. It waits no longer once ctx is over.
func (m *Memory) editAs(ctx context.Context, path string, how editing, change func(raw []byte) ([]byte, error)) error {
	deadline := time.Now().Add(how.patience)
	for tries := 0; tries < memoryTries; {
		real, err := ownFile(path)
		if err != nil {
			return wholefile.Explain("writing "+filepath.Base(path), err)
		}
		raw, was, err := wholefile.ReadRaw(real)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wholefile.Explain("reading "+filepath.Base(path), err)
		}
		text, enc := wholefile.Decode(raw)
		if m.saving(real, was, memorytext.Normalize(text), m.knownTo(path, real, was)) {
			if how.waiting != nil {
				if err := how.waiting(); err != nil {
					return err
				}
				how.waiting = nil
			}
			if !time.Now().Before(deadline) || ctx.Err() != nil {
				return fmt.Errorf("writing %s: %w; try again when it is done", filepath.Base(path), ErrSaving)
			}
			select {
			case <-ctx.Done():
			case <-time.After(savingLook):
			}
			continue
		}
		if isBinary(text) {
			return notText(path)
		}
		out, err := change(text)
		if err != nil {
			return err
		}
		done, err := m.replaceOwned(path, real, enc.Encode(out), was)
		if err != nil {
			return wholefile.Explain("writing "+filepath.Base(path), err)
		}
		if done {
			return m.noteEdit(path, real, text, out, !how.takeOver)
		}
		tries++
	}
	return fmt.Errorf("writing %s: another program keeps changing it; try again", filepath.Base(path))
}

// knownTo is what is known of a file before it is read for a write.
func (m *Memory) knownTo(path, real string, fi os.FileInfo) knownFile {
	m.mu.Lock()
	defer m.mu.Unlock()
	var k knownFile
	if stamp, ok := m.own[real]; ok {
		k.size = stamp.Size
		k.own = fi != nil && wholefile.StampOf(fi) == stamp
	}
	if stamp, ok := m.journal().Files[m.rel(path)]; ok {
		k.size = max(k.size, stamp.Size)
		k.own = k.own || fi != nil && wholefile.StampOf(fi) == stamp
	}
	if r, ok := m.read[path]; ok && r.Stat != nil {
		k.size, k.text = r.Stat.Size(), r.file.Text
	}
	return k
}

// replaceOwned writes a file anew. The old one keeps another name meanwhile: a program
// that has it open goes on writing there.
func (m *Memory) replaceOwned(path, real string, data []byte, was os.FileInfo) (bool, error) {
	link := ""
	if was != nil {
		link = filepath.Join(filepath.Dir(real), wholefile.TempName(filepath.Base(real)))
		if err := os.Link(real, link); err != nil {
			link = "" // the file system has no second names: what is open is looked after no further
		}
	}
	done, err := wholefile.Replace(real, data, was)
	if done {
		if err := wholefile.SyncFolder(filepath.Dir(real)); err != nil {
			m.logger.Warn("a memory's folder could not be synced: a power cut now could bring the file before this write back", "path", real, "err", err)
		}
	}
	if link == "" {
		return done, err
	}
	old := replaced{File: path, Link: link, Stamp: wholefile.StampOf(was), At: time.Now()}
	if done && old.mayGrow() {
		m.noteInJournal(func(j *lineJournal) { j.Replaced = append(j.Replaced, old) })
		return done, err
	}
	return done, errors.Join(err, os.Remove(link))
}

// Settled reports what Settle did.
type Settled struct {
	Written []Written // lessons that waited for a save
	Pending bool      // something is left to be done
}

// Settle finishes what waits for other programs' saves: lessons in the inbox, and files
// that were open for writing when they were replaced. What was forgotten and came back in
// the journal is taken out of it. It waits for none of them: where
// something is pending, call it again.
func (m *Memory) Settle(ctx context.Context) (Settled, error) {
	var s Settled
	m.mu.Lock()
	old := len(m.journal().Replaced)
	dirty := m.journalDirty
	m.mu.Unlock()
	waiting, err := m.Inbox()
	if err != nil {
		return s, err
	}
	if old == 0 && !dirty && !anySaving(waiting) {
		return s, nil
	}
	unlock, err := m.lock(ctx)
	if err != nil {
		return s, err
	}
	defer unlock()
	if dirty { // a backup brought it back
		if err := m.changeJournal(func(*lineJournal) {}); err != nil {
			return s, err
		}
	}
	s.Pending = m.takeOver(ctx)
	if waiting, err = m.Inbox(); err != nil { // another process may have been at it
		return s, err
	}
	for _, p := range waiting {
		if p.Why != WhySaving {
			continue
		}
		w, err := m.settle(ctx, p)
		switch {
		case errors.Is(err, ErrSaving):
			s.Pending = true
		case err != nil:
			return s, err
		case w.Text != "":
			s.Written = append(s.Written, w)
		}
	}
	return s, nil
}

func anySaving(list []Proposal) bool {
	for _, p := range list {
		if p.Why == WhySaving {
			return true
		}
	}
	return false
}

// settle writes a lesson that waits for a save. Where it can't be written any more it
// becomes a proposal like others, and the user decides.
func (m *Memory) settle(ctx context.Context, p Proposal) (Written, error) {
	w, u, err := m.write(ctx, Lesson{Text: p.Text, Target: p.Target, Confidence: p.Confidence, Session: p.Session, Hand: p.Session == ""}, 0, false)
	switch {
	case errors.Is(err, ErrSaving):
		return Written{}, err
	case err == nil:
		w.UndoID = m.keepUndo(u)
		return w, m.takeOut(ctx, p.ID)
	case errors.Is(err, ErrDuplicate), errors.Is(err, lesson.ErrRejected):
		return Written{}, m.takeOut(ctx, p.ID)
	}
	m.logger.Warn("a lesson that waited for a save could not be written, it stays in the inbox", "err", err)
	why := ""
	if errors.Is(err, ErrFull) {
		why = WhyFull
	}
	return Written{}, m.proposeWaiting(ctx, p.ID, why)
}

// LoadStable is Load for a reader that must not miss an edit and must not take half a
// save for one: it waits for a save that is going on, up to about a second.
func (m *Memory) LoadStable(ctx context.Context, t Target) (File, error) {
	f, err := m.Load(t)
	for deadline := time.Now().Add(wholefile.StableTime + wholefile.StableTime/4); f.Saving && time.Now().Before(deadline) && ctx.Err() == nil; {
		time.Sleep(savingLook)
		f, err = m.Load(t)
	}
	return f, err
}

// readsSaving reports whether what was read looks like the middle of a save. Reading
// doesn't ask who has an old file open: that costs more than it is worth in every turn.
// m.mu is not held.
func (m *Memory) readsSaving(path string, fi os.FileInfo, text string, before readMemory) bool {
	if fi != nil && restedFor(fi, emptyTime) {
		return false
	}
	known := knownFile{}
	if before.Stat != nil {
		known = knownFile{size: before.Stat.Size(), text: before.file.Text}
	}
	switch {
	case fi == nil && known.size == 0:
		return false
	case fi == nil, fi.Size() == 0, known.cutShort(fi.Size(), text):
		if real, err := wholefile.Through(path); err == nil {
			known.own = m.knownTo(path, real, fi).own
		}
		return m.saving(path, fi, text, known)
	case !restedFor(fi, wholefile.StableTime):
		open, _ := wholefile.IsOpenForWriting(path)
		if open && m.seenFor(path, wholefile.StampOf(fi)) < wholefile.StableTime {
			return true
		}
	}
	m.lookedAt(path)
	return false
}

// waitStable waits for another program's save of a memory file, up to about a second.
func (m *Memory) waitStable(path string) {
	if t, ok := m.targetAt(path); ok {
		_, _ = m.LoadStable(context.Background(), t) // what is wrong with it is told by who reads it
	}
}

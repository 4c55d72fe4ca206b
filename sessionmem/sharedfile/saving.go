package sharedfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	// Patience is how long a write waits for a save.
	Patience = 3 * time.Second
	// savingLook is the time between two looks at it.
	savingLook = 20 * time.Millisecond
)

// sight is a state of a file and since when it was seen so.
type sight struct {
	stamp wholefile.Stamp // zero: no such file
	since time.Time
}

// seenFor is how long a file was seen in this state.
func (f *Files) seenFor(path string, stamp wholefile.Stamp) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	s, ok := f.sights[path]
	if !ok || s.stamp != stamp {
		s = sight{stamp, now}
		f.sights[path] = s
	}
	return now.Sub(s.since)
}

// lookedAt ends the watching of a file that can be trusted.
func (f *Files) lookedAt(path string) {
	f.mu.Lock()
	delete(f.sights, path)
	f.mu.Unlock()
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
func (f *Files) saving(path string, fi os.FileInfo, text string, known knownFile) bool {
	if known.own || fi == nil && known.size == 0 && !comesBack(path) {
		return false
	}
	busy := false
	switch {
	case fi == nil:
		busy = f.seenFor(path, wholefile.Stamp{}) < wholefile.StableTime
	case fi.Size() == 0:
		busy = f.emptied(path, fi)
	case known.cutShort(fi.Size(), text), known.size == 0 && !strings.HasSuffix(text, "\n"):
		busy = !restedFor(fi, wholefile.StableTime) && f.seenFor(path, wholefile.StampOf(fi)) < wholefile.StableTime
	}
	if !busy && fi != nil && fi.Size() > 0 {
		open, certain := wholefile.IsOpenForWriting(path)
		switch {
		case open:
			busy = f.seenFor(path, wholefile.StampOf(fi)) < wholefile.StableTime
		case !certain:
			busy = !restedFor(fi, quietTime) && f.seenFor(path, wholefile.StampOf(fi)) < quietTime
		}
	}
	if !busy {
		f.lookedAt(path)
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
func (f *Files) emptied(path string, fi os.FileInfo) bool {
	if restedFor(fi, emptyTime) {
		return false
	}
	seen := f.seenFor(path, wholefile.StampOf(fi))
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

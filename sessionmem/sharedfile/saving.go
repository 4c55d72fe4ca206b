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

// People and the app write the same files. Many programs save in place: they empty the file
// and write it again, at once or in pieces. An intermediate state isn't a decision of the
// user. Two mechanisms keep it from being mistaken for one:
//
//   - A file that looks like the middle of a save isn't trusted; see isMidSave. Readers
//     continue with the previous state, writers wait.
//   - A write by the app takes the file's name away from the file that another program may
//     have open and continue to write. The old file therefore keeps a second name until no
//     program has it open for writing, and its new text is adopted; see replaced.

// ErrLater means that a file can't be written now, and that nothing is wrong with what was
// to be written. The other errors are forms of it.
var (
	ErrLater = errors.New("it can't be written now")
	// ErrSaving means that another program is saving the file and takes long.
	ErrSaving error = later("another program is saving it")
	// ErrReadOnly means that the person, or the disk, doesn't let the file be written.
	ErrReadOnly error = later("it is read-only")
	// ErrAway means that the file isn't where it was, or where it seems to belong.
	ErrAway error = later("the file is missing")
)

// later is a form of ErrLater.
type later string

func (e later) Error() string { return string(e) }

func (later) Is(err error) bool { return err == ErrLater }

const (
	// quietTime is how long any other edited file must be unchanged if the system can't
	// tell whether a program is still writing it.
	quietTime = 250 * time.Millisecond
	// emptyTime is how long to wait for an emptied file that a program has open for
	// writing. After that the program has it open for another reason.
	emptyTime = 10 * time.Second
	// Patience is how long a write waits for a save.
	Patience = 3 * time.Second
	// savingLook is the interval between two checks of a save.
	savingLook = 20 * time.Millisecond
)

// sight is a state of a file and the time since when it has been seen.
type sight struct {
	stamp wholefile.Stamp // zero: no such file
	since time.Time
}

// seenFor returns how long a file has been seen in this state.
func (f *Files) seenFor(path string, stamp wholefile.Stamp) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	s, ok := f.sightings[path]
	if !ok || s.stamp != stamp {
		s = sight{stamp, now}
		f.sightings[path] = s
	}
	return now.Sub(s.since)
}

// unwatch stops watching a file that can be trusted.
func (f *Files) unwatch(path string) {
	f.mu.Lock()
	delete(f.sightings, path)
	f.mu.Unlock()
}

// knownFile holds what this process or the journal knew about a file before.
type knownFile struct {
	own  bool // the file is as the app wrote it
	size int64
	text string // "" if only its size is known
}

// cutShort reports whether a text may be the beginning of the known file during a save.
func (k knownFile) cutShort(size int64, text string) bool {
	if k.text == "" {
		return size < k.size
	}
	return len(text) < len(k.text) &&
		(strings.HasPrefix(k.text, text) || strings.HasSuffix(k.text, "\n") && !strings.HasSuffix(text, "\n"))
}

// isMidSave reports whether a file looks like the middle of another program's save: it is
// missing, empty or truncated compared with what was known and hasn't been so for a second,
// or a program has it open for writing. fi is nil if there is no file.
func (f *Files) isMidSave(path string, fi os.FileInfo, text string, known knownFile) bool {
	if known.own || fi == nil && known.size == 0 && !mayReturn(path) {
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
		f.unwatch(path)
	}
	return busy
}

// mayReturn reports whether a missing file that wasn't known before may be in the hands of
// an editor that first moves it away: its folder has just changed, and holds a file whose
// name contains its name.
func mayReturn(path string) bool {
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

// restedFor reports whether a file has been unchanged for d. A time in the future (another
// computer's clock, a restored backup) doesn't count as rest.
func restedFor(fi os.FileInfo, d time.Duration) bool {
	age := time.Since(fi.ModTime())
	return age >= d
}

// isBinary reports whether bytes aren't text: a stray zero byte is allowed, many aren't.
func isBinary(text []byte) bool { return bytes.Count(text, []byte{0})*8 > len(text) }

// notText returns the error for a file that isn't text. It is neither read as memory nor
// written.
func notText(path string) error {
	return fmt.Errorf("%s is not a text file (UTF-8 or UTF-16); save it as UTF-8 in your editor, then try again", filepath.Base(path))
}

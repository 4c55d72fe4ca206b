package sharedfile

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

	"mac-stats/sessionmem/wholefile"
)

// People and the app write the same files. Many programs save in place: they empty the file
// and write it again, at once or in pieces. An intermediate state isn't a decision of the
// user. Two mechanisms keep it from being mistaken for one:
//
//   - Writers wait until a file that isn't as the app left it has been still for a second; see
//     LockStill. Readers believe it at once, unless it is missing, empty or shorter than known;
//     see Read.
//   - A write by the app may take the file's name away from the file that another program has
//     open and continues to write. The old file therefore keeps a second name until no
//     program has it open for writing, and its new text is adopted; see replaced.

// ErrLater means that a file can't be written now, and that nothing is wrong with what was
// to be written. The other errors are forms of it.
var (
	ErrLater = errors.New("it can't be written now")
	// ErrSaving means that another program is saving the file and takes long.
	ErrSaving error = later("another program is saving it")
	// ErrReadOnly means that the person, or the disk, doesn't let the file be written.
	ErrReadOnly error = later("it is read-only")
	// ErrCharset means that the file is in a charset that can only be guessed, and which lacks a letter
	// that is to be written.
	ErrCharset error = later("it isn't UTF-8, and can't hold these letters as it is; save it as UTF-8 in your editor")
	// ErrAway means that the file isn't where it was, or where it seems to belong.
	ErrAway error = later("the file is missing")
)

// later is a form of ErrLater.
type later string

func (e later) Error() string { return string(e) }

func (later) Is(err error) bool { return err == ErrLater }

const (
	// LongestWait is how long a write waits for a program that never rests.
	LongestWait = 15 * time.Second
	// savingLook is the interval between two checks of a save.
	savingLook = 20 * time.Millisecond
)

// LockStill is Lock for callers that write these files. It first waits, without the lock,
// until each of them is as the app left it or has been still for a second, at most
// LongestWait. If ctx ends before, the error is ErrSaving.
func (f *Files) LockStill(ctx context.Context, paths ...string) (unlock func(), err error) {
	for deadline := time.Now().Add(LongestWait); ; {
		restless := slices.IndexFunc(paths, func(path string) bool { return !f.Still(path) })
		if restless < 0 || !time.Now().Before(deadline) {
			if unlock, err = f.Lock(ctx); err != nil {
				return nil, err
			}
			restless = slices.IndexFunc(paths, func(path string) bool { return !f.Still(path) })
			if restless < 0 || !time.Now().Before(deadline) {
				return unlock, nil
			}
			unlock()
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("writing %s: %w; try again when it is done", filepath.Base(paths[restless]), ErrSaving)
		case <-time.After(savingLook):
		}
	}
}

// Still reports whether a file is as the app left it, or has been still for a second. One
// that a program emptied or cut, and has open for writing, isn't still.
func (f *Files) Still(path string) bool {
	real, err := wholefile.Through(path)
	if err != nil {
		return true // whoever writes it finds out why
	}
	fi, err := os.Stat(real)
	if err != nil {
		fi = nil
	}
	known := f.knownState(path, real, fi)
	if known.own || fi == nil && !known.there && !mayReturn(path) {
		f.unwatch(path)
		return true
	}
	if fi != nil && (fi.Size() == 0 || fi.Size() < known.size) {
		if open, _ := wholefile.IsOpenForWriting(real); open {
			return false // it was emptied, and the rest may come after a pause
		}
	}
	return f.rested(path, fi)
}

// rested reports whether a file has been still for a second; fi is nil if there is no file.
func (f *Files) rested(path string, fi os.FileInfo) bool {
	if fi == nil {
		return f.seenFor(path, wholefile.Stamp{}) >= wholefile.StableTime
	}
	return restedFor(fi, wholefile.StableTime) || f.seenFor(path, wholefile.StampOf(fi)) >= wholefile.StableTime
}

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
	own   bool // the file is as the app wrote it
	there bool // there was a file
	size  int64
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

// restedFor reports whether a file has been unchanged for d. A time in the future (another
// computer's clock, a restored backup) doesn't count as rest.
func restedFor(fi os.FileInfo, d time.Duration) bool {
	age := time.Since(fi.ModTime())
	return age >= d
}

// isBinary reports whether the bytes of a file aren't text. Some stray zero bytes and control
// characters are allowed, but no control character at its very beginning, where the formats
// of archives, pictures and encrypted files have their mark.
func isBinary(text []byte) bool {
	zeros, controls, n := 0, 0, 0
	for i, r := range string(text) {
		n++
		switch {
		case r == 0:
			zeros++
		case r < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", r):
			if controls++; i < 8 {
				return true
			}
		}
	}
	return zeros*8 > len(text) || controls*25 > n || bytes.HasPrefix(text, []byte("%PDF-"))
}

// notText returns the error for a file that isn't text. It is neither read as memory nor
// written.
func notText(path string) error {
	return fmt.Errorf("%s is not a text file (UTF-8 or UTF-16); save it as UTF-8 in your editor, then try again", filepath.Base(path))
}

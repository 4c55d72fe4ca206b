package sessionmem

import (
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// storeFolder is the session folder: whatever stands at its path now. It may be moved
// away and back, replaced, or vanish with its disk while the program runs. What is
// done in it is confined to it.
type storeFolder struct {
	dir    string
	logger *slog.Logger

	mu   sync.RWMutex // guards what follows; held while a call works in the folder
	root *os.Root     // nil while it can't be used
	stat os.FileInfo  // of root
	err  error        // why there is no root
	had  bool         // it was open before
}

// check finds the folder again where another one, or none, stands at its path.
// Every piece of work begins with it.
func (f *storeFolder) check() error {
	if f == nil {
		return nil // in memory
	}
	fi, err := os.Stat(f.dir)
	f.mu.RLock()
	same := err == nil && f.root != nil && os.SameFile(fi, f.stat)
	f.mu.RUnlock()
	if same {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.root != nil {
		f.logger.Warn("another session folder, or none, stands in the place of the one that was open", "dir", f.dir)
	}
	if errors.Is(f.err, fs.ErrClosed) {
		return f.err
	}
	f.err = errors.Join(f.closeRoot(), f.open())
	return f.err
}

// never says whether the folder could not be used up to now.
func (f *storeFolder) never() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return !f.had
}

// open prepares the folder. One that was there before is never made anew: it may
// be on its way back, and two would be in each other's place.
func (f *storeFolder) open() error {
	if f.had {
		if _, err := os.Stat(f.dir); err != nil {
			return wholefile.Explain("opening the session folder", err)
		}
	}
	var cause error
	for _, d := range []string{f.dir, filepath.Join(f.dir, locksDir), filepath.Join(f.dir, partialDir)} {
		if cause = os.MkdirAll(d, 0o700); cause != nil {
			f.logger.Warn("sessions can be read but not written", "dir", d, "err", cause)
			break
		}
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		if cause != nil {
			err = cause
		}
		return wholefile.Explain("opening the session folder", err)
	}
	stat, err := root.Stat(".")
	if err != nil {
		return errors.Join(wholefile.Explain("opening the session folder", err), root.Close())
	}
	f.root, f.stat, f.had = root, stat, true
	return nil // where it can't be written to, what writes says so
}

func (f *storeFolder) closeRoot() error {
	if f.root == nil {
		return nil
	}
	err := f.root.Close()
	f.root, f.stat = nil, nil
	return err
}

// Close ends the use of the folder.
func (f *storeFolder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = fs.ErrClosed
	return f.closeRoot()
}

// in works in the folder.
func in[T any](f *storeFolder, work func(*os.Root) (T, error)) (T, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.root == nil {
		var none T
		return none, f.err
	}
	return work(f.root)
}

func inFolder(f *storeFolder, work func(*os.Root) error) error {
	_, err := in(f, func(r *os.Root) (struct{}, error) { return struct{}{}, work(r) })
	return err
}

func (f *storeFolder) Open(name string) (*os.File, error) {
	return in(f, func(r *os.Root) (*os.File, error) {
		file, err := r.Open(name)
		return file, explainLink(r, name, err)
	})
}

func (f *storeFolder) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return in(f, func(r *os.Root) (*os.File, error) { return r.OpenFile(name, flag, perm) })
}

func (f *storeFolder) Stat(name string) (os.FileInfo, error) {
	return in(f, func(r *os.Root) (os.FileInfo, error) {
		fi, err := r.Stat(name)
		return fi, explainLink(r, name, err)
	})
}

// errLink: a link that is not followed.
var errLink = errors.New("it is a link that leads out of the session folder, or to nothing; put the file itself in its place, or remove the link")

// explainLink says so where an error is of a link that can't be followed.
func explainLink(r *os.Root, name string, err error) error {
	if err == nil {
		return nil
	}
	if fi, lerr := r.Lstat(name); lerr == nil && fi.Mode()&fs.ModeSymlink != 0 {
		return &fs.PathError{Op: "open", Path: name, Err: errLink}
	}
	return err
}

func (f *storeFolder) Lstat(name string) (os.FileInfo, error) {
	return in(f, func(r *os.Root) (os.FileInfo, error) { return r.Lstat(name) })
}

func (f *storeFolder) ReadFile(name string) ([]byte, error) {
	return in(f, func(r *os.Root) ([]byte, error) { return wholefile.ReadIn(r, name, math.MaxInt64-1) })
}

func (f *storeFolder) Rename(from, to string) error {
	return inFolder(f, func(r *os.Root) error { return r.Rename(from, to) })
}

func (f *storeFolder) Remove(name string) error {
	return inFolder(f, func(r *os.Root) error { return r.Remove(name) })
}

func (f *storeFolder) RemoveAll(name string) error {
	return inFolder(f, func(r *os.Root) error { return r.RemoveAll(name) })
}

func (f *storeFolder) MkdirAll(name string, perm os.FileMode) error {
	return inFolder(f, func(r *os.Root) error { return r.MkdirAll(name, perm) })
}

func (f *storeFolder) Chtimes(name string, atime, mtime time.Time) error {
	return inFolder(f, func(r *os.Root) error { return r.Chtimes(name, atime, mtime) })
}

// WalkDir is fs.WalkDir below a path of the folder.
func (f *storeFolder) WalkDir(name string, each fs.WalkDirFunc) error {
	return inFolder(f, func(r *os.Root) error { return fs.WalkDir(r.FS(), name, each) })
}

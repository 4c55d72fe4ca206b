package sessiondir

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path"
	"path/filepath"
	"sync"

	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wholefile"

	"github.com/gofrs/flock"
)

// Dir is the session folder: whatever stands at its path now. It may be moved
// away and back, replaced, or vanish with its disk while the program runs. What is
// done in it is confined to it.
type Dir struct {
	dir    string
	below  []string // folders that are made in it
	logger *slog.Logger

	mu   sync.RWMutex // guards what follows; held while a call works in the folder
	root *os.Root     // nil while it can't be used
	stat os.FileInfo  // of root
	err  error        // why there is no root
	had  bool         // it was open before
}

// New gives a folder that is opened at its first use, with its lock files and other
// folders below it.
func New(dir string, logger *slog.Logger, below ...string) *Dir {
	return &Dir{dir: dir, below: append([]string{transcript.LocksDir}, below...), logger: logger}
}

// Check finds the folder again where another one, or none, stands at its path.
// Every piece of work begins with it.
func (f *Dir) Check() error {
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

// Never says whether the folder could not be used up to now.
func (f *Dir) Never() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return !f.had
}

// open prepares the folder. One that was there before is never made anew: it may
// be on its way back, and two would be in each other's place.
func (f *Dir) open() error {
	if f.had {
		if _, err := os.Stat(f.dir); err != nil {
			return wholefile.Explain("opening the session folder", err)
		}
	}
	var cause error
	for _, d := range append([]string{""}, f.below...) {
		if cause = os.MkdirAll(filepath.Join(f.dir, d), 0o700); cause != nil {
			f.logger.Warn("sessions can be read but not written", "dir", filepath.Join(f.dir, d), "err", cause)
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

func (f *Dir) closeRoot() error {
	if f.root == nil {
		return nil
	}
	err := f.root.Close()
	f.root, f.stat = nil, nil
	return err
}

// Close ends the use of the folder.
func (f *Dir) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = fs.ErrClosed
	return f.closeRoot()
}

// in works in the folder.
func in[T any](f *Dir, work func(*os.Root) (T, error)) (T, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.root == nil {
		var none T
		return none, f.err
	}
	return work(f.root)
}

func inFolder(f *Dir, work func(*os.Root) error) error {
	_, err := in(f, func(r *os.Root) (struct{}, error) { return struct{}{}, work(r) })
	return err
}

// Open opens a file to be read.
func (f *Dir) Open(name string) (*os.File, error) {
	return in(f, func(r *os.Root) (*os.File, error) {
		file, err := r.Open(name)
		return file, explainLink(r, name, err)
	})
}

// OpenFile is os.Root.OpenFile.
func (f *Dir) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return in(f, func(r *os.Root) (*os.File, error) { return r.OpenFile(name, flag, perm) })
}

// Stat follows a link that stays within the folder.
func (f *Dir) Stat(name string) (os.FileInfo, error) {
	return in(f, func(r *os.Root) (os.FileInfo, error) {
		fi, err := r.Stat(name)
		return fi, explainLink(r, name, err)
	})
}

// ErrLink: a link that is not followed.
var ErrLink = errors.New("it is a link that leads out of the session folder, or to nothing; put the file itself in its place, or remove the link")

// explainLink says so where an error is of a link that can't be followed.
func explainLink(r *os.Root, name string, err error) error {
	if err == nil {
		return nil
	}
	if fi, lerr := r.Lstat(name); lerr == nil && fi.Mode()&fs.ModeSymlink != 0 {
		return &fs.PathError{Op: "open", Path: name, Err: ErrLink}
	}
	return err
}

// Lstat follows no link.
func (f *Dir) Lstat(name string) (os.FileInfo, error) {
	return in(f, func(r *os.Root) (os.FileInfo, error) { return r.Lstat(name) })
}

// ReadFile reads a whole file.
func (f *Dir) ReadFile(name string) ([]byte, error) {
	return in(f, func(r *os.Root) ([]byte, error) { return wholefile.ReadIn(r, name, math.MaxInt64-1) })
}

// Rename is os.Root.Rename.
func (f *Dir) Rename(from, to string) error {
	return inFolder(f, func(r *os.Root) error { return r.Rename(from, to) })
}

// Remove is os.Root.Remove.
func (f *Dir) Remove(name string) error {
	return inFolder(f, func(r *os.Root) error { return r.Remove(name) })
}

// RemoveAll is os.Root.RemoveAll.
func (f *Dir) RemoveAll(name string) error {
	return inFolder(f, func(r *os.Root) error { return r.RemoveAll(name) })
}

// MkdirAll is os.Root.MkdirAll.
func (f *Dir) MkdirAll(name string, perm os.FileMode) error {
	return inFolder(f, func(r *os.Root) error { return r.MkdirAll(name, perm) })
}

// WalkDir is fs.WalkDir below a path of the folder.
func (f *Dir) WalkDir(name string, each fs.WalkDirFunc) error {
	return inFolder(f, func(r *os.Root) error { return fs.WalkDir(r.FS(), name, each) })
}

// Truncate cuts an open file of the folder back. Some systems don't let a file that is open
// for appending be cut: it is opened once more for that.
func (f *Dir) Truncate(open *os.File, name string, size int64) error {
	if open.Truncate(size) == nil {
		return nil
	}
	again, err := f.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(again.Truncate(size), again.Close())
}

// NewLock is a lock file of the folder, not taken yet.
func (f *Dir) NewLock(name string) *flock.Flock {
	return wholefile.NewLock(filepath.Join(f.dir, transcript.LocksDir, name))
}

// Lock takes a lock file for a moment; it waits for others who do the same.
func (f *Dir) Lock(ctx context.Context, name string) (release func(), err error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	lock := f.NewLock(name)
	if err := wholefile.TakeLock(ctx, lock); err != nil {
		return nil, wholefile.Explain("locking "+name, err)
	}
	return func() { f.Unlock(lock) }, nil
}

// Unlock gives a lock file back.
func (f *Dir) Unlock(lock *flock.Flock) {
	if err := lock.Unlock(); err != nil {
		f.logger.Warn("a lock was not given back: others wait until this process ends", "lock", lock.Path(), "err", err)
	}
}

// WriteAtomic replaces a small file that only the holder of the turn writes. With durable
// it is synced first: what it holds must survive a power cut.
func (f *Dir) WriteAtomic(name string, data []byte, durable bool) error {
	return f.replace(name, name+".tmp", data, durable)
}

// WriteNew writes a whole file durably, by way of a temporary file with a name of its own.
func (f *Dir) WriteNew(name string, data []byte) error {
	return f.replace(name, path.Join(path.Dir(name), wholefile.TempName(path.Base(name))), data, true)
}

// replace writes a temporary file and renames it.
func (f *Dir) replace(name, tmp string, data []byte, durable bool) error {
	file, err := f.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil && durable {
		err = file.Sync()
	}
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = f.Rename(tmp, name)
	}
	if err != nil {
		return errors.Join(err, f.RemoveIfThere(tmp))
	}
	return nil
}

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

// Dir is the session folder at its current path. It may be moved away and back, replaced, or
// vanish with its disk while the program runs. All work is confined to it.
type Dir struct {
	dir    string
	below  []string // folders created in it
	logger *slog.Logger

	mu   sync.RWMutex // guards the fields below; held while a call works in the folder
	root *os.Root     // nil while the folder can't be used
	stat os.FileInfo  // of root
	err  error        // why root is nil
	had  bool         // it was open before
}

// New returns a Dir that opens the folder at its first use and creates the folders below
// it, the one for lock files included.
func New(dir string, logger *slog.Logger, below ...string) *Dir {
	return &Dir{dir: dir, below: append([]string{transcript.LocksDir}, below...), logger: logger}
}

// Check opens the folder again if its path now leads to another one, or to none. Every piece
// of work begins with Check.
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

// Never reports whether the folder could not be used so far.
func (f *Dir) Never() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return !f.had
}

// open prepares the folder. A folder that was there before is never created again: it may be
// on its way back, and the two would collide.
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
	return nil // if it isn't writable, the first write returns the reason
}

func (f *Dir) closeRoot() error {
	if f.root == nil {
		return nil
	}
	err := f.root.Close()
	f.root, f.stat = nil, nil
	return err
}

// Close closes the folder for good.
func (f *Dir) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = fs.ErrClosed
	return f.closeRoot()
}

// in calls work with the open folder.
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

// Open opens a file for reading.
func (f *Dir) Open(name string) (*os.File, error) {
	return in(f, func(r *os.Root) (*os.File, error) {
		file, err := r.Open(name)
		return file, explainLink(r, name, err)
	})
}

// OpenFile calls os.Root.OpenFile.
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

// ErrLink means that a link is not followed.
var ErrLink = errors.New("it is a link that leads out of the session folder, or to nothing; put the file itself in its place, or remove the link")

// explainLink returns ErrLink if err comes from a link that can't be followed.
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

// Rename calls os.Root.Rename.
func (f *Dir) Rename(from, to string) error {
	return inFolder(f, func(r *os.Root) error { return r.Rename(from, to) })
}

// Remove calls os.Root.Remove.
func (f *Dir) Remove(name string) error {
	return inFolder(f, func(r *os.Root) error { return r.Remove(name) })
}

// RemoveAll calls os.Root.RemoveAll.
func (f *Dir) RemoveAll(name string) error {
	return inFolder(f, func(r *os.Root) error { return r.RemoveAll(name) })
}

// MkdirAll calls os.Root.MkdirAll.
func (f *Dir) MkdirAll(name string, perm os.FileMode) error {
	return inFolder(f, func(r *os.Root) error { return r.MkdirAll(name, perm) })
}

// WalkDir calls fs.WalkDir for a path of the folder.
func (f *Dir) WalkDir(name string, each fs.WalkDirFunc) error {
	return inFolder(f, func(r *os.Root) error { return fs.WalkDir(r.FS(), name, each) })
}

// Truncate cuts an open file of the folder. Some systems can't cut a file that is open for
// appending, so it may be opened a second time.
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

// NewLock returns a lock file of the folder, not yet locked.
func (f *Dir) NewLock(name string) *flock.Flock {
	return wholefile.NewLock(filepath.Join(f.dir, transcript.LocksDir, name))
}

// Lock locks a lock file for a moment; it waits for others that do the same.
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

// Unlock releases a lock file.
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

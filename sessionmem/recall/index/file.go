package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// The files of the index in the cache folder.
const (
	indexFile = "recall.db"
	lockFile  = "recall.lock"   // held by the writing process
	newFile   = "recall.db.new" // an index that is built to replace the other
	// damagedFile marks the index as damaged; a process that only reads it can leave the
	// mark too.
	damagedFile = "recall.damaged"
	// swapFile is a lock, shared by whoever opens or closes the index and alone for who replaces it: its
	// file and its logs can't be exchanged at once. An old log must not be read with a new file, and
	// whoever closes the old file last must not remove the log of the new one.
	swapFile = "recall.swap"
)

// FileConfig configures a File.
type FileConfig struct {
	Folder  string   // the cache folder
	Root    string   // the data folder that is indexed
	Options *Options // read when the file is opened
	Broken  func()   // called when the index has to be rebuilt
	Waits   func()   // called when Update has to wait for another process; may be nil
	Logger  *slog.Logger
}

// File is the index in the cache folder, which goroutines and processes share: it is opened on
// demand and closed when idle, has one writer at a time in all processes, and is replaced by one that
// was built beside it. An index that is damaged, of another version or missing counts as none.
type File struct {
	cfg     FileConfig
	path    string
	writing chan struct{} // 1 place: held by the writer in this process

	mu     sync.Mutex // guards the fields below; never held while the index is used
	index  *Index     // nil: not open
	users  map[*Index]int
	broken bool // the file is damaged or of another version and has to be rebuilt
	idle   *time.Timer
	closed bool
	left   string // stamp of the file after the last Update: another process may have erased since
}

// NewFile returns the index of a folder. The file is opened on first use.
func NewFile(cfg FileConfig) *File {
	return &File{cfg: cfg, path: filepath.Join(cfg.Folder, indexFile), writing: make(chan struct{}, 1), users: map[*Index]int{}}
}

// ErrClosed means that the index was closed.
var ErrClosed = errors.New("the search index is closed")

// Path returns the path of the index file.
func (f *File) Path() string { return f.path }

// in returns the path of another file in the cache folder.
func (f *File) in(name string) string { return filepath.Join(f.cfg.Folder, name) }

// Size returns the size of the file and its log, in bytes; 0 if there is none.
func (f *File) Size() (bytes int64) {
	for _, end := range []string{"", "-wal"} {
		if fi, err := os.Stat(f.path + end); err == nil {
			bytes += fi.Size()
		}
	}
	return bytes
}

// Close closes the file for good. The caller ends all work first.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.idle != nil {
		f.idle.Stop()
	}
	f.closed = true
	return f.drop()
}

// Unload closes the file unless it is in use; the next use opens it again. open reports
// whether it was open.
func (f *File) Unload() (open bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.index == nil || f.users[f.index] > 0 {
		return f.index != nil, nil
	}
	return true, f.drop()
}

// drop closes the index, or leaves that to its last user. The caller holds mu.
func (f *File) drop() error {
	e := f.index
	f.index = nil
	if e == nil || f.users[e] > 0 {
		return nil
	}
	defer f.hold()()
	alone := f.left == stamp(f.path)
	err := e.Close()
	if alone { // closing the file doesn't change its contents
		f.left = stamp(f.path)
	}
	return err
}

// hold keeps others from replacing the file until release is called.
func (f *File) hold() (release func()) {
	swap := wholefile.NewLock(f.in(swapFile))
	if err := swap.RLock(); err != nil { // nobody replaces anything in a folder that can't be written either
		f.cfg.Logger.Debug("the index is opened or closed without a lock", "err", err)
	}
	return func() { _ = swap.Unlock() } // the end of the process frees it too
}

// stamp returns a value that changes when a file does, without opening it; "" if there is none.
func stamp(path string) string {
	fi, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(fi.Size(), fi.ModTime().UnixNano())
}

// IsCurrent reports whether the index is whole and nobody has written to it since the last Update.
func (f *File) IsCurrent() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.damaged() && f.left != "" && f.left == stamp(f.path)
}

// use returns the open index, opening it if necessary; fs.ErrNotExist if there is none and it isn't to be
// created. The caller calls done when it no longer uses it.
func (f *File) use(ctx context.Context, create bool) (e *Index, done func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, nil, ErrClosed
	}
	if f.index != nil && f.index.Moved() {
		if err := f.drop(); err != nil {
			f.cfg.Logger.Debug("an index that was replaced did not close", "err", err)
		}
	}
	if f.index == nil {
		release := f.hold()
		e, err := Open(ctx, f.path, f.cfg.Root, create, *f.cfg.Options)
		release()
		if err != nil {
			f.broken = f.broken || errors.Is(err, ErrOther) || errors.Is(err, ErrDamaged)
			return nil, nil, err
		}
		f.index = e
		if e.Older() {
			f.broken = true
			f.cfg.Broken()
		}
	}
	e = f.index
	f.users[e]++
	if f.idle == nil {
		f.idle = time.AfterFunc(idleAfter, func() {
			if _, err := f.Unload(); err != nil { // while it is used, the next use restarts the timer
				f.cfg.Logger.Debug("the idle index did not close", "err", err)
			}
		})
	} else {
		f.idle.Reset(idleAfter)
	}
	return e, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.users[e]--; f.users[e] > 0 {
			return
		}
		delete(f.users, e)
		if e != f.index {
			defer f.hold()()
			if err := e.Close(); err != nil {
				f.cfg.Logger.Debug("an index that was replaced did not close", "err", err)
			}
		}
	}, nil
}

// idleAfter is how long after its last use the index is unloaded.
const idleAfter = 2 * time.Minute

// Read calls do with the index at one moment; fs.ErrNotExist if there is none yet.
func (f *File) Read(ctx context.Context, do func(s *Snapshot) error) error {
	e, done, err := f.use(ctx, false)
	if err == nil {
		defer done()
		err = e.Read(ctx, do)
	}
	switch {
	case errors.Is(err, ErrOther) && e == nil: // counts as none
		f.cfg.Broken()
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case errors.Is(err, ErrDamaged):
		f.MarkDamaged(err)
		if f.IsUnfinished() && f.IsLocked() { // it is being replaced
			return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
	}
	return err
}

// ReadUnfinished calls do with the index that is being built to replace the other, as far as it is.
func (f *File) ReadUnfinished(ctx context.Context, do func(s *Snapshot) error) error {
	defer f.hold()()
	e, err := Open(ctx, f.in(newFile), f.cfg.Root, false, *f.cfg.Options)
	if err != nil {
		return err
	}
	return errors.Join(e.Read(ctx, do), e.Close())
}

// MarkDamaged records that the index is damaged, if err means that.
func (f *File) MarkDamaged(err error) {
	if !errors.Is(err, ErrDamaged) {
		return
	}
	f.mu.Lock()
	f.broken = true
	f.mu.Unlock()
	f.cfg.Logger.Warn("the search index is damaged and is being rebuilt", "err", err)
	if err := os.WriteFile(f.in(damagedFile), nil, 0o600); err != nil {
		f.cfg.Logger.Debug("the index could not be marked as damaged for other processes", "err", err)
	}
	f.cfg.Broken()
}

// damaged reports whether any process found the index damaged. The caller holds mu.
func (f *File) damaged() bool {
	_, missing := os.Stat(f.in(damagedFile))
	f.broken = f.broken || missing == nil
	return f.broken
}

// clearDamage records that another index has replaced a damaged one. The caller holds mu.
func (f *File) clearDamage() {
	f.broken = false
	if err := os.Remove(f.in(damagedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.cfg.Logger.Warn("the search index will be rebuilt again, because the mark of its damage could not be removed", "err", err)
	}
}

// lockRetry is how often lock tries a lock that another process holds.
const lockRetry = 50 * time.Millisecond

// lock makes this goroutine the only writer of the index in all processes.
func (f *File) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case f.writing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := os.MkdirAll(f.cfg.Folder, 0o700); err != nil {
		<-f.writing
		return nil, fmt.Errorf("making the cache folder: %w", err)
	}
	l := wholefile.NewLock(f.in(lockFile))
	free, err := l.TryLock()
	if err == nil && !free {
		if f.cfg.Waits != nil {
			f.cfg.Waits()
		}
		_, err = l.TryLockContext(ctx, lockRetry)
	}
	if err != nil {
		<-f.writing
		return nil, fmt.Errorf("waiting for another process that writes the search index: %w", err)
	}
	return func() {
		_ = l.Unlock() // the end of the process frees it too
		<-f.writing
	}, nil
}

// IsLocked reports whether any process writes to the index.
func (f *File) IsLocked() bool {
	l := wholefile.NewLock(f.in(lockFile))
	free, err := l.TryRLock()
	if free {
		_ = l.Unlock() // this only tested it
	}
	return err == nil && !free
}

// Write calls write with the index while nobody else writes to it; fs.ErrNotExist if there is none.
func (f *File) Write(ctx context.Context, write func(e *Index) error) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	e, done, err := f.use(ctx, false)
	if err != nil {
		return err
	}
	defer done()
	return write(e)
}

// Update calls fill with the index while nobody else writes to it. It makes a missing one. If the
// index is damaged or of another version, or anew is set, another is filled from nothing, or from where
// an earlier Update was stopped; the old one answers meanwhile, and the new one takes its vectors.
func (f *File) Update(ctx context.Context, anew bool, fill func(e *Index) error) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	e, done, err := f.use(ctx, true)
	f.mu.Lock()
	broken := f.damaged()
	f.mu.Unlock()
	if err != nil && !broken {
		return err
	}
	if err == nil {
		if !anew && !broken {
			err = fill(e)
			f.MarkDamaged(err)
			broken = errors.Is(err, ErrDamaged)
		}
		done()
	}
	if anew || broken {
		err = f.replace(ctx, fill)
	}
	if err == nil {
		f.mu.Lock()
		f.left = stamp(f.path)
		f.mu.Unlock()
	}
	return err
}

// replace replaces the index with one that is filled beside it. The caller holds the lock.
func (f *File) replace(ctx context.Context, fill func(e *Index) error) error {
	path := f.in(newFile)
	e, err := Open(ctx, path, f.cfg.Root, true, *f.cfg.Options)
	if err == nil && e.Older() {
		err = errors.Join(ErrOther, e.Close())
	}
	if err != nil { // left by a crash or by another version
		if err := Remove(path); err != nil {
			return err
		}
		if e, err = Open(ctx, path, f.cfg.Root, true, *f.cfg.Options); err != nil {
			return err
		}
	}
	if err = fill(e); err == nil {
		if f.Size() > 0 {
			if cerr := e.TakeVectors(ctx, f.path); cerr != nil { // mostly because the index is damaged
				f.cfg.Logger.Warn("the vectors are made anew too", "err", cerr)
			}
		}
		err = ctx.Err()
	}
	if err == nil {
		err = e.EmptyLog(ctx)
	}
	if err = errors.Join(err, e.Close()); err != nil {
		if errors.Is(err, ErrDamaged) {
			err = errors.Join(err, Remove(path))
		}
		return err
	}
	return f.swap(path)
}

// swap replaces the index file with a new one, while no process opens it. It removes the old file's
// log first: it must never be read as the log of the new file.
func (f *File) swap(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.drop(); err != nil {
		f.cfg.Logger.Debug("the old index did not close", "err", err)
	}
	swap := wholefile.NewLock(f.in(swapFile))
	err := swap.Lock()
	defer func() { _ = swap.Unlock() }() // the end of the process frees it too
	for _, end := range []string{"-wal", "-shm"} {
		if err == nil {
			if err = os.Remove(f.path + end); errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
		}
	}
	if err == nil {
		err = wholefile.Rename(path, f.path)
	}
	if err != nil {
		return fmt.Errorf("replacing the search index: %w", err)
	}
	f.clearDamage()
	return nil
}

// IsUnfinished reports whether a replacement exists that is being built, or whose building was interrupted.
func (f *File) IsUnfinished() bool {
	_, missing := os.Stat(f.in(newFile))
	return missing == nil
}

// Erase physically removes the passages that choose selects: when it returns, no byte of them
// is left in the index files or in an interrupted replacement, which will start afresh. It
// removes an index that is damaged or of another version. It returns ErrBusy if another process writes
// for longer than patience.
func (f *File) Erase(ctx context.Context, patience time.Duration, choose func(now *Snapshot) (sources []string, places []Place, err error)) error {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	unlock, err := f.lock(wait)
	if err != nil {
		if wait.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w: it is being written", ErrBusy)
		}
		return err
	}
	defer unlock()
	e, done, err := f.use(ctx, false)
	if err == nil {
		var sources []string
		var places []Place
		err = e.Read(ctx, func(now *Snapshot) (err error) {
			sources, places, err = choose(now)
			return err
		})
		if err == nil {
			err = e.Erase(ctx, sources, places)
		}
		done()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	case errors.Is(err, ErrOther), errors.Is(err, ErrDamaged): // nothing in it is worth keeping
		f.mu.Lock()
		err = f.drop()
		f.clearDamage()
		err = errors.Join(err, Remove(f.path))
		f.mu.Unlock()
	}
	return errors.Join(err, Remove(f.in(newFile))) // the lock is held, so nobody builds it
}

package indexfile

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

	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/wholefile"
)

// The files of the index in the cache folder.
const (
	indexFile = "recall.db"
	lockFile  = "recall.lock" // held by the writing process
	newFile   = "recall.db.new"
	// damagedFile marks the index as damaged; a process that only reads it can leave the
	// mark too.
	damagedFile = "recall.damaged"
	// swapFile is a lock, shared by whoever opens or closes the index and alone for who replaces it: its
	// file and its logs can't be exchanged at once. An old log must not be read with a new file, and
	// whoever closes the old file last must not remove the log of the new one.
	swapFile = "recall.swap"
)

// Config configures a File.
type Config struct {
	Folder   string         // the cache folder
	Root     string         // the data folder that is indexed
	Options  *index.Options // read when the file is opened
	Broken   func()         // called when the index has to be rebuilt
	Progress func(Progress) // reports another process that Lock waits for; may be nil
	Logger   *slog.Logger
}

// File is the index file. It is safe for concurrent use by goroutines and, through the file,
// by several processes.
type File struct {
	// Activity tracks long indexing runs.
	Activity Activity

	cfg     Config
	path    string
	writing chan struct{} // 1 place: held by the writer in this process

	mu     sync.Mutex   // guards the fields below; never held while the index is used
	index  *index.Index // nil: not open
	users  map[*index.Index]int
	broken bool // the file is damaged or of another version and has to be rebuilt
	idle   *time.Timer
	closed bool
	left   string // stamp of the file when it was last up to date: another process may have erased since
}

// New returns the index file of a folder. The file is opened on first use.
func New(cfg Config) *File {
	return &File{
		cfg: cfg, path: filepath.Join(cfg.Folder, indexFile), writing: make(chan struct{}, 1), users: map[*index.Index]int{},
		Activity: Activity{folder: cfg.Folder, logger: cfg.Logger},
	}
}

// ErrClosed means that the index was closed.
var ErrClosed = errors.New("the search index is closed")

// Path returns the path of the index file.
func (f *File) Path() string { return f.path }

// Exists reports whether the file exists, whatever it holds.
func (f *File) Exists() bool {
	_, err := os.Stat(f.path)
	return err == nil
}

// Size returns the size of the file and its log, in bytes.
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
	swap := wholefile.NewLock(filepath.Join(f.cfg.Folder, swapFile))
	if err := swap.RLock(); err != nil { // nobody replaces anything in a folder that can't be written either
		f.cfg.Logger.Debug("the index is opened or closed without a lock", "err", err)
	}
	return func() { _ = swap.Unlock() } // the end of the process frees it too
}

// stamp returns a value that changes when a file does, without opening it.
func stamp(path string) string {
	fi, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(fi.Size(), fi.ModTime().UnixNano())
}

// MarkCurrent records that the index is up to date.
func (f *File) MarkCurrent() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = stamp(f.path)
}

// IsCurrent reports whether the index is whole and nobody has written to it since
// MarkCurrent. It ignores damage found by another process.
func (f *File) IsCurrent() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.broken && f.left == stamp(f.path)
}

// Use returns the open index, opening it if necessary; fs.ErrNotExist if there is none. The
// caller calls done when it no longer uses it.
func (f *File) Use(ctx context.Context) (e *index.Index, done func(), err error) {
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
		e, err := index.Open(ctx, f.path, f.cfg.Root, false, *f.cfg.Options)
		release()
		if err != nil {
			f.broken = f.broken || errors.Is(err, index.ErrOther) || errors.Is(err, index.ErrDamaged)
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
	f.restartIdle()
	return e, func() { f.release(e) }, nil
}

func (f *File) release(e *index.Index) {
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
}

// idleAfter is how long after its last use the index is unloaded.
const idleAfter = 2 * time.Minute

// restartIdle unloads the index once it has been idle for idleAfter. The caller holds mu.
func (f *File) restartIdle() {
	if f.idle != nil {
		f.idle.Reset(idleAfter)
		return
	}
	f.idle = time.AfterFunc(idleAfter, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.index == nil || f.users[f.index] > 0 {
			return // the next use restarts the timer
		}
		if err := f.drop(); err != nil {
			f.cfg.Logger.Debug("the idle index did not close", "err", err)
		}
	})
}

// Read calls use with the index at one moment; fs.ErrNotExist if there is none yet.
func (f *File) Read(ctx context.Context, use func(s *index.Snapshot) error) error {
	e, done, err := f.Use(ctx)
	if err != nil {
		return f.unreadable(err)
	}
	defer done()
	if err = e.Read(ctx, use); errors.Is(err, index.ErrDamaged) {
		return f.unreadable(err)
	}
	return err
}

// unreadable returns the reason why there is no index to read.
func (f *File) unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case errors.Is(err, index.ErrOther): // counts as none
		f.cfg.Broken()
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case errors.Is(err, index.ErrDamaged):
		f.MarkDamaged(err)
		if f.Activity.runs() {
			return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
		return err
	}
	return err
}

// MarkDamaged records that the index is damaged, if err means that.
func (f *File) MarkDamaged(err error) {
	if !errors.Is(err, index.ErrDamaged) {
		return
	}
	f.mu.Lock()
	f.broken = true
	f.mu.Unlock()
	f.cfg.Logger.Warn("the search index is damaged and is being rebuilt", "err", err)
	if err := os.WriteFile(filepath.Join(f.cfg.Folder, damagedFile), nil, 0o600); err != nil {
		f.cfg.Logger.Debug("the index could not be marked as damaged for other processes", "err", err)
	}
	f.cfg.Broken()
}

// Damaged reports whether any process found the index damaged.
func (f *File) Damaged() bool {
	_, missing := os.Stat(filepath.Join(f.cfg.Folder, damagedFile))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = f.broken || missing == nil
	return f.broken
}

// clearDamage records that another index has replaced a damaged one. The caller holds mu.
func (f *File) clearDamage() {
	f.broken = false
	if err := os.Remove(filepath.Join(f.cfg.Folder, damagedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.cfg.Logger.Warn("the search index will be rebuilt again, because the mark of its damage could not be removed", "err", err)
	}
}

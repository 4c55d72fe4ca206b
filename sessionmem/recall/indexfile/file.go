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

	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/tables"
)

// The files of the index in the cache folder.
const (
	indexFile = "recall.db"
	lockFile  = "recall.lock" // held by the one process that writes
	newFile   = "recall.db.new"
	// damagedFile is there where somebody who may not have been the one that writes found
	// the index damaged.
	damagedFile = "recall.damaged"
)

// Config is what a File needs.
type Config struct {
	Folder   string         // the cache folder
	Root     string         // the data folder that it is an index of
	Limits   *engine.Limits // as they are when it is opened
	Broken   func()         // called when it has to be built anew
	Idle     func()         // called when it was not used for a while
	Progress func(Progress) // told of another process that is waited for; may be nil
	Logger   *slog.Logger
}

// File is the index file. It is safe for use by several goroutines and, through the file, by
// several processes.
type File struct {
	cfg      Config
	path     string
	writing  chan struct{} // 1 place: whoever writes in this process
	building building

	mu     sync.Mutex     // guards what follows; never held while the engine is used
	engine *engine.Engine // nil: not open
	users  map[*engine.Engine]int
	broken bool // the file is damaged or of another version: it has to be built anew
	idle   *time.Timer
	closed bool
	left   string // stamp of the file as this process left it when all was up to date: another may have erased since
}

// New names the file. It is opened when it is used.
func New(cfg Config) *File {
	return &File{
		cfg: cfg, path: filepath.Join(cfg.Folder, indexFile), writing: make(chan struct{}, 1), users: map[*engine.Engine]int{},
		building: building{folder: cfg.Folder, logger: cfg.Logger},
	}
}

// ErrClosed: the index was closed.
var ErrClosed = errors.New("the search index is closed")

// Path is where it lies.
func (f *File) Path() string { return f.path }

// Exists says whether there is one, whatever it holds.
func (f *File) Exists() bool {
	_, err := os.Stat(f.path)
	return err == nil
}

// Size is how large it is with its log, in bytes.
func (f *File) Size() (bytes int64) {
	for _, end := range []string{"", "-wal"} {
		if fi, err := os.Stat(f.path + end); err == nil {
			bytes += fi.Size()
		}
	}
	return bytes
}

// Close lets the file go, for good. What runs is over before.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.idle != nil {
		f.idle.Stop()
	}
	f.closed = true
	return f.drop()
}

// LetGo lets the file go from memory unless somebody uses it; the next one opens it again.
// open says whether it was open.
func (f *File) LetGo() (open bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.engine == nil || f.users[f.engine] > 0 {
		return f.engine != nil, nil
	}
	return true, f.drop()
}

// drop lets the engine go, as soon as nobody uses it. The caller holds mu.
func (f *File) drop() error {
	e := f.engine
	f.engine = nil
	if e == nil || f.users[e] > 0 {
		return nil
	}
	alone := f.left == f.stamp()
	err := e.Close()
	if alone { // what the closing changed changes nothing of what it holds
		f.left = f.stamp()
	}
	return err
}

// stamp tells whether the file is as it was, without opening it.
func (f *File) stamp() string {
	fi, err := os.Stat(f.path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(fi.Size(), fi.ModTime().UnixNano())
}

// Settle notes that all is up to date.
func (f *File) Settle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = f.stamp()
}

// Settled says whether it is whole and nobody wrote since Settle. Damage that another
// process found doesn't count.
func (f *File) Settled() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.broken && f.left == f.stamp()
}

// Use gives the open index, or opens it; fs.ErrNotExist where there is none. The caller
// calls done when it is through with it.
func (f *File) Use(ctx context.Context) (e *engine.Engine, done func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, nil, ErrClosed
	}
	if f.engine != nil && f.engine.Moved() {
		if err := f.drop(); err != nil {
			f.cfg.Logger.Debug("an index that was replaced did not close", "err", err)
		}
	}
	if f.engine == nil {
		e, err := engine.Open(ctx, f.path, f.cfg.Root, false, *f.cfg.Limits, f.cfg.Logger)
		if err != nil {
			f.broken = f.broken || errors.Is(err, tables.ErrOther) || tables.IsDamaged(err)
			return nil, nil, err
		}
		f.engine = e
		if e.Older() {
			f.broken = true
			f.cfg.Broken()
		}
	}
	e = f.engine
	f.users[e]++
	f.idleAgain()
	return e, func() { f.leave(e) }, nil
}

func (f *File) leave(e *engine.Engine) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users[e]--; f.users[e] > 0 {
		return
	}
	delete(f.users, e)
	if e != f.engine {
		if err := e.Close(); err != nil {
			f.cfg.Logger.Debug("an index that was replaced did not close", "err", err)
		}
	}
}

// idleAfter is how long after its last use the index is let go from memory.
const idleAfter = 2 * time.Minute

// idleAgain lets the index go when it has not been used for a while. The caller holds mu.
func (f *File) idleAgain() {
	if f.idle != nil {
		f.idle.Reset(idleAfter)
		return
	}
	f.idle = time.AfterFunc(idleAfter, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.engine == nil || f.users[f.engine] > 0 {
			return // whoever uses it begins the wait again
		}
		f.cfg.Idle()
		if err := f.drop(); err != nil {
			f.cfg.Logger.Debug("the idle index did not close", "err", err)
		}
	})
}

// Read calls use with the index as it is at one moment; fs.ErrNotExist where there is none
// yet.
func (f *File) Read(ctx context.Context, use func(s *engine.Snapshot) error) error {
	e, done, err := f.Use(ctx)
	if err != nil {
		return f.unreadable(err)
	}
	defer done()
	if err = e.Read(ctx, use); tables.IsDamaged(err) {
		return f.unreadable(err)
	}
	return err
}

// unreadable says why there is no index to read.
func (f *File) unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case errors.Is(err, tables.ErrOther): // as good as none
		f.cfg.Broken()
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case tables.IsDamaged(err):
		f.Spoil(err)
		if f.building.runs() {
			return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
		return err
	}
	return err
}

// Spoil notes that the index can't be used as it is, if that is what an error means.
func (f *File) Spoil(err error) {
	if !tables.IsDamaged(err) {
		return
	}
	f.mu.Lock()
	f.broken = true
	f.mu.Unlock()
	f.cfg.Logger.Warn("the search index is damaged and built anew", "err", err)
	if err := os.WriteFile(filepath.Join(f.cfg.Folder, damagedFile), nil, 0o600); err != nil {
		f.cfg.Logger.Debug("others could not be told of the damaged index", "err", err)
	}
	f.cfg.Broken()
}

// Damaged says whether anybody found the index damaged.
func (f *File) Damaged() bool {
	_, missing := os.Stat(filepath.Join(f.cfg.Folder, damagedFile))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = f.broken || missing == nil
	return f.broken
}

// mended notes that another index is in the place of a damaged one. The caller holds mu.
func (f *File) mended() {
	f.broken = false
	if err := os.Remove(filepath.Join(f.cfg.Folder, damagedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.cfg.Logger.Warn("the search index is built anew again and again", "err", err)
	}
}

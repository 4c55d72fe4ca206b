package indexfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/tables"
	"mac-stats/sessionmem/wholefile"
)

// lockRetry is how often a lock that another process holds is tried.
const lockRetry = 50 * time.Millisecond

// Lock makes this goroutine the only one that writes the index, in all processes.
func (f *File) Lock(ctx context.Context) (unlock func(), err error) {
	select {
	case f.writing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := os.MkdirAll(f.cfg.Folder, 0o700); err != nil {
		<-f.writing
		return nil, fmt.Errorf("making the cache folder: %w", err)
	}
	l := wholefile.NewLock(filepath.Join(f.cfg.Folder, lockFile))
	free, err := l.TryLock()
	if err == nil && !free {
		stop := f.building.watch(f.cfg.Progress)
		_, err = l.TryLockContext(ctx, lockRetry)
		stop()
	}
	if err != nil {
		<-f.writing
		return nil, fmt.Errorf("waiting for another process that writes the search index: %w", err)
	}
	return func() {
		_ = l.Unlock() // the process's end frees it too
		<-f.writing
	}, nil
}

// Write calls write with the index, which nobody else writes meanwhile.
func (f *File) Write(ctx context.Context, write func(e *engine.Engine) error) error {
	unlock, err := f.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	e, done, err := f.Use(ctx)
	if err != nil {
		return err
	}
	defer done()
	return write(e)
}

// Create makes the file, and gives it as Use does. The caller holds the lock.
func (f *File) Create(ctx context.Context) (*engine.Engine, func(), error) {
	made, err := f.open(ctx, f.path)
	if err != nil {
		return nil, nil, err
	}
	if err := made.Close(); err != nil {
		return nil, nil, err
	}
	return f.Use(ctx)
}

// open opens an index file, or makes it.
func (f *File) open(ctx context.Context, path string) (*engine.Engine, error) {
	return engine.Open(ctx, path, f.cfg.Root, true, *f.cfg.Limits, f.cfg.Logger)
}

// Replace builds the index from nothing, or goes on with that after a crash, and puts it in
// the place of the old one, which answers meanwhile. The vectors of what is the same are kept.
// The caller holds the lock.
func (f *File) Replace(ctx context.Context, build func(e *engine.Engine) error) error {
	defer f.Begin()()
	path := filepath.Join(f.cfg.Folder, newFile)
	e, err := f.open(ctx, path)
	if err == nil && e.Older() {
		err = errors.Join(tables.ErrOther, e.Close())
	}
	if err != nil { // left by a crash, or by another version
		if err := tables.Remove(path); err != nil {
			return err
		}
		if e, err = f.open(ctx, path); err != nil {
			return err
		}
	}
	err = build(e)
	if err == nil {
		if cerr := e.CarryVectors(ctx, f.path); cerr != nil { // of a damaged index, mostly
			f.cfg.Logger.Warn("the vectors are made anew too", "err", cerr)
		}
		err = ctx.Err()
	}
	if err == nil {
		err = e.EmptyLog(ctx)
	}
	if err = errors.Join(err, e.Close()); err != nil {
		if tables.IsDamaged(err) {
			err = errors.Join(err, tables.Remove(path))
		}
		return err
	}
	return f.swap(path)
}

// swap puts a new index file in the place of the old one. The log of the old one goes
// first: it must never be taken for one of the new file.
func (f *File) swap(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.drop(); err != nil {
		f.cfg.Logger.Debug("the old index did not close", "err", err)
	}
	for _, end := range []string{"-wal", "-shm"} {
		if err := os.Remove(f.path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replacing the search index: %w", err)
		}
	}
	if err := wholefile.Rename(path, f.path); err != nil {
		return fmt.Errorf("replacing the search index: %w", err)
	}
	f.mended()
	return nil
}

// IsUnfinished says whether a building was stopped that Replace goes on with.
func (f *File) IsUnfinished() bool {
	_, missing := os.Stat(filepath.Join(f.cfg.Folder, newFile))
	return missing == nil
}

// Erase takes what is chosen out of the index, physically: when it returns no byte of it is
// left in its files, nor in those of a building that was stopped, which begins anew. An index
// that can't be read is removed. tables.ErrBusy where another process writes for longer than
// patience.
func (f *File) Erase(ctx context.Context, patience time.Duration, choose func(now *engine.Snapshot, out *engine.Erasure) error) error {
	unlock, err := f.lockSoon(ctx, patience)
	if err != nil {
		return err
	}
	defer unlock()
	e, done, err := f.Use(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return f.removeUnfinished()
	}
	if err != nil { // of another version, or damaged: nothing of it is worth keeping
		return errors.Join(f.removeUnfinished(), f.discard())
	}
	defer done()
	if err := e.Erase(ctx, choose); err != nil {
		return err
	}
	if err := e.EmptyLog(ctx); err != nil {
		return err
	}
	return f.removeUnfinished()
}

// lockSoon is Lock that gives up with tables.ErrBusy.
func (f *File) lockSoon(ctx context.Context, patience time.Duration) (unlock func(), err error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	unlock, err = f.Lock(wait)
	if err != nil && wait.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: it is being written", tables.ErrBusy)
	}
	return unlock, err
}

// removeUnfinished removes an index that is being built. The caller holds the lock, so nobody
// builds it now.
func (f *File) removeUnfinished() error { return tables.Remove(filepath.Join(f.cfg.Folder, newFile)) }

// discard removes the index.
func (f *File) discard() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.drop()
	f.mended()
	return errors.Join(err, tables.Remove(f.path))
}

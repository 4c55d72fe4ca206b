package indexfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/wholefile"
)

// lockRetry is how often Lock tries a lock that another process holds.
const lockRetry = 50 * time.Millisecond

// Lock makes this goroutine the only writer of the index in all processes.
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
		stop := f.Activity.watch(f.cfg.Progress)
		_, err = l.TryLockContext(ctx, lockRetry)
		stop()
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

// Write calls write with the index while nobody else writes to it.
func (f *File) Write(ctx context.Context, write func(e *index.Index) error) error {
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

// Create makes the file and returns it as Use does. The caller holds the lock.
func (f *File) Create(ctx context.Context) (*index.Index, func(), error) {
	made, err := f.open(ctx, f.path)
	if err != nil {
		return nil, nil, err
	}
	if err := made.Close(); err != nil {
		return nil, nil, err
	}
	return f.Use(ctx)
}

// open opens or creates an index file.
func (f *File) open(ctx context.Context, path string) (*index.Index, error) {
	return index.Open(ctx, path, f.cfg.Root, true, *f.cfg.Options)
}

// Replace builds the index from nothing, or resumes after a crash, and replaces the old one,
// which answers meanwhile. It keeps the vectors of unchanged passages. The caller holds the
// lock.
func (f *File) Replace(ctx context.Context, build func(e *index.Index) error) error {
	defer f.Activity.Begin()()
	path := filepath.Join(f.cfg.Folder, newFile)
	e, err := f.open(ctx, path)
	if err == nil && e.Older() {
		err = errors.Join(index.ErrOther, e.Close())
	}
	if err != nil { // left by a crash or by another version
		if err := index.Remove(path); err != nil {
			return err
		}
		if e, err = f.open(ctx, path); err != nil {
			return err
		}
	}
	err = build(e)
	if err == nil {
		if f.Exists() {
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
		if errors.Is(err, index.ErrDamaged) {
			err = errors.Join(err, index.Remove(path))
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
	swap := wholefile.NewLock(filepath.Join(f.cfg.Folder, swapFile))
	if err := swap.Lock(); err != nil {
		return fmt.Errorf("replacing the search index: %w", err)
	}
	defer func() { _ = swap.Unlock() }() // the end of the process frees it too
	for _, end := range []string{"-wal", "-shm"} {
		if err := os.Remove(f.path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replacing the search index: %w", err)
		}
	}
	if err := wholefile.Rename(path, f.path); err != nil {
		return fmt.Errorf("replacing the search index: %w", err)
	}
	f.clearDamage()
	return nil
}

// IsUnfinished reports whether an interrupted rebuild exists that Replace would resume.
func (f *File) IsUnfinished() bool {
	_, missing := os.Stat(filepath.Join(f.cfg.Folder, newFile))
	return missing == nil
}

// Erase physically removes the passages that choose selects: when it returns, no byte of them
// is left in the index files or in an interrupted rebuild, which will start afresh. It
// removes an index that is damaged or of another version. It returns index.ErrBusy if another process writes
// for longer than patience.
func (f *File) Erase(ctx context.Context, patience time.Duration, choose func(now *index.Snapshot) (sources []string, places []index.Place, err error)) error {
	unlock, err := f.lockSoon(ctx, patience)
	if err != nil {
		return err
	}
	defer unlock()
	e, done, err := f.Use(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return f.removeUnfinished()
	}
	if err == nil {
		var sources []string
		var places []index.Place
		err = e.Read(ctx, func(now *index.Snapshot) (err error) {
			sources, places, err = choose(now)
			return err
		})
		if err == nil {
			err = e.Erase(ctx, sources, places)
		}
		done()
	}
	if errors.Is(err, index.ErrOther) || errors.Is(err, index.ErrDamaged) { // nothing in it is worth keeping
		err = f.discard()
	}
	return errors.Join(err, f.removeUnfinished())
}

// lockSoon is Lock with a time limit, after which it returns index.ErrBusy.
func (f *File) lockSoon(ctx context.Context, patience time.Duration) (unlock func(), err error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	unlock, err = f.Lock(wait)
	if err != nil && wait.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: it is being written", index.ErrBusy)
	}
	return unlock, err
}

// removeUnfinished removes an interrupted rebuild. The caller holds the lock, so nobody is
// building it.
func (f *File) removeUnfinished() error { return index.Remove(filepath.Join(f.cfg.Folder, newFile)) }

// discard removes the index.
func (f *File) discard() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.drop()
	f.clearDamage()
	return errors.Join(err, index.Remove(f.path))
}

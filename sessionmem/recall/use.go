package recall

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/tables"
)

// use gives the open index, or opens it; fs.ErrNotExist where there is none. The caller
// calls done when it is through with it.
func (x *Index) use(ctx context.Context) (e *engine.Engine, done func(), err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil, nil, ErrClosed
	}
	if x.engine != nil && x.engine.Moved() {
		if err := x.drop(); err != nil {
			x.logger.Debug("an index that was replaced did not close", "err", err)
		}
	}
	if x.engine == nil {
		e, err := engine.Open(ctx, x.path, x.corpus.Root, false, x.limits, x.logger)
		if err != nil {
			x.broken = x.broken || errors.Is(err, tables.ErrOther) || tables.IsDamaged(err)
			return nil, nil, err
		}
		x.engine = e
		if e.Older() {
			x.broken = true
			x.wake()
		}
	}
	e = x.engine
	x.users[e]++
	x.idleAgain()
	return e, func() { x.leave(e) }, nil
}

func (x *Index) leave(e *engine.Engine) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.users[e]--; x.users[e] > 0 {
		return
	}
	delete(x.users, e)
	if e != x.engine {
		if err := e.Close(); err != nil {
			x.logger.Debug("an index that was replaced did not close", "err", err)
		}
	}
}

// idleAfter is how long after its last use the index is let go from memory.
const idleAfter = 2 * time.Minute

// idleAgain lets the index go when it has not been used for a while. The caller holds mu.
func (x *Index) idleAgain() {
	if x.idle != nil {
		x.idle.Reset(idleAfter)
		return
	}
	x.idle = time.AfterFunc(idleAfter, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.engine == nil || x.users[x.engine] > 0 {
			return // whoever uses it begins the wait again
		}
		x.analyzers.drop()
		if err := x.drop(); err != nil {
			x.logger.Debug("the idle index did not close", "err", err)
		}
	})
}

// spoil notes that the index can't be used as it is.
func (x *Index) spoil(err error) {
	if !tables.IsDamaged(err) {
		return
	}
	x.mu.Lock()
	x.broken = true
	x.mu.Unlock()
	x.logger.Warn("the search index is damaged and built anew", "err", err)
	if err := os.WriteFile(filepath.Join(x.cfg.CacheDir, damagedFile), nil, 0o600); err != nil {
		x.logger.Debug("others could not be told of the damaged index", "err", err)
	}
	x.wake()
}

// damaged says whether anybody found the index damaged.
func (x *Index) damaged() bool {
	_, missing := os.Stat(filepath.Join(x.cfg.CacheDir, damagedFile))
	x.mu.Lock()
	defer x.mu.Unlock()
	x.broken = x.broken || missing == nil
	return x.broken
}

// mended notes that another index is in the place of a damaged one. The caller holds mu.
func (x *Index) mended() {
	x.broken = false
	if err := os.Remove(filepath.Join(x.cfg.CacheDir, damagedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.logger.Warn("the search index is built anew again and again", "err", err)
	}
}

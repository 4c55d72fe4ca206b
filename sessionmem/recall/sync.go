package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/tables"
	"mac-stats/sessionmem/wholefile"
)

// sync brings an engine's index up to date. The caller holds the writers' lock.
func (x *Index) sync(ctx context.Context, e *engine.Engine) (Report, error) {
	x.mu.Lock()
	told := x.dirty
	x.dirty, x.any = map[string]bool{}, false
	x.mu.Unlock()
	report, print, err := x.syncAll(ctx, e)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil {
		x.any = true
		for p := range told {
			x.dirty[p] = true
		}
		return report, err
	}
	x.looked, x.files, x.behind = time.Now(), report.Files, 0
	x.known = print
	return report, nil
}

func (x *Index) syncAll(ctx context.Context, e *engine.Engine) (report Report, print uint64, err error) {
	found, err := x.corpus.Sources(ctx)
	if err != nil {
		return Report{}, 0, err
	}
	todo, gone, err := differences(ctx, e, found)
	report.Files = len(found)
	if err != nil || len(todo)+len(gone) == 0 {
		return report, printOf(x.seed, found), err
	}
	err = x.take(ctx, e, todo, gone, &report)
	return report, printOf(x.seed, found), err
}

// flushWait is how long an indexing that was stopped may take to write what it has.
const flushWait = 5 * time.Second

// manyFiles is how many changed files make bringing the index up to date a building.
const manyFiles = 32

// syncSome brings some sources up to date. The caller holds the writers' lock.
func (x *Index) syncSome(ctx context.Context, e *engine.Engine, todo []corpus.Source) (Report, error) {
	report := Report{Files: len(todo)}
	err := x.take(ctx, e, todo, nil, &report)
	return report, err
}

// take reads what changed and writes it.
func (x *Index) take(ctx context.Context, e *engine.Engine, todo []corpus.Source, gone []string, report *Report) error {
	if len(todo) >= manyFiles {
		defer x.begin()()
	}
	w, err := e.NewWriter(ctx)
	if err != nil {
		return err
	}
	w.Drop(gone...)
	report.Changed = len(gone)
	defer func() { report.Added, report.Removed = w.Added, w.Removed }()
	r := &reader{x: x, e: e, buried: x.corpus.Tombstones()}
	files := 0
	var unread []error // a file that can't be read stays as it was indexed, and is no reason to leave the others
	err = r.readAll(ctx, todo, func(h *harvest) error {
		if h.Last {
			files++
		}
		x.progress(Progress{Files: files, Of: len(todo), Chunks: w.Added})
		switch {
		case errors.Is(h.err, fs.ErrNotExist):
			return nil
		case h.err != nil:
			unread = append(unread, h.err)
			return nil
		case h.Last:
			report.Changed++
			report.Refused += h.refused
		}
		return w.Put(ctx, &h.Batch)
	})
	switch {
	case err == nil:
		err = w.Finish(ctx, time.Now())
	case ctx.Err() != nil: // the next indexing goes on from here
		rest, stop := context.WithTimeout(context.WithoutCancel(ctx), flushWait)
		err = errors.Join(err, w.Flush(rest))
		stop()
	}
	if err == nil && len(gone) > 0 { // what was deleted does not wait in the log for long
		if terr := e.EmptyLog(ctx); terr != nil {
			x.logger.Debug("the index's log could not be emptied", "err", terr)
		}
	}
	x.progress(Progress{Files: files, Of: len(todo), Chunks: w.Added, Done: true})
	return errors.Join(append(unread, err)...)
}

// differences compares what there is with what is indexed: what to read, the newest
// first, and the keys of what is gone.
func differences(ctx context.Context, e *engine.Engine, found []corpus.Source) (todo []corpus.Source, gone []string, err error) {
	err = e.Read(ctx, func(now *engine.Snapshot) error {
		todo, gone = nil, nil
		same := 0
		for _, s := range found {
			k := now.Source(s.Key)
			if k != nil {
				same++
			}
			if k == nil || !slices.Equal(k.State.Files, s.Files) {
				todo = append(todo, s)
			}
		}
		if same < now.Count() {
			gone = missing(now, found)
		}
		return nil
	})
	slices.SortStableFunc(todo, func(a, b corpus.Source) int { return cmp.Compare(b.Changed(), a.Changed()) })
	return todo, gone, err
}

// missing gives the keys of indexed sources that are none of these.
func missing(now *engine.Snapshot, found []corpus.Source) (gone []string) {
	there := make(map[string]bool, len(found))
	for _, s := range found {
		there[s.Key] = true
	}
	for _, k := range now.Sources() {
		if k != nil && !there[k.Key] {
			gone = append(gone, k.Key)
		}
	}
	return gone
}

// replace builds the index from nothing, or goes on with that after a crash, and puts it
// in the place of the old one, which answers meanwhile. The caller holds the writers'
// lock.
func (x *Index) replace(ctx context.Context, begun time.Time) (Report, error) {
	defer x.begin()()
	path := filepath.Join(x.cfg.CacheDir, newFile)
	e, err := engine.Open(ctx, path, x.corpus.Root, true, x.limits, x.logger)
	if err == nil && e.Older() {
		err = errors.Join(tables.ErrOther, e.Close())
	}
	if err != nil { // left by a crash, or by another version
		if err := tables.Remove(path); err != nil {
			return Report{}, err
		}
		if e, err = engine.Open(ctx, path, x.corpus.Root, true, x.limits, x.logger); err != nil {
			return Report{}, err
		}
	}
	report, err := x.sync(ctx, e)
	if err == nil {
		if cerr := e.CarryVectors(ctx, x.path); cerr != nil { // of a damaged index, mostly
			x.logger.Warn("the vectors are made anew too", "err", cerr)
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
		return report, err
	}
	err = x.swap(path)
	report.Took = time.Since(begun)
	return report, err
}

// swap puts a new index file in the place of the old one. The log of the old one goes
// first: it must never be taken for one of the new file.
func (x *Index) swap(path string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.drop(); err != nil {
		x.logger.Debug("the old index did not close", "err", err)
	}
	for _, end := range []string{"-wal", "-shm"} {
		if err := os.Remove(x.path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replacing the search index: %w", err)
		}
	}
	if err := wholefile.Rename(path, x.path); err != nil {
		return fmt.Errorf("replacing the search index: %w", err)
	}
	x.mended()
	return nil
}

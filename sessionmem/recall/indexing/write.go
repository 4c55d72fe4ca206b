package indexing

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/indexfile"
)

// flushWait is how long an indexing that was stopped may take to write what it has.
const flushWait = 5 * time.Second

// manyFiles is how many changed files make bringing the index up to date a building.
const manyFiles = 32

// syncSome brings some sources up to date. The caller holds the writers' lock.
func (x *Indexer) syncSome(ctx context.Context, e *engine.Engine, todo []corpus.Source) (Report, error) {
	report := Report{Files: len(todo)}
	err := x.take(ctx, e, todo, nil, &report)
	return report, err
}

// take reads what changed and writes it.
func (x *Indexer) take(ctx context.Context, e *engine.Engine, todo []corpus.Source, gone []string, report *Report) error {
	if len(todo) >= manyFiles {
		defer x.cfg.File.Begin()()
	}
	w, err := e.NewWriter(ctx)
	if err != nil {
		return err
	}
	w.Drop(gone...)
	report.Changed = len(gone)
	defer func() { report.Added, report.Removed = w.Added, w.Removed }()
	r := &reader{x: x, e: e, buried: x.cfg.Corpus.Tombstones()}
	files := 0
	var unread []error // a file that can't be read stays as it was indexed, and is no reason to leave the others
	err = r.readAll(ctx, todo, func(h *harvest) error {
		if h.Last {
			files++
		}
		x.progress(indexfile.Progress{Files: files, Of: len(todo), Chunks: w.Added})
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
			x.cfg.Logger.Debug("the index's log could not be emptied", "err", terr)
		}
	}
	x.progress(indexfile.Progress{Files: files, Of: len(todo), Chunks: w.Added, Done: true})
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

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

// flushWait is how long an interrupted run may take to write what it has.
const flushWait = 5 * time.Second

// manyFiles is the number of changed files from which a run counts as building the index.
const manyFiles = 32

// indexSources reads the sources in todo, writes what is new, and removes those in gone.
func (x *Indexer) indexSources(ctx context.Context, e *engine.Engine, todo []corpus.Source, gone []string, report *Report) error {
	if len(todo) >= manyFiles {
		defer x.cfg.File.Activity.Begin()()
	}
	w, err := e.NewWriter(ctx)
	if err != nil {
		return err
	}
	w.Drop(gone...)
	report.Changed = len(gone)
	defer func() { report.Added = w.Added }()
	r := &reader{x: x, e: e, tombstones: x.cfg.Corpus.Tombstones()}
	files := 0
	var unread []error // such a file keeps its previous index and doesn't hold up the others
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
		}
		return w.Put(ctx, &h.Batch)
	})
	switch {
	case err == nil:
		err = w.Finish(ctx, time.Now())
	case ctx.Err() != nil: // the next run resumes here
		rest, stop := context.WithTimeout(context.WithoutCancel(ctx), flushWait)
		err = errors.Join(err, w.Flush(rest))
		stop()
	}
	if err == nil && len(gone) > 0 { // deleted text shouldn't stay in the log for long
		if terr := e.EmptyLog(ctx); terr != nil {
			x.cfg.Logger.Debug("the index's log could not be emptied", "err", terr)
		}
	}
	x.progress(indexfile.Progress{Files: files, Of: len(todo), Chunks: w.Added, Done: true})
	return errors.Join(append(unread, err)...)
}

// differences compares the files with the index: it returns the sources to read, newest
// first, and the keys of those that are gone.
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

// missing returns the keys of indexed sources that were not found.
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

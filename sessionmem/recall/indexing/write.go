package indexing

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/indexfile"
	"mac-stats/sessionmem/transcript"
)

const (
	// manyFiles is the number of changed files from which a run counts as building the index.
	manyFiles = 32
	// batchSources and batchBytes of text are written in one transaction, at most.
	batchSources = 256
	batchBytes   = 8 << 20
	// flushWait is how long an interrupted run may take to write what it has.
	flushWait = 5 * time.Second
)

// entry is a source that was read.
type entry struct {
	index.Entry
	err error
}

// indexSources reads the sources in todo, writes what is new, and removes those in gone.
func (x *Indexer) indexSources(ctx context.Context, e *index.Index, todo []corpus.Source, gone []string, report *Report) error {
	if len(todo) >= manyFiles {
		defer x.cfg.File.Activity.Begin()()
	}
	report.Changed = len(gone)
	var batch []index.Entry
	bytes := int64(0)
	write := func(ctx context.Context) error {
		if len(batch)+len(gone) == 0 {
			return nil
		}
		added, err := e.Update(ctx, batch, gone)
		report.Added += added
		if batch, bytes = nil, 0; err == nil {
			gone = nil
		}
		return err
	}
	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()
	entries := make(chan entry, 1) // one is read while another is written
	go func() {
		defer close(entries)
		tombstones := x.cfg.Corpus.Tombstones()
		for _, s := range todo {
			select {
			case entries <- x.read(reading, s, tombstones):
			case <-reading.Done():
				return
			}
		}
	}()
	files := 0
	var unread []error // such a file keeps its previous index and doesn't hold up the others
	var err error
	for one := range entries {
		files++
		x.progress(indexfile.Progress{Files: files, Of: len(todo), Chunks: report.Added})
		switch {
		case errors.Is(one.err, fs.ErrNotExist): // deleted meanwhile: the next comparison finds that
		case one.err != nil:
			unread = append(unread, one.err)
		default:
			report.Changed++
			batch, bytes = append(batch, one.Entry), bytes+one.Bytes
		}
		if len(batch) >= batchSources || bytes >= batchBytes {
			if err = write(ctx); err != nil {
				break
			}
		}
	}
	stopReading()
	for range entries { // the reader ends
	}
	if err == nil {
		if err = ctx.Err(); err != nil { // the next run resumes here
			rest, stop := context.WithTimeout(context.WithoutCancel(ctx), flushWait)
			err = errors.Join(err, write(rest))
			stop()
		} else if err = write(ctx); err == nil {
			err = e.SetSynced(ctx, time.Now())
		}
	}
	x.progress(indexfile.Progress{Files: files, Of: len(todo), Chunks: report.Added, Done: true})
	return errors.Join(append(unread, err)...)
}

// read reads a source as its files are now, without what was forgotten. Every part of a message has its
// place, even if there is nothing to find in it, so that the neighbours of the others stay the same.
func (x *Indexer) read(ctx context.Context, s corpus.Source, tombstones corpus.Tombstones) (out entry) {
	out.Name = s.Name
	add := func(pieces []corpus.Piece, file int, holds bool) {
		for i := range pieces {
			d := pieces[i].Passage(file)
			if !holds || corpus.InTombstones(tombstones, &pieces[i].Chunk) {
				d.Text = ""
			}
			out.Bytes += int64(len(d.Text))
			out.Passages = append(out.Passages, d)
		}
	}
	if s.Session == "" {
		f, err := x.cfg.Corpus.Memory.Load(s.Memory)
		if f.Missing {
			err = cmp.Or(err, fs.ErrNotExist)
		}
		add(corpus.MemoryPieces(s.Key, f), 0, true)
		s.Files = []catalog.FileState{corpus.MemoryState(s.Key, f)}
		out.err = err
	} else {
		c := corpus.Chunker{Session: s.Session, Source: s.From}
		files := corpus.Names(s.Files)
		var said transcript.Fingerprints
		s.Files, out.err = x.cfg.Corpus.Store.Places().Each(ctx, files, func(b transcript.Block, p places.Place) error {
			holds := said.Follow(b) // a Summary of what was taken out repeats it
			add(c.Pieces(b, p), slices.Index(files, p.File), holds)
			return nil
		})
	}
	out.Files, out.Stamp = corpus.Names(s.Files), s.Stamp()
	return out
}

// differences compares the files with the index: it returns the sources to read, newest first, and the
// keys of those that are gone.
func differences(now *index.Snapshot, found []corpus.Source) (todo []corpus.Source, gone []string) {
	stamps := map[string]string{}
	for _, k := range now.Sources() {
		stamps[k.Key] = k.Stamp
	}
	for _, s := range found {
		if stamp := stamps[s.Key]; stamp == "" || stamp != s.Stamp() {
			todo = append(todo, s)
		}
		delete(stamps, s.Key)
	}
	for key := range stamps {
		gone = append(gone, key)
	}
	slices.SortStableFunc(todo, func(a, b corpus.Source) int { return cmp.Compare(b.Changed(), a.Changed()) })
	return todo, gone
}

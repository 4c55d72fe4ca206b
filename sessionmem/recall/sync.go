package recall

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"io/fs"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem/catalog"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/transcript"
)

// The index is kept in step with the transcripts and memory files: a source is read again, whole, if the
// stamp of its files differs from that in the index. A file that can't be read keeps what the index
// has of it and doesn't hold up the others.

const (
	// sweepEvery is how often Run compares the files with the index, compareEvery how often a search
	// does if nothing else did.
	sweepEvery   = time.Minute
	compareEvery = 10 * time.Second
	// manyFiles is the number of changed files from which a run counts as building the index.
	manyFiles = 32
	// batchSources and batchBytes of text are written in one transaction, at most.
	batchSources = 256
	batchBytes   = 8 << 20
	// flushWait is how long an interrupted run may take to write what it has.
	flushWait = 5 * time.Second
	// mostRest is the longest rest between two runs: what is written is found within a second.
	mostRest = 500 * time.Millisecond
)

// Report counts what an indexing run did.
type Report struct {
	Files   int // checked
	Changed int // of them read or removed
	Added   int // chunks
	Took    time.Duration
}

// Progress is the progress of an indexing run.
type Progress struct {
	Files, Of int  // files done, files to do
	Chunks    int  // indexed so far
	Done      bool // this is the last report
	Waits     bool // another process is indexing, and this one waits
}

// compared is what the last comparison of the files with the index found.
type compared struct {
	mu     sync.Mutex
	at     time.Time
	files  int
	behind int    // of them changed
	print  uint64 // of the files, when the index was last up to date; 0: it never was
}

func (c *compared) set(files, behind int, print uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.files, c.behind, c.print = time.Now(), files, behind, cmp.Or(print, c.print)
}

// forget makes the next search compare the files.
func (c *compared) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = time.Time{}
}

// outdate makes the next sweep read what couldn't be read.
func (c *compared) outdate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.print = 0
}

// Changed reports that files may have changed: Run indexes them at once.
func (x *Index) Changed() {
	x.compared.forget()
	nudge(x.changed)
}

// keepUp keeps the index up to date until ctx ends. It calls did with a report of each run.
func (x *Index) keepUp(ctx context.Context, did func(Report)) {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	sync := x.syncChanged
	for {
		begun := time.Now()
		report, err := sync(index.InBackground(ctx))
		if err != nil && ctx.Err() == nil {
			x.cfg.Logger.Warn("the search index could not be brought up to date; it is tried again", "err", err)
		}
		did(report)
		select { // many changes in a row take a tenth of the time
		case <-ctx.Done():
		case <-time.After(min(9*time.Since(begun), mostRest)):
		}
		select {
		case <-ctx.Done():
			return
		case <-x.changed:
			sync = x.Sync
		case <-sweep.C:
			sync = x.syncChanged
		}
	}
}

// syncChanged is like Sync but loads nothing if no file has changed since the last run: it is called for
// as long as the app runs.
func (x *Index) syncChanged(ctx context.Context) (Report, error) {
	found, err := x.corpus.Sources(ctx)
	if err != nil {
		return Report{}, err
	}
	x.compared.mu.Lock()
	same := x.compared.print == printOfSources(found)
	x.compared.mu.Unlock()
	if same && x.file.IsCurrent() {
		x.compared.set(len(found), 0, 0)
		return Report{Files: len(found)}, nil
	}
	return x.Sync(ctx)
}

var printSeed = maphash.MakeSeed()

// printOfSources returns a print that is the same in this process as long as the files are.
func printOfSources(found []corpus.Source) uint64 {
	var h maphash.Hash
	h.SetSeed(printSeed)
	for _, s := range found {
		_, _ = h.WriteString(s.Key + s.Stamp()) // a hash never fails
	}
	return h.Sum64()
}

// Sync brings the index up to date and returns when it is complete. It builds a missing
// index, and rebuilds one that is damaged or of another version while the old one answers.
func (x *Index) Sync(ctx context.Context) (Report, error) { return x.update(ctx, false) }

// Rebuild builds the index from nothing, or resumes an interrupted Rebuild; the old index
// answers until the new one replaces it.
func (x *Index) Rebuild(ctx context.Context) (Report, error) { return x.update(ctx, true) }

func (x *Index) update(ctx context.Context, anew bool) (report Report, err error) {
	var begun time.Time
	var unread error // a new index lacks these files: the old one has nothing that could be shown of them
	err = x.file.Update(ctx, anew, func(e *index.Index) error {
		if begun.IsZero() { // the waiting doesn't count
			begun = time.Now()
		}
		found, err := x.corpus.Sources(ctx)
		if err != nil {
			return err
		}
		report = Report{Files: len(found)}
		var todo []corpus.Source
		var gone []string
		err = e.Read(ctx, func(now *index.Snapshot) error {
			todo, gone = differences(now, found)
			return nil
		})
		if err == nil && len(todo)+len(gone) > 0 {
			x.compared.set(len(found), len(todo), 0)
			unread, err = x.indexSources(ctx, e, todo, gone, &report)
		}
		if err == nil && unread == nil {
			x.compared.set(len(found), 0, printOfSources(found))
		}
		return err
	})
	if unread != nil {
		x.compared.outdate()
	}
	if !begun.IsZero() {
		report.Took = time.Since(begun)
	}
	return report, errors.Join(unread, err)
}

// state returns how much of the files the index covers. It reads the directory entries if the last
// comparison is old, or many files are being indexed.
func (x *Index) state(ctx context.Context) (State, error) {
	c := &x.compared
	c.mu.Lock()
	fresh := time.Since(c.at) < compareEvery && c.behind < manyFiles
	out := State{Files: c.files, Behind: c.behind, Vectors: VectorsOff}
	c.mu.Unlock()
	replacing := x.file.IsUnfinished() && x.file.IsLocked() // what an interrupted run left is nobody's work
	if fresh && !replacing {
		return out, nil
	}
	found, err := x.corpus.Sources(ctx)
	if err != nil {
		return State{Vectors: VectorsOff, Err: err}, err
	}
	out.Files, out.Behind = len(found), len(found)
	err = x.file.Read(ctx, func(now *index.Snapshot) error {
		if todo, _ := differences(now, found); !now.Older() { // that answers as well as it can until the new one is ready
			out.Behind = len(todo)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return State{Vectors: VectorsOff, Err: err}, err
	}
	c.set(out.Files, out.Behind, 0)
	if out.Building = replacing || out.Behind >= manyFiles && x.file.IsLocked(); !out.Building {
		return out, nil
	}
	out.Of, out.Done = out.Files, out.Files-out.Behind
	if replacing {
		out.Done = 0
		err := x.file.ReadUnfinished(ctx, func(now *index.Snapshot) error {
			todo, _ := differences(now, found)
			out.Done = out.Files - len(todo)
			return nil
		})
		if err != nil {
			x.cfg.Logger.Debug("the progress of the new index can't be read", "err", err)
		}
	}
	return out, nil
}

// indexSources reads the sources in todo, writes what is new, and removes those in gone. unread is why
// some couldn't be read.
func (x *Index) indexSources(ctx context.Context, e *index.Index, todo []corpus.Source, gone []string, report *Report) (unread, err error) {
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
	tombstones := x.corpus.Tombstones()
	files := 0
	for files < len(todo) && err == nil && ctx.Err() == nil {
		one, failed := x.readSource(ctx, todo[files], tombstones)
		files++
		x.cfg.Progress(Progress{Files: files, Of: len(todo), Chunks: report.Added})
		switch {
		case errors.Is(failed, fs.ErrNotExist): // deleted meanwhile: the next comparison finds that
		case failed != nil:
			unread = errors.Join(unread, failed)
		default:
			report.Changed++
			batch, bytes = append(batch, one), bytes+one.Bytes
		}
		if len(batch) >= batchSources || bytes >= batchBytes {
			err = write(ctx)
		}
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
	x.cfg.Progress(Progress{Files: files, Of: len(todo), Chunks: report.Added, Done: true})
	return unread, err
}

// readSource reads a source as its files are now, without what was forgotten. Every part of a message has its
// place, even if there is nothing to find in it, so that the neighbours of the others stay the same.
func (x *Index) readSource(ctx context.Context, s corpus.Source, tombstones corpus.Tombstones) (out index.Entry, err error) {
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
		var f memory.File
		if f, err = x.corpus.Memory.Load(s.Memory); f.Missing {
			err = cmp.Or(err, fs.ErrNotExist)
		}
		add(corpus.MemoryPieces(s.Key, f), 0, true)
		s.Files = []catalog.FileState{corpus.MemoryState(s.Key, f)}
	} else {
		c := corpus.Chunker{Session: s.Session, Source: s.From}
		files := corpus.Names(s.Files)
		var said transcript.Fingerprints
		s.Files, err = x.corpus.Store.Places().Each(ctx, files, func(b transcript.Block, p places.Place) error {
			holds := said.Follow(b) // a Summary of what was taken out repeats it
			add(c.Pieces(b, p), slices.Index(files, p.File), holds)
			return nil
		})
	}
	out.Files, out.Stamp = corpus.Names(s.Files), s.Stamp()
	return out, err
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

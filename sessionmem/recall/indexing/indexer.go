package indexing

import (
	"context"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/indexfile"
)

// Config is what an Indexer needs; all but Progress.
type Config struct {
	Corpus    *corpus.Corpus
	File      *indexfile.File
	Analyzers *analysis.Pool
	Progress  func(indexfile.Progress) // may be nil; called on the indexing goroutine
	Logger    *slog.Logger
}

// Indexer keeps an index file in step with the files that it is of. It is safe for use by
// several goroutines.
type Indexer struct {
	cfg     Config
	changed chan struct{} // 1 place: something changed
	seed    maphash.Seed

	mu     sync.Mutex      // guards what follows; never held while the index is used
	dirty  map[string]bool // paths that Changed told
	any    bool            // Changed told that any may have changed
	looked time.Time       // when the files were compared with the index
	behind int             // what that found
	files  int
	known  uint64 // print of the files as they were when the index was up to date last
}

// New makes an Indexer. Nothing is looked at before the first call.
func New(cfg Config) *Indexer {
	return &Indexer{cfg: cfg, changed: make(chan struct{}, 1), seed: maphash.MakeSeed(), dirty: map[string]bool{}}
}

// sweepEvery is how often Run compares the files with the index.
const sweepEvery = time.Minute

// Run keeps the index up to date until ctx ends. did is called with what was done.
func (x *Indexer) Run(ctx context.Context, did func(Report)) {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	for {
		report, err := x.KeepUp(InBackground(ctx))
		if err != nil && ctx.Err() == nil {
			x.cfg.Logger.Warn("the search index could not be brought up to date; it is tried again", "err", err)
		}
		did(report)
		select {
		case <-ctx.Done():
			return
		case <-x.changed:
		case <-sweep.C:
		}
	}
}

// progress tells of an indexing, in this process and to others.
func (x *Indexer) progress(p indexfile.Progress) {
	if p.Of >= manyFiles {
		x.cfg.File.Note(p)
	}
	if x.cfg.Progress != nil {
		x.cfg.Progress(p)
	}
}

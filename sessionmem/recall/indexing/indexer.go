package indexing

import (
	"context"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/indexfile"
)

// Config configures an Indexer. Only Progress may be nil.
type Config struct {
	Corpus   *corpus.Corpus
	File     *indexfile.File
	Progress func(indexfile.Progress) // may be nil; called on the indexing goroutine
	Logger   *slog.Logger
}

// Indexer keeps an index file in step with the files it indexes. It is safe for concurrent
// use.
type Indexer struct {
	cfg     Config
	changed chan struct{} // 1 place: something has changed
	seed    maphash.Seed

	mu       sync.Mutex      // guards the fields below; never held while the index is used
	dirty    map[string]bool // paths reported to Changed
	any      bool            // Changed reported that any file may have changed
	compared time.Time       // when the files were last compared with the index
	behind   int             // the number of changed files found then
	files    int
	known    uint64 // print of the files when the index was last up to date
}

// New returns an Indexer. It reads nothing before the first call.
func New(cfg Config) *Indexer {
	return &Indexer{cfg: cfg, changed: make(chan struct{}, 1), seed: maphash.MakeSeed(), dirty: map[string]bool{}}
}

// sweepEvery is how often Run compares the files with the index.
const sweepEvery = time.Minute

// Run keeps the index up to date until ctx ends. It calls did with a report of each run.
func (x *Indexer) Run(ctx context.Context, did func(Report)) {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	for {
		report, err := x.KeepUp(index.InBackground(ctx))
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

// progress reports the progress of indexing, in this process and to others.
func (x *Indexer) progress(p indexfile.Progress) {
	if p.Of >= manyFiles {
		x.cfg.File.Activity.Report(p)
	}
	if x.cfg.Progress != nil {
		x.cfg.Progress(p)
	}
}

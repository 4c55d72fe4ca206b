package recall

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/indexfile"
	"mac-stats/sessionmem/recall/indexing"
	"mac-stats/sessionmem/recall/rank"
)

// What is set where nobody sets anything.
const (
	defaultTopK      = 8
	defaultColdAfter = 90 * 24 * time.Hour
	defaultPatience  = 10 * time.Second // of an erasure
)

// Index finds chunks. It is safe for use by several goroutines and, through the file it
// lies in, by several processes.
type Index struct {
	cfg       Config
	corpus    *corpus.Corpus
	file      *indexfile.File
	indexer   *indexing.Indexer
	analyzers analysis.Pool
	weights   rank.Weights
	limits    engine.Limits

	vectors  vectorMaker
	meanings meaningAsker
	asker    serverAsker
	uploads  uploader
}

// Open opens the index. One that is missing, damaged or of another version is built by
// Run, Sync or Rebuild.
func Open(cfg Config) (*Index, error) {
	if cfg.Root == "" || cfg.CacheDir == "" || cfg.Store == nil {
		panic("recall: Config.Root, CacheDir and Store are required")
	}
	root, err := filepath.Abs(cfg.Root)
	if err != nil {
		return nil, fmt.Errorf("opening the search index: %w", err)
	}
	if cfg.Settings == nil {
		cfg.Settings = func() Settings {
			return Settings{TopK: defaultTopK, Strategy: Hybrid, ColdAfter: defaultColdAfter}
		}
	}
	if cfg.ErasePatience == 0 {
		cfg.ErasePatience = defaultPatience
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(cfg.CacheDir, 0o700); err != nil {
		cfg.Logger.Warn("the cache folder can't be made; there is no search index", "err", err)
	}
	x := &Index{
		cfg: cfg, corpus: &corpus.Corpus{Root: root, Store: cfg.Store, Memory: cfg.Memory, Forgotten: cfg.Forgotten},
		weights: rank.Default(), limits: engine.DefaultLimits(),
	}
	x.file = indexfile.New(indexfile.Config{
		Folder: cfg.CacheDir, Root: root, Limits: &x.limits, Broken: func() { x.indexer.Wake() }, Idle: x.analyzers.Drop, Progress: cfg.Progress, Logger: cfg.Logger,
	})
	x.indexer = indexing.New(indexing.Config{Corpus: x.corpus, File: x.file, Analyzers: &x.analyzers, Progress: cfg.Progress, Logger: cfg.Logger})
	x.vectors = vectorMaker{cfg: &x.cfg, corpus: x.corpus, file: x.file, wake: make(chan struct{}, 1)}
	x.meanings = meaningAsker{cfg: &x.cfg, file: x.file}
	x.asker = serverAsker{cfg: &x.cfg}
	x.uploads = uploader{
		cfg: &x.cfg, corpus: x.corpus, file: x.file, indexer: x.indexer, analyzers: &x.analyzers, asker: &x.asker, wake: make(chan struct{}, 1),
	}
	return x, nil
}

// Close lets the index go. What runs is over before: end Run first.
func (x *Index) Close() error { return x.file.Close() }

// Changed says that files changed (paths below the data folder, or absolute ones); Run
// takes them up at once. None means any: Run looks at all.
func (x *Index) Changed(paths ...string) { x.indexer.Changed(paths...) }

// SessionChanged says that sessions were written to, by their names; Run takes them up
// at once.
func (x *Index) SessionChanged(names ...string) { x.indexer.SessionChanged(names...) }

// Run keeps the index up to date, and makes vectors of what is in it, until ctx ends.
func (x *Index) Run(ctx context.Context) {
	var job sync.WaitGroup
	job.Go(func() { x.vectors.run(ctx) })
	job.Go(func() { x.uploads.run(ctx) })
	defer job.Wait()
	x.indexer.Run(ctx, func(did indexing.Report) {
		if did.Added > 0 {
			nudge(x.vectors.wake)
		}
		if did.Changed > 0 {
			nudge(x.uploads.wake)
		}
	})
}

// Sync brings the index up to date now and returns when it is complete. One that is
// missing is built; one that is damaged or of another version is built anew while the
// old one answers.
func (x *Index) Sync(ctx context.Context) (indexing.Report, error) { return x.indexer.Sync(ctx) }

// Rebuild builds the index from nothing, or goes on with a Rebuild that was stopped; the
// old one answers until the new one takes its place.
func (x *Index) Rebuild(ctx context.Context) (indexing.Report, error) { return x.indexer.Rebuild(ctx) }

// state is how much of what there is the index covers.
func (x *Index) state(ctx context.Context) (State, error) {
	s, err := x.indexer.Standing(ctx)
	return State{Files: s.Files, Behind: s.Behind, Building: s.Building, Done: s.Done, Of: s.Of, Vectors: VectorsOff, Err: err}, err
}

// MakeVectors makes all vectors that are missing, turns aside, and returns when it is
// complete; ErrNoModel where no embedding model is installed. progress may be nil.
func (x *Index) MakeVectors(ctx context.Context, progress func(made, of int, left time.Duration)) error {
	return x.vectors.makeAll(ctx, progress)
}

// PauseVectors stops the making of vectors in the background until it is let go on, also
// after a restart.
func (x *Index) PauseVectors(paused bool) { x.vectors.pause(paused) }

// VectorsNow has all vectors that are missing made at full speed, turns aside. A pause is
// over.
func (x *Index) VectorsNow() { x.vectors.now() }

// Push brings the server up to date with the index, and returns when it is. ErrServer says
// why that can't be done; what arrived by then stays there.
func (x *Index) Push(ctx context.Context) (Pushed, error) { return x.uploads.push(ctx) }

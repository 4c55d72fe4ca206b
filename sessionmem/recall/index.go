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
	logger    *slog.Logger
	corpus    *corpus.Corpus
	file      *indexfile.File
	indexer   *indexing.Indexer
	analyzers analysis.Pool
	weights   rank.Weights
	limits    engine.Limits

	mu   sync.Mutex // guards what follows
	pace pace       // of the making of vectors

	pushing     sync.Mutex    // held by whoever brings the server up to date
	pushable    chan struct{} // 1 place: there may be something that the server lacks
	serverAgain time.Time     // when a search asks the server again that could not answer
	serverErr   error         // why it could not

	embedAgain time.Time     // when the embedding server is asked again that did not answer
	embeddable chan struct{} // 1 place: there may be chunks without a vector
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
		cfg: cfg, logger: cfg.Logger, corpus: &corpus.Corpus{Root: root, Store: cfg.Store, Memory: cfg.Memory, Forgotten: cfg.Forgotten},
		weights: rank.Default(), limits: engine.DefaultLimits(), embeddable: make(chan struct{}, 1), pushable: make(chan struct{}, 1),
	}
	x.file = indexfile.New(indexfile.Config{
		Folder: cfg.CacheDir, Root: root, Limits: &x.limits, Broken: func() { x.indexer.Wake() }, Idle: x.analyzers.Drop, Progress: cfg.Progress, Logger: cfg.Logger,
	})
	x.indexer = indexing.New(indexing.Config{Corpus: x.corpus, File: x.file, Analyzers: &x.analyzers, Progress: cfg.Progress, Logger: cfg.Logger})
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
	job.Go(func() { x.runVectors(ctx) })
	job.Go(func() { x.runServer(ctx) })
	defer job.Wait()
	x.indexer.Run(ctx, func(did indexing.Report) {
		if did.Added > 0 {
			x.newChunks()
		}
		if did.Changed > 0 {
			x.newOnServer()
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

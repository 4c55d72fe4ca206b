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
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
)

// Defaults for what Config and Settings leave open.
const (
	defaultTopK      = 8
	defaultColdAfter = 90 * 24 * time.Hour
	defaultPatience  = 10 * time.Second // of an erasure
)

// Index is a search index. It is safe for concurrent use by goroutines and, through its
// file, by several processes.
type Index struct {
	cfg       Config
	corpus    *corpus.Corpus
	file      *index.File
	changed   chan struct{} // 1 place: files may have changed
	compared  compared
	analyzers analysis.Pool
	weights   rank.Weights
	options   index.Options

	vectors  vectorMaker
	meanings meaningAsker
	asker    serverAsker
	mirror   mirror
}

// Open opens the index. If it is missing, damaged or of another version, Run, Sync or
// Rebuild builds it.
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
	if cfg.Progress == nil {
		cfg.Progress = func(Progress) {}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(cfg.CacheDir, 0o700); err != nil {
		cfg.Logger.Warn("the cache folder can't be made; there is no search index", "err", err)
	}
	x := &Index{
		cfg: cfg, corpus: &corpus.Corpus{Root: root, Store: cfg.Store, Memory: cfg.Memory, Forgotten: cfg.Forgotten},
		weights: rank.Default(), changed: make(chan struct{}, 1),
	}
	x.options.Words = &x.analyzers
	x.file = index.NewFile(index.FileConfig{
		Folder: cfg.CacheDir, Root: root, Options: &x.options, Broken: func() { nudge(x.changed) }, Waits: func() { cfg.Progress(Progress{Waits: true}) }, Logger: cfg.Logger,
	})
	x.vectors = vectorMaker{cfg: &x.cfg, corpus: x.corpus, file: x.file, wake: make(chan struct{}, 1)}
	x.meanings = meaningAsker{cfg: &x.cfg, file: x.file}
	x.asker = serverAsker{cfg: &x.cfg}
	x.mirror = mirror{
		cfg: &x.cfg, corpus: x.corpus, file: x.file, behind: x.changed, analyzers: &x.analyzers, asker: &x.asker, wake: make(chan struct{}, 1),
	}
	return x, nil
}

// Close closes the index. End Run first.
func (x *Index) Close() error { return x.file.Close() }

// Run keeps the index, its vectors and the server up to date until ctx ends.
func (x *Index) Run(ctx context.Context) {
	var job sync.WaitGroup
	job.Go(func() { x.vectors.run(ctx) })
	job.Go(func() { x.mirror.run(ctx) })
	defer job.Wait()
	x.keepUp(ctx, func(did Report) {
		if did.Added > 0 {
			nudge(x.vectors.wake)
		}
		if did.Changed > 0 {
			nudge(x.mirror.wake)
		}
	})
}

// MakeVectors makes all missing vectors, pausing while a turn runs, and returns when it is
// done; ErrNoModel if no embedding model is installed. progress may be nil.
func (x *Index) MakeVectors(ctx context.Context, progress func(made, of int, left time.Duration)) error {
	return x.vectors.makeAll(ctx, progress)
}

// PauseVectors pauses or resumes making vectors in the background. A pause outlasts a
// restart.
func (x *Index) PauseVectors(paused bool) { x.vectors.pause(paused) }

// VectorsNow makes all missing vectors at full speed, pausing only while a turn runs. It
// ends a pause.
func (x *Index) VectorsNow() {
	x.vectors.pause(false)
	x.vectors.fullSpeed()
}

// Copy brings the server up to date with the index and returns when it is. ErrServer wraps
// the reason if it can't; what has arrived stays there.
func (x *Index) Copy(ctx context.Context) (Copied, error) { return x.mirror.copy(ctx) }

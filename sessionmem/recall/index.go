package recall

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/tables"
	"mac-stats/sessionmem/recall/rank"
	"mac-stats/sessionmem/wholefile"
)

// What is set where nobody sets anything.
const (
	defaultTopK      = 8
	defaultColdAfter = 90 * 24 * time.Hour
	defaultPatience  = 10 * time.Second // of an erasure
)

// The files of the index in the cache folder.
const (
	indexFile = "recall.db"
	lockFile  = "recall.lock" // held by the one process that writes
	newFile   = "recall.db.new"
	// damagedFile is there where somebody who may not have been the one that writes found
	// the index damaged.
	damagedFile = "recall.damaged"
)

// Index finds chunks. It is safe for use by several goroutines and, through the file it
// lies in, by several processes.
type Index struct {
	cfg    Config
	corpus *corpus.Corpus
	logger *slog.Logger
	path   string

	writing chan struct{} // 1 place: whoever writes in this process
	changed chan struct{} // 1 place: something changed

	analyzers pool[*analysis.Analyzer]
	seed      maphash.Seed
	weights   rank.Weights
	limits    engine.Limits

	mu     sync.Mutex     // guards what follows; never held while the engine is used
	engine *engine.Engine // nil: not open
	users  map[*engine.Engine]int
	broken bool            // the file is damaged or of another version: it has to be built anew
	busy   int             // indexings that run
	done   Progress        // of the one that runs
	noted  time.Time       // when that was told to others
	dirty  map[string]bool // paths that Changed told
	any    bool            // Changed told that any may have changed
	looked time.Time       // when the files were compared with the index
	behind int             // what that found
	files  int
	idle   *time.Timer
	closed bool
	known  uint64 // print of the files as they were when the index was up to date last
	left   string // stamp of the index file as this process left it then: another may have erased since

	pace pace // of the making of vectors

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
	return &Index{
		cfg: cfg, corpus: &corpus.Corpus{Root: root, Store: cfg.Store, Memory: cfg.Memory, Forgotten: cfg.Forgotten}, logger: cfg.Logger, path: filepath.Join(cfg.CacheDir, indexFile),
		writing: make(chan struct{}, 1), changed: make(chan struct{}, 1), embeddable: make(chan struct{}, 1), pushable: make(chan struct{}, 1),
		analyzers: pool[*analysis.Analyzer]{make: analysis.NewAnalyzer}, seed: maphash.MakeSeed(), weights: rank.Default(), limits: engine.DefaultLimits(),
		users: map[*engine.Engine]int{}, dirty: map[string]bool{},
	}, nil
}

// Close lets the index go. What runs is over before: end Run first.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.idle != nil {
		x.idle.Stop()
	}
	x.closed = true
	return x.drop()
}

// ErrClosed: the index was closed.
var ErrClosed = errors.New("the search index is closed")

// drop lets the engine go, as soon as nobody uses it. The caller holds mu.
func (x *Index) drop() error {
	e := x.engine
	x.engine = nil
	if e == nil || x.users[e] > 0 {
		return nil
	}
	alone := x.left == x.stamp()
	err := e.Close()
	if alone { // what the closing changed changes nothing of what it holds
		x.left = x.stamp()
	}
	return err
}

// stamp tells whether the index file is as it was, without opening it.
func (x *Index) stamp() string {
	fi, err := os.Stat(x.path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(fi.Size(), fi.ModTime().UnixNano())
}

// Changed says that files changed (paths below the data folder, or absolute ones); Run
// takes them up at once. None means any: Run looks at all.
func (x *Index) Changed(paths ...string) {
	x.mu.Lock()
	x.any = x.any || len(paths) == 0
	for _, p := range paths {
		x.dirty[p] = true
	}
	x.mu.Unlock()
	x.wake()
}

func (x *Index) wake() { nudge(x.changed) }

// sweepEvery is how often Run compares the files with the index.
const sweepEvery = time.Minute

// Run keeps the index up to date, and makes vectors of what is in it, until ctx ends.
func (x *Index) Run(ctx context.Context) {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	var job sync.WaitGroup
	job.Go(func() { x.runVectors(ctx) })
	job.Go(func() { x.runServer(ctx) })
	defer job.Wait()
	for {
		report, err := x.keepUp(inBackground(ctx))
		if err != nil && ctx.Err() == nil {
			x.logger.Warn("the search index could not be brought up to date; it is tried again", "err", err)
		}
		if report.Added > 0 {
			x.newChunks()
		}
		if report.Changed > 0 {
			x.newOnServer()
		}
		select {
		case <-ctx.Done():
			return
		case <-x.changed:
		case <-sweep.C:
		}
	}
}

// keepUp is Sync that does nothing, and loads nothing, where no file changed since the
// last one: it runs for as long as the app does.
func (x *Index) keepUp(ctx context.Context) (Report, error) {
	if report, ok := x.syncTold(ctx); ok {
		return report, nil
	}
	found, err := x.corpus.Sources(ctx)
	if err != nil {
		return Report{}, err
	}
	_, missing := os.Stat(x.path)
	damaged := x.damaged()
	x.mu.Lock()
	same := x.known == printOf(x.seed, found) && len(x.dirty) == 0 && !damaged && missing == nil && x.left == x.stamp()
	if same {
		x.looked, x.files, x.behind, x.any = time.Now(), len(found), 0, false
	}
	x.mu.Unlock()
	if same {
		return Report{Files: len(found)}, nil
	}
	return x.Sync(ctx)
}

// printOf tells whether files are as they were, to the process that asked before.
func printOf(seed maphash.Seed, found []corpus.Source) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var buf []byte
	for _, s := range found {
		buf = append(append(buf[:0], s.Key...), 0)
		for _, f := range s.Files {
			buf = append(append(buf, f.File...), 0)
			for _, n := range [3]uint64{uint64(f.Size), uint64(f.Changed), f.Inode} { //nolint:gosec // bits are what is wanted
				buf = binary.LittleEndian.AppendUint64(buf, n)
			}
		}
		_, _ = h.Write(buf) // a hash takes all
	}
	return h.Sum64()
}

// lock makes this goroutine the only one that writes the index, in all processes.
func (x *Index) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case x.writing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := os.MkdirAll(x.cfg.CacheDir, 0o700); err != nil {
		<-x.writing
		return nil, fmt.Errorf("making the cache folder: %w", err)
	}
	l := wholefile.NewLock(filepath.Join(x.cfg.CacheDir, lockFile))
	free, err := l.TryLock()
	if err == nil && !free {
		stop := x.waiting()
		_, err = l.TryLockContext(ctx, lockRetry)
		stop()
	}
	if err != nil {
		<-x.writing
		return nil, fmt.Errorf("waiting for another process that writes the search index: %w", err)
	}
	return func() {
		_ = l.Unlock() // the process's end frees it too
		<-x.writing
	}, nil
}

// lockRetry is how often a lock that another process holds is tried.
const lockRetry = 50 * time.Millisecond

// begin and end count the indexings that run, for State.Building.
func (x *Index) begin() (end func()) {
	x.mu.Lock()
	x.busy++
	x.mu.Unlock()
	return func() {
		x.mu.Lock()
		x.busy--
		over := x.busy == 0
		x.mu.Unlock()
		if over {
			x.unnoted()
		}
	}
}

// Sync brings the index up to date now and returns when it is complete. One that is
// missing is built; one that is damaged or of another version is built anew while the
// old one answers.
func (x *Index) Sync(ctx context.Context) (Report, error) {
	unlock, err := x.lock(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	begun := time.Now()
	e, done, err := x.use(ctx)
	broken := x.damaged()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e, done, err = x.create(ctx)
	case err != nil && !broken:
		return Report{}, err
	}
	if broken || err != nil {
		if done != nil {
			done()
		}
		return x.replace(ctx, begun)
	}
	defer done()
	report, err := x.sync(ctx, e)
	if err == nil {
		err = e.Tidy(ctx)
	}
	if err == nil {
		x.mu.Lock()
		x.left = x.stamp()
		x.mu.Unlock()
	}
	report.Took = time.Since(begun)
	if tables.IsDamaged(err) {
		x.spoil(err)
		return x.replace(ctx, begun)
	}
	return report, err
}

// create makes the index file.
func (x *Index) create(ctx context.Context) (*engine.Engine, func(), error) {
	made, err := engine.Open(ctx, x.path, x.corpus.Root, true, x.limits, x.logger)
	if err != nil {
		return nil, nil, err
	}
	if err := made.Close(); err != nil {
		return nil, nil, err
	}
	return x.use(ctx)
}

// Rebuild builds the index from nothing, or goes on with a Rebuild that was stopped; the
// old one answers until the new one takes its place.
func (x *Index) Rebuild(ctx context.Context) (Report, error) {
	unlock, err := x.lock(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	return x.replace(ctx, time.Now())
}

package backend

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/app/monitor"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
)

// indexDelay is how long after startup the app begins to check the files: startup is busy
// enough without it.
const indexDelay = 3 * time.Second

// rerankOff and rerankModel are the keywords of recall.rerank; any other value is a URL.
const (
	rerankOff   = "off"
	rerankModel = "model"
)

// Index is this machine's search index, opened on first use.
type Index struct {
	app        *base
	store      *sessionmem.Store
	memory     *memory.Memory
	client     *ollama.Client
	models     *ollama.Catalog
	monitor    *monitor.Monitor
	small      *background.SmallModel
	busy       func() bool // reports whether a turn runs
	shared     *SharedMemory
	beforeCopy func(ctx context.Context, to recall.Server) error
	forgotten  func(ctx context.Context, all []corpus.Chunk) error // by other machines

	once   sync.Once
	index  *recall.Index
	err    error
	opened atomic.Pointer[recall.Index] // set when index is, for readers that don't wait for it
	pace   embedPace                    // of the vectors

	mu        sync.Mutex // guards listeners
	listeners map[int]func(recall.Progress)
	next      int
}

// Recall returns the search index and opens it on the first call. It fails if the cache
// folder can't be used; then only search is missing.
func (ix *Index) Recall() (*recall.Index, error) {
	if err := ix.app.ctx.Err(); err != nil {
		return nil, fmt.Errorf("search what was said: mac-stats is ending: %w", err)
	}
	ix.once.Do(func() {
		ix.index, ix.err = ix.open()
		ix.opened.Store(ix.index)
		if ix.err != nil {
			ix.app.Logger.Warn("nothing can be searched by meaning or in long sessions", "error", ix.err)
		}
	})
	return ix.index, ix.err
}

func (ix *Index) open() (*recall.Index, error) {
	index, err := recall.Open(recall.Config{
		Root: ix.app.Paths.Home, CacheDir: ix.app.Paths.Cache,
		Store: ix.store, Memory: ix.memory,
		Settings: ix.settings,
		Embedder: background.NewEmbedder(background.EmbedderConfig{
			Client: ix.client, Models: ix.models,
			Model: func() string { return ix.app.Config().Ollama.EmbedModel },
			Prefixes: func() (question, passage string) {
				set := ix.app.Config().Ollama
				return set.EmbedQuestion, set.EmbedPassage
			},
			Busy: ix.alone,
		}),
		Reranker:      &reranker{ix},
		Progress:      ix.notifyProgress,
		EmbedPatience: ix.embedPatience(),
		InTurn:        ix.store.Sessions().InTurn,
		EmbedShare:    ix.embedShare,
		Server:        ix.shared.forIndex, ServerPatience: ix.embedPatience(), BeforeCopy: ix.beforeCopy, ForgottenElsewhere: ix.forgotten,
		Forgotten: func() corpus.Tombstones { return ix.store.Forgotten() },
		Logger:    ix.app.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("open the search index in %s: %w", ix.app.Paths.Cache, err)
	}
	return index, nil
}

// commandPatience is how long a command waits for the vector of its question, because the
// model may have to be loaded and Ollama unloads it again if the request is dropped. It
// waits as long for the memory server, which it first has to connect to. A turn never waits
// that long.
const commandPatience = 5 * time.Second

func (ix *Index) embedPatience() time.Duration {
	if ix.app.patience == 0 && !ix.app.watching {
		return commandPatience
	}
	return ix.app.patience
}

// searcher returns the index as turns use it.
func (ix *Index) searcher() (agents.Searcher, error) {
	index, err := ix.Recall()
	if err != nil {
		return nil, err
	}
	return index, nil
}

// close closes the index if it is open.
func (ix *Index) close() error {
	var err error
	ix.once.Do(func() { ix.err = context.Canceled }) // from now on it can't be opened
	if ix.index != nil {
		err = ix.index.Close()
	}
	return err
}

// keep keeps the index up to date with the files until Close.
func (ix *Index) keep() {
	timer := time.NewTimer(indexDelay)
	defer timer.Stop()
	select {
	case <-ix.app.ctx.Done():
		return
	case <-timer.C:
	}
	if index, err := ix.Recall(); err == nil {
		index.Run(ix.app.ctx)
	}
}

// changed notifies the index that files may have changed. Only the app keeps the index up to date; a
// command leaves that to the app or to reindex. An index that isn't open yet checks all files when it
// opens.
func (ix *Index) changed() {
	if index := ix.opened.Load(); index != nil && ix.app.watching {
		index.Changed()
	}
}

func (ix *Index) settings() recall.Settings {
	cfg := ix.app.Config().Recall
	return recall.Settings{
		TopK:      cfg.TopK,
		Strategy:  recall.Strategy(cfg.Strategy),
		ColdAfter: time.Duration(cfg.ColdAfterDays) * 24 * time.Hour,
		Rerank:    cfg.Rerank != rerankOff,
	}
}

// alone reports whether a turn runs and no other model may be loaded beside its own.
func (ix *Index) alone() bool {
	return ix.app.Config().Ollama.MaxConcurrent <= 1 && ix.busy()
}

// reranker reranks with whatever the current settings name.
type reranker struct{ index *Index }

// Rerank asks the small model, or a server at a URL.
func (r *reranker) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	switch who := r.index.app.Config().Recall.Rerank; who {
	case rerankOff:
		return nil, fmt.Errorf("reranking is off (recall.rerank)")
	case rerankModel:
		return r.index.small.Rerank(ctx, query, texts)
	default:
		server, err := background.NewRerankServer(who)
		if err != nil {
			return nil, err
		}
		return server.Rerank(ctx, query, texts)
	}
}

// OnIndexing calls f while many files are being indexed, until stop is called. f must be
// quick, because indexing waits for it.
func (ix *Index) OnIndexing(f func(recall.Progress)) (stop func()) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	id := ix.next
	ix.next++
	if ix.listeners == nil {
		ix.listeners = map[int]func(recall.Progress){}
	}
	ix.listeners[id] = f
	return func() {
		ix.mu.Lock()
		defer ix.mu.Unlock()
		delete(ix.listeners, id)
	}
}

func (ix *Index) notifyProgress(p recall.Progress) {
	ix.mu.Lock()
	var all []func(recall.Progress)
	for _, f := range ix.listeners {
		all = append(all, f)
	}
	ix.mu.Unlock()
	for _, f := range all {
		f(p)
	}
}

// EmbedModel returns the embedding model, or an error that says why there is none.
func (ix *Index) EmbedModel(ctx context.Context) (ollama.ModelInfo, error) {
	return ix.models.Resolve(ctx, ix.app.Config().Ollama.EmbedModel, ollama.RoleEmbed)
}

// turnPatience is how long the memory server may hold up a turn: two thirds for the server,
// the rest for this machine's index if the server doesn't answer.
const turnPatience = 300 * time.Millisecond

// recallTime returns how long a turn waits for recalled passages; 0 means the default.
func (ix *Index) recallTime() time.Duration {
	if ix.app.patience == 0 && ix.app.Config().Recall.Backend == backendPostgres {
		return turnPatience
	}
	return ix.app.patience
}

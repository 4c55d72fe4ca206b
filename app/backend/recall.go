package backend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
)

// indexDelay is how long after its start the app begins to look at the files: the
// start is busy enough without it.
const indexDelay = 3 * time.Second

// rerankOff and rerankModel are the words of recall.rerank; anything else is a URL.
const (
	rerankOff   = "off"
	rerankModel = "model"
)

// Recall is the search index, opened at the first call. An error is of the cache
// folder: without it there is no search, and nothing else is missing.
func (b *Backend) Recall() (*recall.Index, error) {
	if err := b.ctx.Err(); err != nil {
		return nil, fmt.Errorf("search what was said: mac-stats is ending: %w", err)
	}
	b.recallOnce.Do(func() {
		b.recall, b.recallErr = b.openRecall()
		b.recallOpen.Store(b.recall)
		if b.recallErr != nil {
			b.Logger.Warn("nothing can be searched by meaning or in long sessions", "error", b.recallErr)
		}
	})
	return b.recall, b.recallErr
}

func (b *Backend) openRecall() (*recall.Index, error) {
	index, err := recall.Open(recall.Config{
		Root: b.Paths.Home, CacheDir: b.Paths.Cache,
		Store: b.Store, Memory: b.Memory,
		Settings: b.recallSettings,
		Embedder: background.NewEmbedder(background.EmbedderConfig{
			Client: b.Client, Models: b.Models,
			Model: func() string { return b.Config().Ollama.EmbedModel },
			Prefixes: func() (question, passage string) {
				set := b.Config().Ollama
				return set.EmbedQuestion, set.EmbedPassage
			},
			Busy: b.alone,
		}),
		Reranker:      &reranker{b},
		Progress:      b.tellProgress,
		EmbedPatience: b.embedPatience(),
		InTurn:        b.Store.InTurn,
		EmbedShare:    b.embedShare,
		Server:        b.recallServer, ServerPatience: b.embedPatience(), BeforePush: b.beforePush,
		Forgotten: func() corpus.Tombstones { return b.Store.Forgotten() },
		Logger:    b.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("open the search index in %s: %w", b.Paths.Cache, err)
	}
	return index, nil
}

// commandPatience is how long a command waits for the vector of its question: the model
// may have to be loaded, and a server that is left before unloads it again. For the memory
// server it waits as long, which it has to connect to first; a turn never does (recall).
const commandPatience = 5 * time.Second

func (b *Backend) embedPatience() time.Duration {
	if b.patience == 0 && !b.watching {
		return commandPatience
	}
	return b.patience
}

// searcher is the index as turns use it.
func (b *Backend) searcher() (agents.Searcher, error) {
	index, err := b.Recall()
	if err != nil {
		return nil, err
	}
	return index, nil
}

// closeRecall closes the index where it was opened.
func (b *Backend) closeRecall() error {
	var err error
	b.recallOnce.Do(func() { b.recallErr = context.Canceled }) // from now on it can't be opened
	if b.recall != nil {
		err = b.recall.Close()
	}
	return err
}

// keepIndex keeps the index up with the files until Close.
func (b *Backend) keepIndex() {
	timer := time.NewTimer(indexDelay)
	defer timer.Stop()
	select {
	case <-b.ctx.Done():
		return
	case <-timer.C:
	}
	if index, err := b.Recall(); err == nil {
		index.Run(b.ctx)
	}
}

// indexChanged tells the index of files that changed, none for any. Only the app
// keeps the index up; a command leaves it to the app, or to reindex. Before the index
// is open there is nothing to tell: it looks at all files then.
func (b *Backend) indexChanged(paths ...string) {
	if index := b.recallOpen.Load(); index != nil && b.watching {
		index.Changed(paths...)
	}
}

// indexSession tells the index of a session that was written to; "" is any.
func (b *Backend) indexSession(name string) {
	if name == "" {
		b.indexChanged()
		return
	}
	if index := b.recallOpen.Load(); index != nil && b.watching {
		index.SessionChanged(name)
	}
}

func (b *Backend) recallSettings() recall.Settings {
	cfg := b.Config().Recall
	return recall.Settings{
		TopK:      cfg.TopK,
		Strategy:  recall.Strategy(cfg.Strategy),
		ColdAfter: time.Duration(cfg.ColdAfterDays) * 24 * time.Hour,
		Rerank:    cfg.Rerank != rerankOff,
	}
}

// alone reports whether a turn runs that no other model may be loaded beside.
func (b *Backend) alone() bool {
	return b.Engine != nil && b.Config().Ollama.MaxConcurrent <= 1 && b.Engine.Busy()
}

// reranker is who the settings name now.
type reranker struct{ b *Backend }

// Rerank asks the small model, or a server at a URL.
func (r *reranker) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	switch who := r.b.Config().Recall.Rerank; who {
	case rerankOff:
		return nil, fmt.Errorf("reranking is off (recall.rerank)")
	case rerankModel:
		return r.b.small().Rerank(ctx, query, texts)
	default:
		server, err := background.NewRerankServer(who)
		if err != nil {
			return nil, err
		}
		return server.Rerank(ctx, query, texts)
	}
}

// OnIndexing calls f while the index takes up many files, until stop. f must be
// quick: the indexing waits for it.
func (b *Backend) OnIndexing(f func(recall.Progress)) (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := b.nextIndexing
	b.nextIndexing++
	if b.indexing == nil {
		b.indexing = map[int]func(recall.Progress){}
	}
	b.indexing[id] = f
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.indexing, id)
	}
}

func (b *Backend) tellProgress(p recall.Progress) {
	b.mu.Lock()
	var all []func(recall.Progress)
	for _, f := range b.indexing {
		all = append(all, f)
	}
	b.mu.Unlock()
	for _, f := range all {
		f(p)
	}
}

// EmbedModel is the model that makes embeddings, or why there is none.
func (b *Backend) EmbedModel(ctx context.Context) (ollama.ModelInfo, error) {
	return b.Models.Resolve(ctx, b.Config().Ollama.EmbedModel, ollama.RoleEmbed)
}

// Summarize summarises a session now, as a request would but for its being due, and
// takes the Summary into the index. Nothing to summarise is a Result without a
// Summary. begun, which may be nil, is told how many messages it covers.
func (b *Backend) Summarize(ctx context.Context, session string, begun func(messages int)) (compact.Result, error) {
	again, err := b.Compaction.Renew(ctx, session)
	if err != nil && !errors.Is(err, sessionmem.ErrNothing) {
		return again, err
	}
	snap, policy, err := b.Compaction.Snapshot(ctx, session, "")
	nothing := compact.Result{Session: session, Recent: len(snap.Messages)}
	if again.Summary.ID != "" {
		b.indexChanged()
		again.Recent, nothing = len(snap.Messages), again
	}
	if err != nil || snap.Covered(policy.KeepRecent) == 0 {
		return nothing, err
	}
	if begun != nil {
		begun(snap.Covered(policy.KeepRecent))
	}
	done, err := b.Compaction.Compact(ctx, snap, policy.KeepRecent)
	if err != nil {
		return nothing, err
	}
	b.indexChanged()
	return done, nil
}

package recall

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// What is set where nobody sets anything.
const (
	defaultTopK      = 8
	defaultColdAfter = 90 * 24 * time.Hour
)

// Index finds chunks. It is safe for use by several goroutines and, through the file it
// lies in, by several processes.
type Index struct {
	cfg    Config
	logger *slog.Logger

	mu     sync.RWMutex // guards what follows
	docs   []*document
	files  map[string]source // as they were indexed
	synced time.Time

	changed chan struct{} // 1 place: something changed
}

// document is a chunk as it is searched.
type document struct {
	piece
	terms map[string]int
	words int
	marks Marks
	key   string // of its source
}

// Open opens the index, or begins one.
func Open(cfg Config) (*Index, error) {
	if cfg.Root == "" || cfg.CacheDir == "" || cfg.Store == nil {
		panic("recall: Config.Root, CacheDir and Store are required")
	}
	root, err := filepath.Abs(cfg.Root)
	if err != nil {
		return nil, fmt.Errorf("opening the search index: %w", err)
	}
	cfg.Root = root
	if cfg.Settings == nil {
		cfg.Settings = func() Settings {
			return Settings{TopK: defaultTopK, Strategy: Hybrid, ColdAfter: defaultColdAfter}
		}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Index{cfg: cfg, logger: cfg.Logger, files: map[string]source{}, changed: make(chan struct{}, 1)}, nil
}

// Close lets the index go.
func (x *Index) Close() error { return nil }

// sweepEvery is how often Run compares the files with the index.
const sweepEvery = 30 * time.Second

// Run keeps the index up to date until ctx ends.
func (x *Index) Run(ctx context.Context) {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	for {
		if _, err := x.Sync(ctx); err != nil && ctx.Err() == nil {
			x.logger.Warn("the search index could not be brought up to date; it is tried again", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-x.changed:
		case <-sweep.C:
		}
	}
}

// Changed says that files changed; Run takes them up at once.
func (x *Index) Changed(...string) {
	select {
	case x.changed <- struct{}{}:
	default:
	}
}

// Sync brings the index up to date and returns when it is.
func (x *Index) Sync(ctx context.Context) (Report, error) {
	begun := time.Now()
	found, err := x.sources(ctx)
	if err != nil {
		return Report{}, err
	}
	report := Report{Files: len(found)}
	x.mu.Lock()
	defer x.mu.Unlock()
	there := map[string]bool{}
	for _, s := range found {
		there[s.key] = true
		if known, ok := x.files[s.key]; ok && slices.Equal(known.files, s.files) {
			continue
		}
		if err := x.take(ctx, s, &report); err != nil {
			return report, err
		}
	}
	for key := range x.files {
		if !there[key] {
			x.drop(key, &report)
			report.Changed++
		}
	}
	x.synced = time.Now()
	report.Took = time.Since(begun)
	return report, nil
}

// take indexes a source anew. The caller holds mu.
func (x *Index) take(ctx context.Context, s source, report *Report) error {
	pieces, states, err := x.read(ctx, s)
	if err != nil {
		return err
	}
	x.drop(s.key, report)
	var dead Tombstones
	if x.cfg.Forgotten != nil {
		dead = x.cfg.Forgotten()
	}
	a := NewAnalyzer()
	for _, p := range pieces {
		switch {
		case p.empty:
			continue
		case dead != nil && dead.Has(p.Text):
			report.Refused++
			continue
		}
		t := a.Chunk(p.Text, p.Time)
		d := &document{piece: p, terms: map[string]int{}, words: t.Words, marks: t.Marks, key: s.key}
		for _, f := range t.Freqs {
			d.terms[strings.Clone(f.Term)] = f.N
		}
		d.Text = ""
		x.docs = append(x.docs, d)
		report.Added++
	}
	s.files = states
	x.files[s.key] = s
	report.Changed++
	return nil
}

// drop takes the chunks of a source out. The caller holds mu.
func (x *Index) drop(key string, report *Report) {
	before := len(x.docs)
	x.docs = slices.DeleteFunc(x.docs, func(d *document) bool { return d.key == key })
	report.Removed += before - len(x.docs)
	delete(x.files, key)
}

// Rebuild builds the index from nothing.
func (x *Index) Rebuild(ctx context.Context) (Report, error) {
	x.mu.Lock()
	x.docs, x.files = nil, map[string]source{}
	x.mu.Unlock()
	return x.Sync(ctx)
}

// Search finds chunks. It never indexes: Answer.State says what the index lacks.
func (x *Index) Search(ctx context.Context, q Query) (Answer, error) {
	begun := time.Now()
	state, err := x.state(ctx)
	if err != nil {
		return Answer{State: state}, err
	}
	settings := x.cfg.Settings()
	if q.Now.IsZero() {
		q.Now = time.Now()
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	var hits []Hit
	var places []place
	terms := NewAnalyzer().Query(q.Text, q.Now)
	scores := x.score(terms)
	order := make([]*document, 0, len(scores))
	for d := range scores {
		if q.Scope.allows(d.Chunk) {
			order = append(order, d)
		}
	}
	slices.SortFunc(order, func(a, b *document) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID))
	})
	for _, d := range order[:min(len(order), cmp.Or(q.Limit, settings.TopK, defaultTopK))] {
		s := scores[d] / scores[order[0]]
		hits = append(hits, Hit{Chunk: d.Chunk, Score: s, Lexical: s, Relevance: s})
		places = append(places, d.place)
	}
	hits = x.withTexts(ctx, hits, places)
	return Answer{Hits: hits, State: state, Took: time.Since(begun)}, nil
}

// score gives the scores of the documents that hold a term. The caller holds mu.
func (x *Index) score(q QueryTerms) map[*document]float64 {
	scores := map[*document]float64{}
	for _, t := range q.Terms {
		for _, v := range t.Variants {
			n := 0
			for _, d := range x.docs {
				if d.terms[v.Term] > 0 {
					n++
				}
			}
			idf := math.Log(1 + (float64(len(x.docs)-n)+.5)/(float64(n)+.5))
			for _, d := range x.docs {
				if tf := float64(d.terms[v.Term]); tf > 0 {
					scores[d] += idf * t.Weight * v.Weight * tf * 2.2 / (tf + 1.2)
				}
			}
		}
	}
	return scores
}

// withTexts reads the hits' texts; those that are gone from their files are left out.
func (x *Index) withTexts(ctx context.Context, hits []Hit, places []place) []Hit {
	r := newTexts(&x.cfg)
	defer r.close()
	kept := hits[:0]
	for i, h := range hits {
		text, err := r.read(ctx, h.Chunk, places[i])
		if err != nil {
			x.logger.Debug("a hit can't be read any more", "chunk", h.ID, "err", err)
			continue
		}
		h.Text = text
		kept = append(kept, h)
	}
	return kept
}

// allows says whether a chunk may be found.
func (s Scope) allows(c Chunk) bool {
	switch {
	case c.Kind == KindMemory && s.NoMemory,
		s.Session != "" && c.Session != s.Session,
		s.NotSession != "" && c.Session == s.NotSession,
		len(s.Sources) > 0 && c.Kind != KindMemory && !slices.Contains(s.Sources, c.Source),
		s.Allow != nil && !s.Allow(c):
		return false
	}
	return true
}

// state compares the files with the index.
func (x *Index) state(ctx context.Context) (State, error) {
	found, err := x.sources(ctx)
	if err != nil {
		return State{Err: err, Vectors: VectorsOff}, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := State{Files: len(found), Vectors: VectorsOff}
	for _, f := range found {
		if known, ok := x.files[f.key]; !ok || !slices.Equal(known.files, f.files) {
			s.Behind++
		}
	}
	return s, nil
}

// Chunks gives all chunks of a session, in order.
func (x *Index) Chunks(ctx context.Context, session string) ([]Chunk, error) {
	x.mu.RLock()
	var hits []Hit
	var places []place
	for _, d := range x.docs {
		if d.Session == session && session != "" {
			hits = append(hits, Hit{Chunk: d.Chunk})
			places = append(places, d.place)
		}
	}
	x.mu.RUnlock()
	var out []Chunk
	for _, h := range x.withTexts(ctx, hits, places) {
		out = append(out, h.Chunk)
	}
	return out, nil
}

// Chunk gives a chunk by its id; ErrNoChunk where there is none.
func (x *Index) Chunk(ctx context.Context, id string) (Chunk, error) {
	x.mu.RLock()
	i := slices.IndexFunc(x.docs, func(d *document) bool { return d.ID == id })
	x.mu.RUnlock()
	if i < 0 {
		return Chunk{}, fmt.Errorf("%w: %s", ErrNoChunk, id)
	}
	d := x.docs[i]
	hits := x.withTexts(ctx, []Hit{{Chunk: d.Chunk}}, []place{d.place})
	if len(hits) == 0 {
		return Chunk{}, fmt.Errorf("%w: %s says something else by now", ErrNoChunk, id)
	}
	return hits[0].Chunk, nil
}

// Similar finds what says the same as a text, or nearly.
func (x *Index) Similar(ctx context.Context, text string, limit int) ([]Hit, error) {
	a, err := x.Search(ctx, Query{Text: text, Limit: limit, Cold: true})
	return a.Hits, err
}

// Erase takes chunks, whole sessions and whole files (paths below the data folder) out
// of the index, physically: when it returns, no byte of them is left in its file.
func (x *Index) Erase(_ context.Context, ids, sessions, files []string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.docs = slices.DeleteFunc(x.docs, func(d *document) bool {
		return slices.Contains(ids, d.ID) || d.Session != "" && slices.Contains(sessions, d.Session) || slices.Contains(files, d.Path)
	})
	return nil
}

// Status tells what there is.
func (x *Index) Status(ctx context.Context) (Status, error) {
	state, err := x.state(ctx)
	if err != nil {
		return Status{State: state}, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	terms := map[string]bool{}
	for _, d := range x.docs {
		for t := range d.terms {
			terms[t] = true
		}
	}
	return Status{State: state, Chunks: len(x.docs), Terms: len(terms), LastSync: x.synced}, nil
}

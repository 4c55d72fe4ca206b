package recall

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/rank"
)

// Search finds chunks. It never indexes: Answer.State says what the index lacks. A
// question without a word, or one that nothing answers, has no hits and no error; an
// index that can't be read is an error, which State.Err holds too.
func (x *Index) Search(ctx context.Context, q Query) (Answer, error) {
	begun := time.Now()
	settings := x.cfg.Settings()
	if q.Now.IsZero() {
		q.Now = begun
	}
	q.Limit = cmp.Or(max(q.Limit, 0), settings.TopK, defaultTopK)
	var state State
	if !q.HitsOnly {
		var err error
		if state, err = x.state(ctx); err != nil {
			return Answer{State: state}, err
		}
	}
	a := Answer{State: state}
	q.Strategy = cmp.Or(q.Strategy, settings.Strategy, Hybrid)
	asked := rank.Query{Now: q.Now, Limit: q.Limit, MeaningOnly: q.Strategy == Semantic, All: q.all, Terms: x.readQuestion(q)}
	rerank := x.cfg.Reranker != nil && (q.Rerank || settings.Rerank) && !q.all
	m := x.meaningFor(ctx, &q, state)
	s := &search{x: x, q: q, asked: asked, settings: settings, meaning: m, pool: hitsFor(&asked, rerank)}
	err := errNoServer
	if x.asker.server() != nil && !q.all { // who looks for all that says the same here means this machine
		err = s.onServer(ctx)
		a.State.Server = err
	}
	if err != nil {
		err = x.file.Read(ctx, func(now *engine.Snapshot) error {
			s.now, s.hits, s.cold = now, nil, 0
			return s.run(ctx)
		})
	}
	hits := s.hits
	if err == nil {
		a.State.Cold, a.State.Vectors = s.cold, s.vectors
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.State.Err = err
		return a, err
	}
	if err == nil {
		hits = x.texted(ctx, hits, hitsFor(&asked, rerank))
		if asked.Terms.OnlyTime {
			hits = hits[:min(q.Limit, len(hits))] // no text answers it better than another
		} else {
			hits = x.polish(ctx, asked, q.Text, rerank, hits)
		}
		if q.Beside {
			x.readBeside(ctx, hits)
		}
		for _, h := range hits {
			a.Hits = append(a.Hits, h.Hit)
		}
	}
	if a.State.Vectors == VectorsPaused {
		nudge(x.vectors.wake) // another model may be there already
	}
	a.Took = time.Since(begun)
	return a, nil
}

// errNoServer: the index of this machine alone is searched.
var errNoServer = errors.New("there is no memory server")

// search is one question on its way.
type search struct {
	x        *Index
	now      *engine.Snapshot
	q        Query
	meaning  meaning
	asked    rank.Query
	vectors  VectorState
	pool     int // how many hits are wanted for now
	settings Settings
	hits     []found
	cold     int
}

// found is a hit with the place of its text.
type found struct {
	Hit
	place corpus.Place
	exact bool    // it holds an identifier of the question
	share float64 // of its message
	known bool    // its text is
	// The first chunks of the messages beside it, where they are wanted.
	before, after *found
}

// readQuestion gives what a question looks for.
func (x *Index) readQuestion(q Query) analysis.QueryTerms {
	a := x.analyzers.Get()
	defer x.analyzers.Put(a)
	terms := a.Query(corpus.Cut(q.Text, maxQuery), q.Now)
	terms.OnlyTime = terms.OnlyTime && !q.all // who looks for all that says the same means the words
	return terms
}

func (s *search) run(ctx context.Context) error {
	allowed := s.allowed(s.asked.Terms)
	found, err := s.now.Candidates(ctx, engine.Question{
		Terms: s.asked.Terms, Weights: &s.x.weights, Allowed: allowed, MeaningOnly: s.asked.MeaningOnly, Vector: s.meaning.d, Model: s.meaning.model,
	})
	if err != nil {
		return err
	}
	s.vectors = s.vectorState(&found)
	top := rank.Order(s.asked, &s.x.weights, found.Candidates, found.Meaning)
	if s.asked.Terms.OnlyTime {
		top = rank.OfTime(s.asked, max(s.x.weights.Candidates, s.pool+spare), top, s.now.SaidThen(s.asked.Terms.Spans, allowed))
	}
	return s.take(ctx, top)
}

// vectorState says how a search stands with the vectors.
func (s *search) vectorState(f *engine.Found) VectorState {
	switch {
	case f.VectorsErr != nil:
		s.x.cfg.Logger.Warn("the vectors can't be read; the search goes by words alone", "err", f.VectorsErr)
		return VectorsPartial
	case s.meaning.d == nil:
		return s.meaning.state
	case f.Vectors == engine.CoverNone:
		return VectorsPaused
	case f.Vectors == engine.CoverSome:
		return VectorsBuilding
	}
	return VectorsReady
}

// maxQuery is how much of a question is read, in bytes.
const maxQuery = 16 << 10

// allowed says of each source whether its chunks may be found; cold ones are counted.
// Where every session in the scope is cold there is nothing to keep them out of, and
// they are searched: who comes back after half a year finds what was said.
func (s *search) allowed(terms analysis.QueryTerms) []bool {
	sources := s.now.Sources()
	out := make([]bool, len(sources))
	var cold []int // without those of a time that is asked for
	warm := false
	for i, k := range sources {
		if k == nil || !s.q.Scope.allowsSource(k) {
			continue
		}
		isCold := s.isCold(k)
		warm = warm || k.Session != "" && !isCold
		if isCold && !k.Within(terms.Spans) {
			cold = append(cold, i)
			continue
		}
		out[i] = true
	}
	for _, i := range cold {
		if out[i] = !warm; warm {
			s.cold += sources[i].Docs
		}
	}
	return out
}

// isCold says whether a session belongs to the cold tier: nothing was said in it for
// long, and the search isn't asked to look there. Memory files never do.
func (s *search) isCold(k *engine.Source) bool {
	after := s.settings.ColdAfter
	if s.q.Cold || after <= 0 || k.Session == "" || k.Last == 0 || k.Session == s.q.Scope.Session {
		return false
	}
	return s.q.Now.Sub(time.Unix(k.Last, 0)) >= after
}

// allowsSource says whether chunks of a source may be found.
func (s *Scope) allowsSource(k *engine.Source) bool {
	if k.Session == "" {
		return !s.NoMemory && s.Session == ""
	}
	return (s.Session == "" || k.Session == s.Session) && (s.NotSession == "" || k.Session != s.NotSession) &&
		(len(s.Sources) == 0 || slices.Contains(s.Sources, k.From))
}

// spare is how many more hits than asked for are taken, for those whose text is gone.
const spare = 8

// take makes hits of the best candidates that the scope allows.
func (s *search) take(ctx context.Context, top []rank.Candidate) error {
	if err := s.now.Prefetch(ctx, top[:min(len(top), s.pool+spare)]); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, c := range top {
		if len(s.hits) >= s.pool+spare {
			break
		}
		d, k, err := s.now.Passage(ctx, c.At)
		if err != nil {
			return err
		}
		h := found{Hit: Hit{Score: c.Score, Lexical: c.Lexical, Semantic: c.Semantic, Relevance: c.Relevance}, exact: c.Exact, share: c.Share}
		h.Chunk, h.place = corpus.ChunkOf(&d, &k.Name, k.State.Files)
		if seen[h.ID] || s.q.Scope.Allow != nil && !s.q.Scope.Allow(h.Chunk) {
			continue
		}
		seen[h.ID] = true
		if s.q.Beside && h.Session != "" {
			if err := s.lookBeside(ctx, c.At, &h); err != nil {
				return err
			}
		}
		s.hits = append(s.hits, h)
	}
	byScore(s.hits)
	return nil
}

func byScore(hits []found) {
	slices.SortStableFunc(hits, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID))
	})
}

// lookBeside finds the messages beside the one that a hit is of.
func (s *search) lookBeside(ctx context.Context, at uint32, h *found) (err error) {
	before, after := s.now.Beside(at)
	if h.before, err = s.allowedAt(ctx, before); err != nil {
		return err
	}
	h.after, err = s.allowedAt(ctx, after)
	return err
}

// allowedAt gives the chunk at a position; nil where there is none that may be found.
func (s *search) allowedAt(ctx context.Context, at uint32) (*found, error) {
	d, k, err := s.now.Passage(ctx, at)
	if errors.Is(err, engine.ErrNone) {
		return nil, nil //nolint:nilnil // none is no error
	}
	if err != nil {
		return nil, err
	}
	h := &found{}
	if h.Chunk, h.place = corpus.ChunkOf(&d, &k.Name, k.State.Files); s.q.Scope.Allow != nil && !s.q.Scope.Allow(h.Chunk) {
		return nil, nil //nolint:nilnil // none is no error
	}
	return h, nil
}

// besideChars is how much of a message beside a hit is told, in bytes.
const besideChars = 200

// readBeside fills in the first lines of the messages beside the hits.
func (x *Index) readBeside(ctx context.Context, hits []found) {
	first := func(h *found) string {
		if h == nil {
			return ""
		}
		read := x.withTexts(ctx, []found{*h}, 1)
		if len(read) == 0 {
			return ""
		}
		line, _, _ := strings.Cut(read[0].Text, "\n")
		return strings.TrimSpace(corpus.Cut(line, besideChars))
	}
	for i := range hits {
		hits[i].Before, hits[i].After = first(hits[i].before), first(hits[i].after)
	}
}

// withTexts reads the hits' texts; those that are gone from their files are left out.
func (x *Index) withTexts(ctx context.Context, hits []found, limit int) []Hit {
	var out []Hit
	for _, h := range x.texted(ctx, hits, limit) {
		out = append(out, h.Hit)
	}
	return out
}

// texted is withTexts that keeps the places.
func (x *Index) texted(ctx context.Context, hits []found, limit int) []found {
	r := x.corpus.Texts()
	defer r.Close()
	var out []found
	for _, h := range hits {
		if len(out) >= limit {
			break
		}
		if h.known {
			h.Untrusted = !h.Sources.Typed()
			out = append(out, h)
			continue
		}
		text, err := r.Read(ctx, h.Chunk, h.place)
		if err != nil {
			x.cfg.Logger.Debug("a hit can't be read any more", "err", err)
			continue
		}
		h.Text, h.Sources, h.Untrusted = text, r.Sources, !r.Sources.Typed()
		out = append(out, h)
	}
	return out
}

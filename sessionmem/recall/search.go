package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/recall/analysis"
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
	state, err := x.state(ctx)
	if err != nil {
		return Answer{State: state}, err
	}
	a := Answer{State: state}
	q.Strategy = cmp.Or(q.Strategy, settings.Strategy, Hybrid)
	asked := rank.Query{Now: q.Now, Limit: q.Limit, MeaningOnly: q.Strategy == Semantic, All: q.all, Terms: x.readQuestion(q)}
	rerank := x.cfg.Reranker != nil && (q.Rerank || settings.Rerank) && !q.all
	m := x.meaningFor(ctx, &q, state)
	var hits []found
	err = x.readingFrom(ctx, func(e *engine, r queryer, v *view) error {
		s := &search{x: x, e: e, q: q, asked: asked, settings: settings, meaning: m, pool: hitsFor(&asked, rerank), tx: r, v: v}
		if err := s.run(ctx); err != nil {
			return err
		}
		hits, a.State.Cold, a.State.Vectors = s.hits, s.cold, s.vectors
		return nil
	})
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
		x.newChunks() // another model may be there already
	}
	a.Took = time.Since(begun)
	return a, nil
}

// reading calls use with the index as it is at one moment; fs.ErrNotExist where there is
// none yet.
func (x *Index) reading(ctx context.Context, use func(q queryer, v *view) error) error {
	return x.readingFrom(ctx, func(_ *engine, q queryer, v *view) error { return use(q, v) })
}

// readingFrom is reading that tells the engine too.
func (x *Index) readingFrom(ctx context.Context, use func(e *engine, q queryer, v *view) error) error {
	for try := 0; ; try++ {
		e, done, err := x.use(ctx)
		if err != nil {
			return x.unreadable(err)
		}
		err = e.snapshot(ctx, func(q queryer, v *view) error { return use(e, q, v) })
		done()
		if errors.Is(err, errChanged) && try < snapshotTries {
			continue
		}
		if isDamaged(err) {
			return x.unreadable(err)
		}
		return err
	}
}

// snapshotTries is how often a reading begins again that a writer came between.
const snapshotTries = 5

// unreadable says why there is no index to read.
func (x *Index) unreadable(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case errors.Is(err, errOther): // as good as none
		x.wake()
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case isDamaged(err):
		x.spoil(err)
		if x.building() {
			return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
		}
		return err
	}
	return err
}

// building says whether this process builds the index.
func (x *Index) building() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.busy > 0
}

// search is one question on its way.
type search struct {
	x        *Index
	e        *engine
	q        Query
	meaning  meaning
	asked    rank.Query
	vectors  VectorState
	pool     int // how many hits are wanted for now
	settings Settings
	tx       queryer
	v        *view
	fetch    *fetcher
	hits     []found
	cold     int
}

// found is a hit with the place of its text.
type found struct {
	Hit
	place place
	exact bool    // it holds an identifier of the question
	share float64 // of its message
	// The first chunks of the messages beside it, where they are wanted.
	before, after *found
}

// readQuestion gives what a question looks for.
func (x *Index) readQuestion(q Query) analysis.QueryTerms {
	a := x.analyzers.get()
	defer x.analyzers.put(a)
	terms := a.Query(cut(q.Text, maxQuery), q.Now)
	terms.OnlyTime = terms.OnlyTime && !q.all // who looks for all that says the same means the words
	return terms
}

func (s *search) run(ctx context.Context) error {
	s.fetch = newFetcher(s.tx, s.v)
	allowed := s.allowed(s.asked.Terms)
	top, err := s.candidates(ctx, allowed)
	if err != nil {
		return err
	}
	if s.asked.Terms.OnlyTime {
		top = rank.OfTime(s.asked, max(s.x.weights.Candidates, s.pool+spare), top, s.saidThen(s.asked.Terms.Spans, allowed))
	}
	return s.take(ctx, top)
}

// candidates finds what has words of the question, or is near in meaning, and ranks it.
func (s *search) candidates(ctx context.Context, allowed []bool) ([]rank.Candidate, error) {
	scratch := s.x.scratches.get()
	r := &ranking{scratch: scratch, v: s.v, w: &s.x.weights, terms: s.asked.Terms, allowed: allowed}
	if err := r.score(ctx, &dictReader{q: s.tx, v: s.v}); err != nil {
		return nil, err // what is in scratch is of no use
	}
	places := r.best()
	near, err := s.near(ctx, &places, allowed)
	top := r.candidates(places)
	r.clear(&s.v.lay)
	s.x.scratches.put(scratch)
	if err == nil && near != nil {
		err = near.fill(ctx, top)
	}
	if err != nil {
		s.x.logger.Warn("the vectors can't be read; the search goes by words alone", "err", err)
		s.vectors, near = VectorsPartial, nil
	}
	if near == nil {
		return rank.Order(s.asked, &s.x.weights, top, nil), nil
	}
	return rank.Order(s.asked, &s.x.weights, top, &near.Meaning), nil
}

// maxQuery is how much of a question is read, in bytes.
const maxQuery = 16 << 10

// cut gives the beginning of a text, of whole characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:cutAt(text, most)]
}

// allowed says of each source whether its chunks may be found; cold ones are counted.
// Where every session in the scope is cold there is nothing to keep them out of, and
// they are searched: who comes back after half a year finds what was said.
func (s *search) allowed(terms analysis.QueryTerms) []bool {
	out := make([]bool, len(s.v.sources))
	var cold []int // without those of a time that is asked for
	warm := false
	for i, k := range s.v.sources {
		if k == nil || k.gone || !s.q.Scope.allowsSource(k) {
			continue
		}
		isCold := s.isCold(k)
		warm = warm || k.session != "" && !isCold
		if isCold && !k.within(terms.Spans) {
			cold = append(cold, i)
			continue
		}
		out[i] = true
	}
	for _, i := range cold {
		if out[i] = !warm; warm {
			s.cold += s.v.sources[i].docs
		}
	}
	return out
}

// isCold says whether a session belongs to the cold tier: nothing was said in it for
// long, and the search isn't asked to look there. Memory files never do.
func (s *search) isCold(k *known) bool {
	after := s.settings.ColdAfter
	if s.q.Cold || after <= 0 || k.session == "" || k.last == 0 || k.session == s.q.Scope.Session {
		return false
	}
	return s.q.Now.Sub(time.Unix(k.last, 0)) >= after
}

// within says whether something was said in one of the times.
func (k *known) within(spans []analysis.Span) bool {
	return slices.ContainsFunc(spans, func(t analysis.Span) bool { return t.From.Unix() <= k.last && k.first < t.To.Unix() })
}

// allowsSource says whether chunks of a source may be found.
func (s *Scope) allowsSource(k *known) bool {
	if k.session == "" {
		return !s.NoMemory && s.Session == ""
	}
	return (s.Session == "" || k.session == s.Session) && (s.NotSession == "" || k.session != s.NotSession) &&
		(len(s.Sources) == 0 || slices.Contains(s.Sources, k.from))
}

// spare is how many more hits than asked for are taken, for those whose text is gone.
const spare = 8

// take makes hits of the best candidates that the scope allows.
func (s *search) take(ctx context.Context, top []rank.Candidate) error {
	if err := s.fetch.prefetch(ctx, top[:min(len(top), s.pool+spare)]); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, c := range top {
		if len(s.hits) >= s.pool+spare {
			break
		}
		d, k, err := s.fetch.document(ctx, c.At)
		if err != nil {
			return err
		}
		h := found{Hit: Hit{Score: c.Score, Lexical: c.Lexical, Semantic: c.Semantic, Relevance: c.Relevance}, exact: c.Exact, share: c.Share}
		h.Chunk, h.place = d.chunk(k)
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
	slices.SortStableFunc(s.hits, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// lookBeside finds the messages beside the one that a hit is of.
func (s *search) lookBeside(ctx context.Context, at uint32, h *found) (err error) {
	l := &s.v.lay
	first, end := l.message(at)
	before, _ := l.message(first - 1) // there is room before the first one
	if h.before, err = s.allowedAt(ctx, before); err != nil {
		return err
	}
	h.after, err = s.allowedAt(ctx, end) // and behind the last
	return err
}

// allowedAt gives the chunk at a position; nil where there is none that may be found.
func (s *search) allowedAt(ctx context.Context, at uint32) (*found, error) {
	d, k, err := s.fetch.document(ctx, at)
	if errors.Is(err, ErrNoChunk) {
		return nil, nil //nolint:nilnil // none is no error
	}
	if err != nil {
		return nil, err
	}
	h := &found{}
	if h.Chunk, h.place = d.chunk(k); s.q.Scope.Allow != nil && !s.q.Scope.Allow(h.Chunk) {
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
		return strings.TrimSpace(cut(line, besideChars))
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
	r := newTexts(&x.cfg)
	defer r.close()
	var out []found
	for _, h := range hits {
		if len(out) >= limit {
			break
		}
		text, err := r.read(ctx, h.Chunk, h.place)
		if err != nil {
			x.logger.Debug("a hit can't be read any more", "err", err)
			continue
		}
		h.Text, h.Sources, h.Untrusted = text, r.sources, !r.sources.Typed()
		out = append(out, h)
	}
	return out
}

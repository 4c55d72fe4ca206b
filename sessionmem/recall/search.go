package recall

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
)

// Search finds chunks. It never indexes: Answer.State reports what the index lacks. A
// question without words, or without an answer, has no hits and no error; an index that
// can't be read is an error, also in State.Err.
func (x *Index) Search(ctx context.Context, q Query) (Answer, error) {
	settings := x.cfg.Settings()
	if q.Now.IsZero() {
		q.Now = time.Now()
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
	m := x.questionMeaning(ctx, &q, state)
	s := &search{x: x, q: q, asked: asked, settings: settings, meaning: m, similar: !q.all && !asked.MeaningOnly && x.asksSimilar(q.Text), pool: hitsFor(&asked, rerank)}
	if len(asked.Terms.Without) > 0 { // only its text tells whether a hit is left out
		s.pool = max(s.pool, x.weights.Candidates)
	}
	err := x.file.Read(ctx, func(now *index.Snapshot) error {
		s.now, s.hits, s.cold = now, nil, 0
		return s.run(ctx)
	})
	if err == nil {
		a.State.Cold, a.State.Vectors = s.cold, s.vectors
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.State.Err = err
		return a, err
	}
	if a.State.Server = s.elsewhere(ctx); len(s.hits) > 0 {
		hits, leftOut := x.readTexts(ctx, s.hits, hitsFor(&asked, rerank), asked.Terms.Without)
		a.State.LeftOut = leftOut
		if asked.Terms.OnlyTime {
			hits = hits[:min(q.Limit, len(hits))] // no text answers it better than another
		} else {
			hits = x.refine(ctx, asked, q.Text, rerank, hits)
		}
		if q.Beside {
			x.readBeside(ctx, hits)
		}
		for _, h := range hits {
			a.Hits = append(a.Hits, h.Hit)
		}
	}
	if a.State.Vectors == VectorsPaused {
		nudge(x.vectors.wake) // another model may be available already
	}
	return a, nil
}

// search is one search in progress.
type search struct {
	x        *Index
	now      *index.Snapshot
	q        Query
	meaning  meaning
	asked    rank.Query
	vectors  VectorState
	similar  bool // similar words are searched too
	pool     int  // how many hits are wanted at this stage
	settings Settings
	hits     []found
	cold     int

	// What a server is asked with besides.
	warm     bool           // some session that may be found isn't cold
	held     map[string]int // passages with a term
	passages int
	average  *rank.Meaning
}

// found is a hit with the place of its text.
type found struct {
	Hit
	place corpus.Place
	exact bool    // it holds an identifier of the question
	share float64 // the chunk's share of its message
	known bool    // its text is already there
	// The first chunks of the neighbouring messages, if wanted.
	before, after *found
}

func newFound(c *rank.Candidate) found {
	return found{Hit: Hit{Score: c.Score, Semantic: c.Semantic, Relevance: c.Relevance}, exact: c.Exact, share: c.Share}
}

// asksSimilar reports whether similar words of each word are searched. In a question that is evidently
// English, whose words are reduced to their stems well, they are only of those that occur nowhere.
func (x *Index) asksSimilar(text string) bool {
	a := x.analyzers.Get()
	defer x.analyzers.Put(a)
	beyondASCII := func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) }
	return a.Language(corpus.Cut(text, maxQuery)) != "en" || strings.ContainsFunc(text, beyondASCII)
}

// readQuestion returns what a question searches for.
func (x *Index) readQuestion(q Query) analysis.QueryTerms {
	a := x.analyzers.Get()
	defer x.analyzers.Put(a)
	read := a.Query
	if q.all || q.Message {
		read = a.Message
	}
	terms := read(corpus.Cut(q.Text, maxQuery), q.Now)
	terms.OnlyTime = terms.OnlyTime && !q.all // such a search means the words
	return terms
}

func (s *search) run(ctx context.Context) error {
	allowed := s.allowed(s.asked.Terms)
	found, err := s.now.Candidates(ctx, index.Question{
		Terms: s.asked.Terms, Weights: &s.x.weights, Allowed: allowed, Similar: s.similar, MeaningOnly: s.asked.MeaningOnly, Vector: s.meaning.d, Model: s.meaning.model,
	})
	if err != nil {
		return err
	}
	s.vectors = s.vectorState(&found)
	s.held, s.passages, s.average = found.Held, s.now.Passages(), found.Meaning
	top := rank.Order(s.asked, &s.x.weights, found.Candidates, found.Meaning)
	if s.asked.Terms.OnlyTime {
		top = rank.OfTime(s.asked, max(s.x.weights.Candidates, s.pool+spareHits), top, s.now.MessagesWithin(s.asked.Terms.Spans, allowed))
	}
	return s.collect(ctx, top)
}

// vectorState returns the state of the vectors for this search.
func (s *search) vectorState(f *index.Found) VectorState {
	switch {
	case f.VectorsErr != nil:
		s.x.cfg.Logger.Warn("the vectors can't be read; the search goes by words alone", "err", f.VectorsErr)
		s.x.file.MarkDamaged(f.VectorsErr)
		return VectorsPartial
	case s.meaning.d == nil:
		return s.meaning.state
	case f.Vectors == index.CoverNone:
		return VectorsPaused
	case f.Vectors == index.CoverSome:
		return VectorsBuilding
	}
	return VectorsReady
}

// maxQuery limits how much of a question is read, in bytes.
const maxQuery = 16 << 10

// allowed reports for each source whether its chunks may be found, and counts the cold ones.
// If every session in the scope is cold, they are searched: a user who returns after half a
// year still finds what was said.
func (s *search) allowed(terms analysis.QueryTerms) []bool {
	sources := s.now.Sources()
	out := make([]bool, len(sources))
	var cold []int // except those within a time that the question names
	s.warm = false
	for i, k := range sources {
		if !s.q.Scope.allowsSource(k) {
			continue
		}
		isCold := s.isCold(k)
		s.warm = s.warm || k.Session != "" && !isCold
		if isCold && !k.Within(terms.Spans) {
			cold = append(cold, i)
			continue
		}
		out[i] = true
	}
	for _, i := range cold {
		if out[i] = !s.warm; s.warm {
			s.cold += sources[i].Docs
		}
	}
	return out
}

// isCold reports whether a session belongs to the cold tier: it has been silent for long,
// and the search doesn't ask for it. Memory files are never cold.
func (s *search) isCold(k *index.Indexed) bool {
	after := s.settings.ColdAfter
	if s.q.Cold || after <= 0 || k.Session == "" || k.Last == 0 || k.Session == s.q.Scope.Session {
		return false
	}
	return s.q.Now.Sub(time.Unix(k.Last, 0)) >= after
}

// allowsSource reports whether chunks of a source may be found.
func (s *Scope) allowsSource(k *index.Indexed) bool {
	if k.Session == "" {
		return !s.NoMemory && s.Session == ""
	}
	return (s.Session == "" || k.Session == s.Session) && (s.NotSession == "" || k.Session != s.NotSession) &&
		(len(s.Sources) == 0 || slices.Contains(s.Sources, k.From))
}

// spareHits is how many extra hits are collected to make up for those whose text is gone.
const spareHits = 8

// collect makes hits of the best candidates that the scope allows.
func (s *search) collect(ctx context.Context, top []rank.Candidate) error {
	seen := map[string]bool{}
	for _, c := range top {
		if len(s.hits) >= s.pool+spareHits {
			break
		}
		d, k, err := s.now.Passage(ctx, c.At)
		if err != nil {
			return err
		}
		h := newFound(&c)
		h.Chunk, h.place = corpus.ChunkOf(&d, &k.Source)
		if seen[h.ID] || s.q.Scope.Allow != nil && !s.q.Scope.Allow(h.Chunk) {
			continue
		}
		seen[h.ID] = true
		if s.q.Beside && h.Session != "" {
			if err := s.findBeside(ctx, c.At, &h); err != nil {
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

// findBeside finds the messages next to a hit.
func (s *search) findBeside(ctx context.Context, at uint32, h *found) (err error) {
	before, after, hasBefore, hasAfter := s.now.Beside(at)
	if hasBefore {
		h.before, err = s.allowedAt(ctx, before)
	}
	if hasAfter && err == nil {
		h.after, err = s.allowedAt(ctx, after)
	}
	return err
}

// allowedAt returns the chunk at a position; nil if there is none that may be found.
func (s *search) allowedAt(ctx context.Context, at uint32) (*found, error) {
	d, k, err := s.now.Passage(ctx, at)
	if errors.Is(err, index.ErrNone) {
		return nil, nil //nolint:nilnil // none is no error
	}
	if err != nil {
		return nil, err
	}
	h := &found{}
	if h.Chunk, h.place = corpus.ChunkOf(&d, &k.Source); s.q.Scope.Allow != nil && !s.q.Scope.Allow(h.Chunk) {
		return nil, nil //nolint:nilnil // none is no error
	}
	return h, nil
}

// besideBytes limits how much of a neighbouring message is shown, in bytes.
const besideBytes = 200

// readBeside fills in the first lines of the messages next to the hits.
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
		return strings.TrimSpace(corpus.Cut(line, besideBytes))
	}
	for i := range hits {
		hits[i].Before, hits[i].After = first(hits[i].before), first(hits[i].after)
	}
}

// withTexts reads the texts of hits; it drops those that are gone from their files.
func (x *Index) withTexts(ctx context.Context, hits []found, limit int) []Hit {
	var out []Hit
	read, _ := x.readTexts(ctx, hits, limit, nil)
	for _, h := range read {
		out = append(out, h.Hit)
	}
	return out
}

// readTexts is like withTexts but keeps the places, and leaves out the texts that have one of some words:
// it returns the words that did so.
func (x *Index) readTexts(ctx context.Context, hits []found, limit int, without []analysis.Exclusion) (out []found, leftOut []string) {
	r := x.corpus.Texts()
	defer r.Close()
	a := x.analyzers.Get()
	defer x.analyzers.Put(a)
	for _, h := range hits {
		if len(out) >= limit {
			break
		}
		if h.known {
			h.Untrusted = !h.Sources.Typed()
		} else {
			text, err := r.Read(ctx, h.Chunk, h.place)
			if err != nil {
				x.cfg.Logger.Debug("a hit can't be read any more", "err", err)
				continue
			}
			h.Text, h.Sources, h.Untrusted = text, r.Sources, !r.Sources.Typed()
		}
		if len(without) > 0 {
			if has := a.LeavesOut(h.Text, without); len(has) > 0 {
				for _, e := range has {
					if !slices.Contains(leftOut, e.Word) {
						leftOut = append(leftOut, e.Word)
					}
				}
				continue
			}
		}
		out = append(out, h)
	}
	return out, leftOut
}

package engine

import (
	"context"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
	"mac-stats/sessionmem/recall/engine/vectors"
	"mac-stats/sessionmem/recall/rank"
)

// Snapshot is the index at one moment, for reading.
type Snapshot struct {
	e     *Engine
	q     tables.Queryer
	v     *view
	fetch *fetcher
}

// Older says whether the index is of another version of the analysis, see Engine.Older.
func (s *Snapshot) Older() bool { return s.e.Older() }

// Engine is the engine that it is of: the numbers of passages are its own.
func (s *Snapshot) Engine() *Engine { return s.e }

// Passages is how many there are.
func (s *Snapshot) Passages() int { return s.v.docs }

// Sources gives all sources; nil at places without one.
func (s *Snapshot) Sources() []*Source { return s.v.sources }

// Count is how many sources there are.
func (s *Snapshot) Count() int { return len(s.v.byKey) }

// Source gives a source by its key; nil where there is none.
func (s *Snapshot) Source(key string) *Source { return s.v.byKey[key] }

// OfSession gives the sources of a session.
func (s *Snapshot) OfSession(name string) []*Source { return s.v.bySession[name] }

// Synced tells when all was up to date; the zero time where it never was.
func (s *Snapshot) Synced(ctx context.Context) (time.Time, error) { return tables.Synced(ctx, s.q) }

// Passage reads the passage at a place, with its source; nil where there is none.
func (s *Snapshot) Passage(ctx context.Context, at uint32) (format.Passage, *Source, error) {
	return s.fetch.passage(ctx, at)
}

// Prefetch reads passages at once that Passage is asked for soon.
func (s *Snapshot) Prefetch(ctx context.Context, some []rank.Candidate) error {
	return s.fetch.prefetch(ctx, some)
}

// Each reads the passages of a source, strand by strand in their order.
func (s *Snapshot) Each(ctx context.Context, k *Source, each func(at uint32, d format.Passage) error) error {
	return s.v.eachOf(k, func(at uint32, strand, seq int) error {
		d, _, err := s.fetch.passage(ctx, at)
		if err != nil {
			return err
		}
		d.Strand, d.Seq = uint8(strand), uint32(seq) //nolint:gosec // small
		return each(at, d)
	})
}

// Beside gives the places where the messages before and after that of a passage begin;
// there is a passage where such a message is.
func (s *Snapshot) Beside(at uint32) (before, after uint32) {
	first, end := s.v.lay.message(at)
	before, _ = s.v.lay.message(first - 1) // there is room before the first one,
	return before, end                     // and behind the last
}

// Question is what candidates are wanted for.
type Question struct {
	Terms       analysis.QueryTerms
	Weights     *rank.Weights
	Allowed     []bool // by the places of Sources: what may be found; nil: all
	MeaningOnly bool

	// Vector is what the question means, by Model; nil where that isn't known.
	Vector *vectors.Direction
	Model  vectors.Model
}

// Coverage says how many passages have vectors of a model.
type Coverage int

// How many passages have vectors.
const (
	CoverNone Coverage = iota
	CoverSome
	CoverAll
)

// Found are candidates with their features.
type Found struct {
	Candidates []rank.Candidate
	Meaning    *rank.Meaning // nil: there was nothing to compare the question's vector with
	Vectors    Coverage      // of the question's model
	// VectorsErr: the vectors can't be read; the candidates were found by words alone.
	VectorsErr error
}

// Candidates finds what has words of the question, or is near in meaning.
func (s *Snapshot) Candidates(ctx context.Context, q Question) (Found, error) {
	r := &ranking{scratch: s.e.scratch(), v: s.v, w: q.Weights, terms: q.Terms, allowed: q.Allowed}
	if err := r.score(ctx, &dictReader{q: s.q, v: s.v}); err != nil {
		return Found{}, err // what is in scratch is of no use
	}
	places := r.best()
	var found Found
	near, err := s.near(ctx, &q, &places, &found)
	found.Candidates = r.candidates(places)
	r.clear(&s.v.lay)
	s.e.keep(r.scratch)
	if err == nil && near != nil {
		found.Meaning = &near.Meaning
		err = near.fill(ctx, found.Candidates)
	}
	if err != nil {
		found.VectorsErr, found.Meaning = err, nil
	}
	return found, nil
}

// scratch gives memory for ranking, and keep takes it back for the next question.
func (e *Engine) scratch() *scratch {
	select {
	case s := <-e.scratches:
		return s
	default:
		return &scratch{}
	}
}

func (e *Engine) keep(s *scratch) {
	select {
	case e.scratches <- s:
	default:
	}
}

// Models is of how many models there are vectors.
func (s *Snapshot) Models(ctx context.Context) (int, error) { return vectors.CountModels(ctx, s.q) }

// Vectors is how many passages have vectors of a model; known is false where none was
// ever made.
func (s *Snapshot) Vectors(ctx context.Context, m vectors.Model) (n int, known bool, err error) {
	return vectors.Count(ctx, s.q, m)
}

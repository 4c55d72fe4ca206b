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

// Older reports whether the index is of another version, see Engine.Older.
func (s *Snapshot) Older() bool { return s.e.Older() }

// Engine returns the engine of the snapshot. Passage numbers are valid only within it.
func (s *Snapshot) Engine() *Engine { return s.e }

// Passages returns the number of passages.
func (s *Snapshot) Passages() int { return s.v.docs }

// Sources returns all sources; elements may be nil.
func (s *Snapshot) Sources() []*Source { return s.v.sources }

// Count returns the number of sources.
func (s *Snapshot) Count() int { return len(s.v.byKey) }

// Source returns the source with a key; nil if there is none.
func (s *Snapshot) Source(key string) *Source { return s.v.byKey[key] }

// OfSession returns the sources of a session.
func (s *Snapshot) OfSession(name string) []*Source { return s.v.bySession[name] }

// Synced returns when the index was last up to date; the zero time if never.
func (s *Snapshot) Synced(ctx context.Context) (time.Time, error) { return tables.Synced(ctx, s.q) }

// Passage reads the passage at a position and its source; ErrNone if there is none.
func (s *Snapshot) Passage(ctx context.Context, at uint32) (format.Passage, *Source, error) {
	return s.fetch.passage(ctx, at)
}

// Prefetch reads passages that will soon be needed, in one go.
func (s *Snapshot) Prefetch(ctx context.Context, some []rank.Candidate) error {
	return s.fetch.prefetch(ctx, some)
}

// Each reads the passages of a source, strand by strand in order.
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

// Beside returns the positions where the messages before and after that of a passage begin;
// without such a message there is no passage at the position.
func (s *Snapshot) Beside(at uint32) (before, after uint32) {
	first, end := s.v.lay.message(at)
	before, _ = s.v.lay.message(first - 1) // there is free room before the first one
	return before, end                     // and after the last
}

// Question is what candidates are searched for.
type Question struct {
	Terms       analysis.QueryTerms
	Weights     *rank.Weights
	Allowed     []bool // which Sources may be found; nil: all
	MeaningOnly bool

	// Vector is the question's vector, made by Model; nil if unknown.
	Vector *vectors.Direction
	Model  vectors.Model
}

// Coverage describes how many passages have vectors of a model.
type Coverage int

// The degrees of coverage.
const (
	CoverNone Coverage = iota
	CoverSome
	CoverAll
)

// Found holds candidates with their features.
type Found struct {
	Candidates []rank.Candidate
	Meaning    *rank.Meaning // nil: there was nothing to compare the question's vector with
	Vectors    Coverage      // of the question's model
	// VectorsErr is set if the vectors can't be read; the search then used words alone.
	VectorsErr error
}

// Candidates finds passages that share words or meaning with the question.
func (s *Snapshot) Candidates(ctx context.Context, q Question) (Found, error) {
	r := &ranking{scratch: s.e.getScratch(), v: s.v, w: q.Weights, terms: q.Terms, allowed: q.Allowed}
	if err := r.score(ctx, &dictReader{q: s.q, v: s.v}); err != nil {
		return Found{}, err // the scratch is in an unknown state
	}
	places := r.bestChunks()
	var found Found
	near, err := s.addNear(ctx, &q, &places, &found)
	found.Candidates = r.candidates(places)
	r.clear(&s.v.lay)
	s.e.putScratch(r.scratch)
	if err == nil && near != nil {
		found.Meaning = &near.Meaning
		err = near.fillCosines(ctx, found.Candidates)
	}
	if err != nil {
		found.VectorsErr, found.Meaning = err, nil
	}
	return found, nil
}

// getScratch returns memory for ranking; putScratch gives it back for the next question.
func (e *Engine) getScratch() *scratch {
	select {
	case s := <-e.scratches:
		return s
	default:
		return &scratch{}
	}
}

func (e *Engine) putScratch(s *scratch) {
	select {
	case e.scratches <- s:
	default:
	}
}

// Models returns the number of models that have vectors.
func (s *Snapshot) Models(ctx context.Context) (int, error) { return vectors.CountModels(ctx, s.q) }

// Vectors returns how many passages have vectors of a model; known is false if none was
// ever made.
func (s *Snapshot) Vectors(ctx context.Context, m vectors.Model) (n int, known bool, err error) {
	return vectors.Count(ctx, s.q, m)
}

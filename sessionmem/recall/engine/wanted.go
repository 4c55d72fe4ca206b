package engine

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/vectors"
)

// Wanted is a passage that has no vector yet.
type Wanted struct {
	Number  uint32 // never reused: the vector is stored under it
	Passage format.Passage
	Source  *Source
}

// vectorValue ranks passages by the value of a vector: first what the user said and what was
// learned, then the beginnings of answers, then the rest; within each the newest first.
func vectorValue(flags byte, at int64) float64 {
	worth := 2.0
	switch role := format.RoleOf(flags); {
	case flags&format.FlagContinues != 0:
		worth = 0
	case role == format.RoleAssistant || role == format.RoleSummary:
		worth = 1
	case role != format.RoleUser && role != format.RoleMemory:
		worth = 0
	}
	return worth*(1<<40) + float64(at)
}

// Unembedded returns at most limit passages without a vector of the model, the most valuable
// first, and how many have one. It leaves out the numbers in skip, which can't have one.
func (s *Snapshot) Unembedded(ctx context.Context, m vectors.Model, limit int, skip map[uint32]string) (some []Wanted, made int, err error) {
	if done, err := s.allEmbedded(ctx, m, skip); done || err != nil {
		return nil, s.v.docs, err
	}
	set, err := s.e.vectors.Of(ctx, s.q, m)
	if err != nil {
		return nil, 0, err
	}
	best := heap{limit: limit}
	for at, r := range s.v.lay.refs {
		number := s.v.lay.numbers[at]
		if r.none() || set.Has(number) || skip[number] != "" {
			continue
		}
		best.push(uint32(at), vectorValue(s.v.lay.flags[at], s.v.lay.times[at])) //nolint:gosec // positions are 32 bits
	}
	slices.SortFunc(best.items, func(a, b heapItem) int { return cmp.Compare(b.score, a.score) })
	for _, item := range best.items {
		d, k, err := s.fetch.passage(ctx, item.at)
		if err != nil {
			return nil, 0, err
		}
		some = append(some, Wanted{d.Number, d, k})
	}
	return some, set.Count, nil
}

// allEmbedded reports whether all passages but those in skip have vectors. It doesn't load the
// vectors, which would then be kept in memory for nothing.
func (s *Snapshot) allEmbedded(ctx context.Context, m vectors.Model, skip map[uint32]string) (bool, error) {
	n, _, err := s.Vectors(ctx, m)
	if len(skip) > 0 {
		for at, r := range s.v.lay.refs {
			if !r.none() && skip[s.v.lay.numbers[at]] != "" {
				n++
			}
		}
	}
	return n >= s.v.docs, err
}

// Vector is the vector of the passage with a number.
type Vector struct {
	Number uint32
	Values []float32
}

// PutVectors writes vectors of a model for those passages that same reports as unchanged: it
// receives the index in all and the passage that now has the number. If a vector has other
// dimensions than the model, PutVectors fails and writes none.
func (e *Engine) PutVectors(ctx context.Context, m vectors.Model, all []Vector, same func(i int, now format.Passage, of *Source) bool) error {
	checked, places := make([]vectors.Packed, len(all)), make(map[uint32]int, len(all))
	for i, v := range all {
		var err error
		if checked[i], err = m.Pack(v.Number, v.Values); err != nil {
			return err
		}
		places[v.Number] = i
	}
	var fresh []vectors.Packed
	err := e.Read(ctx, func(s *Snapshot) error {
		fresh = nil
		for at, r := range s.v.lay.refs {
			i, ok := places[s.v.lay.numbers[at]]
			if r.none() || !ok {
				continue
			}
			d, k, err := s.fetch.passage(ctx, uint32(at)) //nolint:gosec // positions are 32 bits
			if err != nil {
				return err
			}
			if same(i, d, k) {
				fresh = append(fresh, checked[i])
			}
		}
		return nil
	})
	if err != nil || len(fresh) == 0 {
		return err
	}
	return e.writeVectors(ctx, m, fresh)
}

// writeVectors writes vectors as one change.
func (e *Engine) writeVectors(ctx context.Context, m vectors.Model, fresh []vectors.Packed) error {
	return e.db.InTx(ctx, func(tx *sql.Tx) error { return vectors.Put(ctx, tx, m, fresh) })
}

// KeepVectorsOf deletes the vectors of all other models.
func (e *Engine) KeepVectorsOf(ctx context.Context, m vectors.Model) error {
	return e.db.InTx(ctx, func(tx *sql.Tx) error { return vectors.Keep(ctx, tx, m) })
}

// VectorsOf returns the vectors of passages, normalised and as precise as they are stored;
// nil for passages without one. dims is 0 if the model has no vectors.
func (s *Snapshot) VectorsOf(ctx context.Context, m vectors.Model, numbers []uint32) (out [][]float32, dims int, err error) {
	set, err := s.e.vectors.Of(ctx, s.q, m)
	if err != nil || set.IsEmpty() {
		return nil, 0, err
	}
	out, err = set.Values(ctx, s.q, numbers)
	return out, set.Dims(), err
}

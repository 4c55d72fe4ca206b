package engine

import (
	"context"

	"mac-stats/sessionmem/recall/engine/vectors"
	"mac-stats/sessionmem/recall/rank"
)

// semanticLimit is how many nearest passages by meaning become candidates.
const semanticLimit = 200

// nearness compares the meanings of candidates with the question's.
type nearness struct {
	rank.Meaning
	s       *Snapshot
	d       *vectors.Direction
	vectors *vectors.Set
}

// addNear adds the passages nearest in meaning to those found by words. It returns nil if there
// are no vectors to compare with.
func (s *Snapshot) addNear(ctx context.Context, q *Question, places *[]uint32, found *Found) (*nearness, error) {
	if q.Vector == nil {
		return nil, nil //nolint:nilnil // none is no error
	}
	vectors, err := s.e.vectors.Of(ctx, s.q, q.Model)
	if err != nil || vectors.IsEmpty() {
		return nil, err
	}
	if found.Vectors = CoverAll; vectors.Count < s.v.docs {
		found.Vectors = CoverSome
	}
	nearest, err := vectors.Nearest(ctx, s.q, q.Vector, semanticLimit, s.v.lay.numbered(q.Allowed))
	if err != nil || len(nearest.Near) == 0 {
		return nil, err
	}
	if q.MeaningOnly {
		*places = nil
	}
	seen := make(map[uint32]bool, len(*places))
	for _, at := range *places {
		seen[at] = true
	}
	for _, n := range nearest.Near {
		if !seen[n.At] {
			*places = append(*places, n.At)
		}
	}
	return &nearness{Meaning: rank.Meaning{Average: float64(nearest.Average), Best: float64(nearest.Near[0].Cosine)}, s: s, d: q.Vector, vectors: vectors}, nil
}

// fillCosines fills in the similarity of candidates, and of their neighbouring messages.
func (n *nearness) fillCosines(ctx context.Context, all []rank.Candidate) error {
	const each = 3
	numbers := make([]uint32, 0, each*len(all))
	l := &n.s.v.lay
	number := func(at uint32) uint32 {
		if l.refs[at].none() {
			return 0 // no passage has it
		}
		return l.numbers[at]
	}
	for i := range all {
		before, after := n.s.Beside(all[i].At)
		numbers = append(numbers, all[i].Number, number(before), number(after))
	}
	cosines, err := n.vectors.Cosines(ctx, n.s.q, n.d, numbers)
	if err != nil {
		return err
	}
	for i := range all {
		of := cosines[each*i : each*i+each]
		all[i].HasVector, all[i].Cosine = n.vectors.Has(all[i].Number), float64(of[0])
		all[i].Beside = [2]float64{float64(of[1]), float64(of[2])}
	}
	return nil
}

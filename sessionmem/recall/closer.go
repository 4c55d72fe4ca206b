package recall

import (
	"cmp"
	"slices"

	"mac-stats/sessionmem/recall/analysis"
)

// closer looks at the texts of the best hits: those that have words of the question in a
// row, as it has them, come nearer to the top, and so do those with a number where one is
// asked for.
func (x *Index) closer(q analysis.QueryTerms, hits []found) []found {
	pairs, terms := map[string]float64{}, 0
	for _, t := range q.Terms {
		if t.Class == analysis.ClassPair {
			pairs[t.Variants[0].Term] = t.Weight
		} else {
			terms++
		}
	}
	if len(pairs) == 0 && !q.Many || len(hits) < 2 {
		return hits
	}
	a := x.analyzers.get()
	defer x.analyzers.put(a)
	for i := range hits {
		h := &hits[i]
		sum := 0.0
		for _, f := range a.Pairs(h.Text) {
			sum += pairs[f.Term]
		}
		h.Score += h.prior * x.weights.pair * sum / float64(terms)
		if q.Many && a.SaysMany(h.Text) {
			h.Score += h.prior * x.weights.many
		}
	}
	best := slices.MaxFunc(hits, func(a, b found) int { return cmp.Compare(a.Score, b.Score) }).Score
	if best > 0 {
		for i := range hits {
			hits[i].Score = rounded(hits[i].Score / best)
		}
	}
	slices.SortStableFunc(hits, func(a, b found) int {
		if a.exact != b.exact {
			return cmp.Compare(flagOf(b.exact), flagOf(a.exact))
		}
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID))
	})
	return hits
}

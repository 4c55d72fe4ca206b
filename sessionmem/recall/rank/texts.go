package rank

import (
	"cmp"
	"slices"
	"strings"

	"mac-stats/sessionmem/recall/analysis"
)

// The last steps of ranking, with the texts of the best hits at hand.

const (
	// rerankShare is the weight of a reranker's score; the rest is the hit's own score.
	rerankShare = .7

	// diverseLimit is the longest list from which repetitions are moved down: a longer one is
	// meant to contain everything.
	diverseLimit = 12
	// diversePool is how many times more hits are considered for such a list.
	diversePool = 2
	// diverseShare is what a hit loses for repeating a better one, and alike is the share of
	// words that two texts may have in common without a loss.
	diverseShare = .3
	alike        = .4
)

// Text is a hit with its text.
type Text struct {
	Text  string
	Score float64 // 0 … 1
	Share float64 // see Candidate
	Exact bool
	Place int // index in the caller's list
}

// Pool returns how many hits with texts are needed for the requested list.
func (q *Query) Pool() int {
	if q.diversifies() {
		return q.Limit * diversePool
	}
	return q.Limit
}

func (q *Query) diversifies() bool { return q.Limit <= diverseLimit && !q.All }

// BoostPhrases moves hits up that contain consecutive words of the question, and those with a
// number if the question asks for a quantity.
func BoostPhrases(a *analysis.Analyzer, q Query, w *Weights, hits []Text) {
	putNamesFirst(q.Terms.Names, hits)
	pairs, terms := map[string]float64{}, 0
	for _, t := range q.Terms.Terms {
		if t.Class == analysis.ClassPair {
			pairs[t.Variants[0].Term] = t.Weight
		} else {
			terms++
		}
	}
	if len(pairs) == 0 && !q.Terms.Quantity || len(hits) < 2 {
		return
	}
	best := 0.0
	for i := range hits {
		h := &hits[i]
		sum := 0.0
		for _, f := range a.Pairs(h.Text) {
			sum += pairs[f.Term]
		}
		h.Score += h.Share * w.Pair * sum / float64(max(terms, 1))
		if q.Terms.Quantity && a.HasNumber(h.Text) {
			h.Score += h.Share * w.Asked
		}
		best = max(best, h.Score)
	}
	if best > 0 {
		for i := range hits {
			hits[i].Score = rounded(hits[i].Score / best)
		}
	}
	slices.SortStableFunc(hits, exactFirst(func(a, b Text) int { return cmp.Compare(b.Score, a.Score) }))
}

// putNamesFirst puts texts first that have a name of the question as it is written: of those with an
// identifier, all that have the same parts are alike to the index.
func putNamesFirst(names []string, hits []Text) {
	has, any := make([]bool, len(hits)), false
	for i := range hits {
		low := strings.ToLower(hits[i].Text)
		has[i] = slices.ContainsFunc(names, func(name string) bool { return analysis.HasName(low, name) })
		any = any || has[i]
	}
	if !any {
		return
	}
	for i := range hits {
		hits[i].Exact = has[i]
	}
	slices.SortStableFunc(hits, exactFirst(func(a, b Text) int { return 0 }))
}

// exactFirst puts texts with an identifier of the question first and compares others with by.
func exactFirst(by func(a, b Text) int) func(a, b Text) int {
	return func(a, b Text) int {
		if a.Exact != b.Exact {
			if a.Exact {
				return -1
			}
			return 1
		}
		return by(a, b)
	}
}

// Rerank reorders hits by a model's scores, from 0 to 1 each, and their own. Each place
// keeps its score.
func Rerank(hits []Text, scores []float64) {
	type one struct {
		Text
		value float64
	}
	all := make([]one, len(hits))
	for i, h := range hits {
		all[i] = one{h, rerankShare*scores[i] + (1-rerankShare)*h.Score}
	}
	by := exactFirst(func(a, b Text) int { return 0 })
	slices.SortStableFunc(all, func(a, b one) int { return cmp.Or(by(a.Text, b.Text), cmp.Compare(b.value, a.value)) })
	for i := range all {
		all[i].Score = hits[i].Score
	}
	for i := range all {
		hits[i] = all[i].Text
	}
}

// Diversify selects the hits of a short list one by one: each time the best one after a
// deduction for repeating a selected one (maximal marginal relevance). Each place keeps its
// score.
func Diversify(a *analysis.Analyzer, q Query, hits []Text) []Text {
	if !q.diversifies() || len(hits) < 2 {
		return hits[:min(q.Limit, len(hits))]
	}
	words := make([]map[string]bool, len(hits))
	for i, h := range hits {
		words[i] = a.Content(h.Text)
	}
	same := make([]float64, len(hits)) // similarity to the most similar selected hit
	value := func(i int) float64 { return hits[i].Score - diverseShare*max(0, same[i]-alike)/(1-alike) }
	left := make([]int, len(hits))
	for i := range left {
		left[i] = i
	}
	var out []Text
	for len(out) < q.Limit && len(left) > 0 {
		best := 0
		for n, i := range left {
			if b := left[best]; hits[i].Exact == hits[b].Exact && value(i) > value(b) {
				best = n
			}
		}
		picked := left[best]
		left = slices.Delete(left, best, best+1)
		h := hits[picked]
		h.Score = hits[len(out)].Score
		out = append(out, h)
		for _, i := range left {
			same[i] = max(same[i], similarity(words[i], words[picked]))
		}
	}
	return out
}

// similarity returns the share of the words of two texts that both contain.
func similarity(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

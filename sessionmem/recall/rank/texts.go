package rank

import (
	"cmp"
	"slices"

	"mac-stats/sessionmem/recall/analysis"
)

// What is done with the best hits at the very end, where their texts are known.

const (
	// judgedShare is how much a reranker's judgement counts beside the place that a hit had.
	judgedShare = .7

	// diverseLimit is how long a list may be for its hits to make way for each other:
	// whoever asks for more wants all there is.
	diverseLimit = 12
	// diversePool is how many times more hits are looked at.
	diversePool = 2
	// diverseShare is what it costs a hit to say the same as a better one, and alike how
	// much two texts must have in common before it costs anything.
	diverseShare = .3
	alike        = .4
)

// Text is a hit whose text is known.
type Text struct {
	Text  string
	Score float64 // 0 … 1
	Share float64 // see Candidate
	Exact bool
	Place int // it came in, from the caller's list
}

// Pool is how many hits whose texts are known are wanted for a list as long as asked for.
func (q *Query) Pool() int {
	if q.diverse() {
		return q.Limit * diversePool
	}
	return q.Limit
}

func (q *Query) diverse() bool { return q.Limit <= diverseLimit && !q.All }

// Closer has those that have words of the question in a row, as it has them, come nearer
// to the top, and so those with a number where one is asked for.
func Closer(a *analysis.Analyzer, q Query, w *Weights, hits []Text) {
	pairs, terms := map[string]float64{}, 0
	for _, t := range q.Terms.Terms {
		if t.Class == analysis.ClassPair {
			pairs[t.Variants[0].Term] = t.Weight
		} else {
			terms++
		}
	}
	if len(pairs) == 0 && !q.Terms.Many || len(hits) < 2 {
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
		if q.Terms.Many && a.SaysMany(h.Text) {
			h.Score += h.Share * w.Many
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

// exactFirst compares by something else where both hold an identifier of the question, or
// none of them.
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

// Judge puts hits in the order of a model's judgement, from 0 to 1 each, and their own. The
// places keep the scores that they had.
func Judge(hits []Text, judged []float64) {
	type one struct {
		Text
		value float64
	}
	all := make([]one, len(hits))
	for i, h := range hits {
		all[i] = one{h, judgedShare*judged[i] + (1-judgedShare)*h.Score}
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

// Diverse picks hits one after the other, where the list is short: each time the one that
// is best after what it loses for saying the same as one that was picked (maximal marginal
// relevance). The places keep the scores that they had.
func Diverse(a *analysis.Analyzer, q Query, hits []Text) []Text {
	if !q.diverse() || len(hits) < 2 {
		return hits[:min(q.Limit, len(hits))]
	}
	words := make([]map[string]bool, len(hits))
	for i, h := range hits {
		words[i] = a.Content(h.Text)
	}
	same := make([]float64, len(hits)) // as the picked hit that is most like it
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
			same[i] = max(same[i], inCommon(words[i], words[picked]))
		}
	}
	return out
}

// inCommon is the share of all words of two texts that both have.
func inCommon(a, b map[string]bool) float64 {
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

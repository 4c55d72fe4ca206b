package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mac-stats/sessionmem/recall/analysis"
)

// What happens to the best hits at the very end, where their texts are known: a model
// may judge them, and hits that say the same as a better one step back.

const (
	// rerankHits is how many hits a reranker judges, and rerankText how much of each, in
	// bytes.
	rerankHits = 20
	rerankText = 2 << 10
	// rerankWait is how long it may take; after that the order stays as it was.
	rerankWait = 8 * time.Second
	// rerankShare is how much its judgement counts beside the place that the hit had.
	rerankShare = .7

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

// pool is how many hits polish wants for a list of some length.
func (q *Query) pool(reranks bool) int {
	n := q.Limit
	if q.diverse() {
		n *= diversePool
	}
	if reranks {
		n = max(n, rerankHits)
	}
	return n
}

func (q *Query) diverse() bool { return q.Limit <= diverseLimit && !q.all }

// polish gives the hits of an answer out of more than that, best first.
func (x *Index) polish(ctx context.Context, q Query, rerank bool, hits []found) []found {
	if rerank && len(hits) > 1 {
		if err := x.rerank(ctx, q.Text, hits[:min(rerankHits, len(hits))]); err != nil {
			x.logger.Warn("the hits were not reranked; they are in the order they had", "err", err)
		}
	}
	if q.diverse() && len(hits) > 1 {
		a := x.analyzers.get()
		hits = diverse(a, hits, q.Limit)
		x.analyzers.put(a)
	}
	return hits[:min(q.Limit, len(hits))]
}

// errOddJudgement: a reranker did not give one score a text.
var errOddJudgement = errors.New("the reranker's answer can't be used")

// rerank puts hits in the order of a model's judgement and their own. Those that hold an
// identifier of the question stay in front.
func (x *Index) rerank(ctx context.Context, question string, hits []found) error {
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = cut(h.Text, rerankText)
	}
	ctx, stop := context.WithTimeout(ctx, rerankWait)
	defer stop()
	type answer struct {
		scores []float64
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		scores, err := x.cfg.Reranker.Rerank(ctx, question, texts)
		done <- answer{scores, err}
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		a.err = ctx.Err()
	}
	if a.err != nil {
		return a.err
	}
	if len(a.scores) != len(hits) {
		return fmt.Errorf("%w: %d scores for %d texts", errOddJudgement, len(a.scores), len(hits))
	}
	for _, s := range a.scores {
		if !(s >= 0 && s <= 1) { // NaN is neither
			return fmt.Errorf("%w: a score of %v", errOddJudgement, s)
		}
	}
	reorder(hits, func(i int) float64 { return rerankShare*a.scores[i] + (1-rerankShare)*hits[i].Score })
	return nil
}

// reorder sorts hits by a new score, those with an identifier first; the places keep
// the scores that they had.
func reorder(hits []found, score func(i int) float64) {
	order := make([]int, len(hits))
	scores := make([]float64, len(hits))
	for i := range hits {
		order[i], scores[i] = i, score(i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if hits[a].exact != hits[b].exact {
			if hits[a].exact {
				return -1
			}
			return 1
		}
		return cmp.Compare(scores[b], scores[a])
	})
	putInOrder(hits, order)
}

// putInOrder puts hits in an order; the places keep the scores that they had.
func putInOrder(hits []found, order []int) {
	old := slices.Clone(hits)
	for i, from := range order {
		hits[i] = old[from]
		hits[i].Score = old[i].Score
	}
}

// diverse picks hits one after the other: each time the one that is best after what it
// loses for saying the same as one that was picked (maximal marginal relevance).
func diverse(a *analysis.Analyzer, hits []found, limit int) []found {
	words := make([]map[string]bool, len(hits))
	for i, h := range hits {
		words[i] = a.Content(h.Text)
	}
	same := make([]float64, len(hits)) // as the picked hit that is most like it
	order := make([]int, 0, len(hits))
	left := make([]int, len(hits))
	for i := range left {
		left[i] = i
	}
	value := func(i int) float64 { return hits[i].Score - diverseShare*max(0, same[i]-alike)/(1-alike) }
	for len(order) < limit && len(left) > 0 {
		best := 0
		for n, i := range left {
			if b := left[best]; hits[i].exact == hits[b].exact && value(i) > value(b) {
				best = n
			}
		}
		picked := left[best]
		order = append(order, picked)
		left = slices.Delete(left, best, best+1)
		for _, i := range left {
			same[i] = max(same[i], inCommon(words[i], words[picked]))
		}
	}
	putInOrder(hits, append(order, left...))
	return hits
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

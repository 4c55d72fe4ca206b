package recall

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/rank"
)

// The last steps of a search, with the texts of the best hits at hand.

const (
	// rerankHits is how many hits a reranker rates, and rerankText how much of each, in
	// bytes.
	rerankHits = 20
	rerankText = 2 << 10
	// rerankWait is how long reranking may take; after that the order stays.
	rerankWait = 8 * time.Second
)

// hitsFor returns how many hits refine needs.
func hitsFor(q *rank.Query, reranks bool) int {
	n := q.Pool()
	if reranks {
		n = max(n, rerankHits)
	}
	return n
}

// refine reorders more hits than wanted by their texts and returns those of the answer,
// best first.
func (x *Index) refine(ctx context.Context, q rank.Query, question string, rerank bool, hits []found) []found {
	texts := make([]rank.Text, len(hits))
	for i, h := range hits {
		texts[i] = rank.Text{Text: h.Text, Score: h.Score, Share: h.share, Exact: h.exact, Place: i}
	}
	a := x.analyzers.Get()
	defer x.analyzers.Put(a)
	rank.BoostPhrases(a, q, &x.weights, texts)
	if rerank && len(hits) > 1 {
		if err := x.rerank(ctx, question, texts[:min(rerankHits, len(texts))]); err != nil {
			x.cfg.Logger.Warn("the hits were not reranked; they are in the order they had", "err", err)
		}
	}
	texts = rank.Diversify(a, q, texts)
	out := make([]found, len(texts))
	for i, t := range texts {
		out[i] = hits[t.Place]
		out[i].Score = t.Score
	}
	return out
}

// errBadScores means that a reranker didn't return one score per text.
var errBadScores = errors.New("the reranker's answer can't be used")

// rerank reorders hits by the scores of a model and their own.
func (x *Index) rerank(ctx context.Context, question string, hits []rank.Text) error {
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = corpus.Cut(h.Text, rerankText)
	}
	scores, err := askFor(ctx, rerankWait, func(ctx context.Context) ([]float64, error) {
		return x.cfg.Reranker.Rerank(ctx, question, texts)
	})
	if err != nil {
		return err
	}
	if len(scores) != len(hits) {
		return fmt.Errorf("%w: %d scores for %d texts", errBadScores, len(scores), len(hits))
	}
	for _, s := range scores {
		if !(s >= 0 && s <= 1) { // NaN is neither
			return fmt.Errorf("%w: a score of %v", errBadScores, s)
		}
	}
	rank.Rerank(hits, scores)
	return nil
}

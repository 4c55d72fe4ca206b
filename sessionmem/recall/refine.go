package recall

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/rank"
)

// What happens to the best hits at the very end, where their texts are known.

const (
	// rerankHits is how many hits a reranker judges, and rerankText how much of each, in
	// bytes.
	rerankHits = 20
	rerankText = 2 << 10
	// rerankWait is how long it may take; after that the order stays as it was.
	rerankWait = 8 * time.Second
)

// hitsFor is how many hits polish wants.
func hitsFor(q *rank.Query, reranks bool) int {
	n := q.Pool()
	if reranks {
		n = max(n, rerankHits)
	}
	return n
}

// polish gives the hits of an answer out of more than that, best first.
func (x *Index) polish(ctx context.Context, q rank.Query, question string, rerank bool, hits []found) []found {
	texts := make([]rank.Text, len(hits))
	for i, h := range hits {
		texts[i] = rank.Text{Text: h.Text, Score: h.Score, Share: h.share, Exact: h.exact, Place: i}
	}
	a := x.analyzers.Get()
	defer x.analyzers.Put(a)
	rank.Closer(a, q, &x.weights, texts)
	if rerank && len(hits) > 1 {
		if err := x.rerank(ctx, question, texts[:min(rerankHits, len(texts))]); err != nil {
			x.cfg.Logger.Warn("the hits were not reranked; they are in the order they had", "err", err)
		}
	}
	texts = rank.Diverse(a, q, texts)
	out := make([]found, len(texts))
	for i, t := range texts {
		out[i] = hits[t.Place]
		out[i].Score = t.Score
	}
	return out
}

// errOddJudgement: a reranker did not give one score a text.
var errOddJudgement = errors.New("the reranker's answer can't be used")

// rerank puts hits in the order of a model's judgement and their own.
func (x *Index) rerank(ctx context.Context, question string, hits []rank.Text) error {
	texts := make([]string, len(hits))
	for i, h := range hits {
		texts[i] = corpus.Cut(h.Text, rerankText)
	}
	scores, err := answered(ctx, rerankWait, func(ctx context.Context) ([]float64, error) {
		return x.cfg.Reranker.Rerank(ctx, question, texts)
	})
	if err != nil {
		return err
	}
	if len(scores) != len(hits) {
		return fmt.Errorf("%w: %d scores for %d texts", errOddJudgement, len(scores), len(hits))
	}
	for _, s := range scores {
		if !(s >= 0 && s <= 1) { // NaN is neither
			return fmt.Errorf("%w: a score of %v", errOddJudgement, s)
		}
	}
	rank.Judge(hits, scores)
	return nil
}

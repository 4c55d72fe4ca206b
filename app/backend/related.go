package backend

import (
	"context"
	"time"

	"mac-stats/sessionmem/recall"
)

// relatedLooks is how many passages Related searches for sessions.
const relatedLooks = 40

// Related returns the best passage of each session that matches a query, best first. With
// quick it calls no model, so that it can run while somebody types.
func (ix *Index) Related(ctx context.Context, query string, quick bool) ([]recall.Hit, recall.State, error) {
	index, err := ix.Recall()
	if err != nil {
		return nil, recall.State{Err: err}, err
	}
	q := recall.Query{Text: query, Limit: relatedLooks, Cold: true, Scope: recall.Scope{NoMemory: true}}
	if quick {
		q.Strategy = recall.Lexical
	}
	answer, err := index.Search(ctx, q)
	if err != nil {
		return nil, answer.State, err
	}
	var hits []recall.Hit
	seen := map[string]bool{}
	for _, h := range answer.Hits {
		if of := h.Machine + "\x00" + h.Session; !seen[of] {
			seen[of] = true
			hits = append(hits, h)
		}
	}
	return hits, answer.State, nil
}

// IndexStatus reports what the search index covers.
func (ix *Index) IndexStatus(ctx context.Context) (recall.Status, error) {
	index, err := ix.Recall()
	if err != nil {
		return recall.Status{}, err
	}
	return index.Status(ctx)
}

// RebuildIndex rebuilds the search index; meanwhile the old one answers.
func (ix *Index) RebuildIndex(ctx context.Context) error {
	index, err := ix.Recall()
	if err != nil {
		return err
	}
	_, err = index.Rebuild(ctx)
	return err
}

// Find searches conversations and memory. It never indexes: Found.State says what the index
// lacks, and that a search by meaning went by words.
func (ix *Index) Find(ctx context.Context, q recall.Query) (Found, recall.State, error) {
	found := Found{Query: q.Text, Hits: []FoundHit{}}
	index, err := ix.Recall()
	if err != nil {
		return found, recall.State{Err: err}, err
	}
	q.Rerank = q.Rerank || ix.settings().Rerank
	answer, err := index.Search(ctx, q)
	if err != nil {
		return found, answer.State, err
	}
	found.State = answer.State.String()
	if q.Strategy == recall.Semantic && answer.State.Vectors == recall.VectorsOff {
		found.State += "; there is no embedding model, so this went by words alone"
	}
	for _, h := range answer.Hits {
		found.Hits = append(found.Hits, FoundHit{
			Chunk: h.ID, Path: h.Path, Session: h.Session,
			Turn: h.Turn, Kind: string(h.Kind), Score: h.Score, Text: h.Text, Time: h.Time.Format(time.RFC3339), Before: h.Before, After: h.After, Machine: h.Machine,
		})
	}
	return found, answer.State, nil
}

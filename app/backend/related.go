package backend

import (
	"context"

	"mac-stats/sessionmem/recall"
)

// relatedLooks is among how many passages sessions are looked for.
const relatedLooks = 40

// Related gives, for what somebody is looking for, the best passage of each of the
// sessions that come near, best first. quick asks no model: for while they type.
func (b *Backend) Related(ctx context.Context, query string, quick bool) ([]recall.Hit, recall.State, error) {
	index, err := b.Recall()
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

// IndexStatus tells what the search index covers.
func (b *Backend) IndexStatus(ctx context.Context) (recall.Status, error) {
	index, err := b.Recall()
	if err != nil {
		return recall.Status{}, err
	}
	return index.Status(ctx)
}

// RebuildIndex builds the search index anew; the old one answers meanwhile.
func (b *Backend) RebuildIndex(ctx context.Context) error {
	index, err := b.Recall()
	if err != nil {
		return err
	}
	_, err = index.Rebuild(ctx)
	return err
}

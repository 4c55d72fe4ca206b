package backend

import (
	"context"
	"path/filepath"
	"time"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall"
)

// Found is the answer to a search, as commands and the local API give it.
type Found struct {
	Query string     `json:"query"`
	State string     `json:"state"` // of the index, in words: "fresh", "behind by 3 files"
	Hits  []FoundHit `json:"hits"`  // best first; never null
}

// FoundHit is one message that was found, with its best passage.
type FoundHit struct {
	Chunk   string  `json:"chunk"` // its id, which stays the same when the index is built anew
	Path    string  `json:"path"`  // of the file, below the data folder, with slashes
	Session string  `json:"session"`
	Turn    int     `json:"turn"` // 0-based place among the User and Assistant blocks of the session; -1 for other kinds
	Kind    string  `json:"kind"`
	Score   float64 `json:"score"` // 0 … 1, within this answer
	Text    string  `json:"text"`
	Time    string  `json:"time"` // RFC 3339
	// First lines of the messages beside it, where recall.Query.Beside asks for them.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`

	Machine string `json:"machine,omitempty"` // the other one that it was said at
}

// Below gives a path as commands and the local API say it: below the data folder, with
// slashes; one elsewhere (the cache) stays as it is.
func (b *Backend) Below(file string) string {
	rel, err := filepath.Rel(b.Paths.Home, file)
	if file == "" || err != nil || !filepath.IsLocal(rel) {
		return file
	}
	return filepath.ToSlash(rel)
}

// ToldBelow gives what a forgetting found with its paths by Below; never nil.
func (b *Backend) ToldBelow(found []forgotten.Touched) []forgotten.Touched {
	out := make([]forgotten.Touched, len(found))
	for i, t := range found {
		t.Path = b.Below(t.Path)
		out[i] = t
	}
	return out
}

// Find searches what was said and learnt. A query never indexes: Found.State says
// what the index lacks.
func (b *Backend) Find(ctx context.Context, q recall.Query) (Found, recall.State, error) {
	found := Found{Query: q.Text, Hits: []FoundHit{}}
	index, err := b.Recall()
	if err != nil {
		return found, recall.State{Err: err}, err
	}
	q.Rerank = q.Rerank || b.recallSettings().Rerank
	answer, err := index.Search(ctx, q)
	if err != nil {
		return found, answer.State, err
	}
	found.State = answer.State.String()
	for _, h := range answer.Hits {
		found.Hits = append(found.Hits, FoundHit{
			Chunk: h.ID, Path: h.Path, Session: h.Session,
			Turn: h.Turn, Kind: string(h.Kind), Score: h.Score, Text: h.Text, Time: h.Time.Format(time.RFC3339), Before: h.Before, After: h.After, Machine: h.Machine,
		})
	}
	return found, answer.State, nil
}

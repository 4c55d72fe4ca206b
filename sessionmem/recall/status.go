package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
)

// Chunks returns all chunks of a session, in the order of its blocks, with their texts.
func (x *Index) Chunks(ctx context.Context, session string) ([]corpus.Chunk, error) {
	var hits []found
	err := x.file.Read(ctx, func(now *index.Snapshot) error {
		hits = nil
		if session == "" {
			return nil // memory files have none
		}
		for _, k := range now.OfSession(session) {
			err := now.Each(ctx, k, func(_ uint32, d *index.Passage) error {
				var h found
				h.Chunk, h.place = corpus.ChunkOf(d, &k.Source)
				hits = append(hits, h)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	slices.SortStableFunc(hits, byPosition)
	var out []corpus.Chunk
	for _, h := range x.withTexts(ctx, hits, len(hits)) {
		out = append(out, h.Chunk)
	}
	return out, nil
}

// byPosition orders chunks as they stand in their files.
func byPosition(a, b found) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.place.Offset, b.place.Offset), cmp.Compare(a.Part, b.Part))
}

// Chunk returns the chunk with an ID, or ErrNoChunk.
func (x *Index) Chunk(ctx context.Context, id string) (corpus.Chunk, error) {
	var hit *found
	err := x.file.Read(ctx, func(now *index.Snapshot) error {
		hit = nil
		return eachOfID(ctx, now, id, func(_ uint32, d *index.Passage, k *index.Indexed) {
			hit = &found{}
			hit.Chunk, hit.place = corpus.ChunkOf(d, &k.Source)
		})
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return corpus.Chunk{}, err
	}
	if hit == nil {
		return corpus.Chunk{}, fmt.Errorf("%w: %s", ErrNoChunk, id)
	}
	hits := x.withTexts(ctx, []found{*hit}, 1)
	if len(hits) == 0 {
		return corpus.Chunk{}, fmt.Errorf("%w: %s says something else by now", ErrNoChunk, id)
	}
	return hits[0].Chunk, nil
}

// Similar finds text that says the same or nearly the same, in the cold tier too.
func (x *Index) Similar(ctx context.Context, text string, limit int) ([]Hit, error) {
	a, err := x.Search(ctx, Query{Text: text, Limit: limit, Cold: true, all: true})
	return a.Hits, err
}

// Status returns the status of the index and its vectors.
func (x *Index) Status(ctx context.Context) (Status, error) {
	state, err := x.state(ctx)
	out := Status{State: state, Path: x.file.Path()}
	if err != nil {
		return out, err
	}
	err = x.file.Read(ctx, func(now *index.Snapshot) (err error) {
		out.Chunks, out.TextBytes = now.Passages(), 0
		for _, k := range now.Sources() {
			out.TextBytes += k.Bytes
		}
		out.LastSync, err = now.Synced(ctx)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		out.Err = err
		return out, err
	}
	x.vectorStatus(ctx, &out)
	out.Bytes = x.file.Size()
	out.Unfinished = x.file.IsUnfinished() && !out.Building
	return out, nil
}

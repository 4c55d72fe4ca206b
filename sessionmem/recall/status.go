package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/format"
)

// lookEvery is how often a search compares the files with the index where nobody else
// does.
const lookEvery = 10 * time.Second

// state tells how much of what there is the index covers. To find out it looks at the
// files' entries, if that was long ago.
func (x *Index) state(ctx context.Context) (State, error) {
	x.mu.Lock()
	fresh := time.Since(x.looked) < lookEvery
	x.mu.Unlock()
	if !fresh {
		if err := x.look(ctx); err != nil {
			return State{Err: err, Vectors: VectorsOff}, err
		}
	}
	told, writes := x.elsewhere()
	x.mu.Lock()
	defer x.mu.Unlock()
	s := State{Files: x.files, Behind: max(x.behind, len(x.dirty)), Building: x.busy > 0, Vectors: VectorsOff}
	switch {
	case s.Building:
		s.Done, s.Of = x.done.Files, x.done.Of
	case writes:
		s.Building, s.Done, s.Of = true, told.Files, told.Of
	}
	return s, nil
}

// look compares the files with the index.
func (x *Index) look(ctx context.Context) error {
	found, err := x.corpus.Sources(ctx)
	if err != nil {
		return err
	}
	behind := len(found)
	err = x.reading(ctx, func(now *engine.Snapshot) error {
		if now.Older() { // it answers as well as it can until the new one is there
			behind = len(found)
			return nil
		}
		behind = 0
		for _, s := range found {
			if k := now.Source(s.Key); k == nil || !slices.Equal(k.State.Files, s.Files) {
				behind++
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.looked, x.files, x.behind = time.Now(), len(found), behind
	return nil
}

// Chunks gives all chunks of a session, in the order of its blocks, with their texts.
func (x *Index) Chunks(ctx context.Context, session string) ([]corpus.Chunk, error) {
	var hits []found
	err := x.reading(ctx, func(now *engine.Snapshot) error {
		hits = nil
		if session == "" {
			return nil // memory files have none
		}
		for _, k := range now.OfSession(session) {
			err := now.Each(ctx, k, func(_ uint32, d format.Passage) error {
				var h found
				h.Chunk, h.place = corpus.ChunkOf(&d, &k.Name, k.State.Files)
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
	slices.SortStableFunc(hits, inFile)
	var out []corpus.Chunk
	for _, h := range x.withTexts(ctx, hits, len(hits)) {
		out = append(out, h.Chunk)
	}
	return out, nil
}

// inFile orders chunks as they stand in their files.
func inFile(a, b found) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.place.Offset, b.place.Offset), cmp.Compare(a.Part, b.Part))
}

// Chunk gives a chunk by its id; ErrNoChunk where there is none.
func (x *Index) Chunk(ctx context.Context, id string) (corpus.Chunk, error) {
	var hit *found
	err := x.reading(ctx, func(now *engine.Snapshot) error {
		hit = nil
		return eachOfID(ctx, now, id, func(_ uint32, d format.Passage, k *engine.Source) {
			hit = &found{}
			hit.Chunk, hit.place = corpus.ChunkOf(&d, &k.Name, k.State.Files)
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

// Similar finds what says the same as a text, or nearly, in the cold tier too.
func (x *Index) Similar(ctx context.Context, text string, limit int) ([]Hit, error) {
	a, err := x.Search(ctx, Query{Text: text, Limit: limit, Cold: true, all: true})
	return a.Hits, err
}

// Status tells what there is.
func (x *Index) Status(ctx context.Context) (Status, error) {
	state, err := x.state(ctx)
	out := Status{State: state, Path: x.path}
	if err != nil {
		return out, err
	}
	err = x.reading(ctx, func(now *engine.Snapshot) (err error) {
		out.Chunks, out.TextBytes = now.Passages(), 0
		for _, k := range now.Sources() {
			if k != nil {
				out.TextBytes += k.State.Bytes
			}
		}
		out.LastSync, err = now.Synced(ctx)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		out.Err = err
		return out, err
	}
	x.vectorStatus(ctx, &out)
	for _, end := range []string{"", "-wal"} {
		if fi, err := os.Stat(x.path + end); err == nil {
			out.Bytes += fi.Size()
		}
	}
	_, missing := os.Stat(filepath.Join(x.cfg.CacheDir, newFile))
	out.Unfinished = missing == nil && !out.Building
	return out, nil
}

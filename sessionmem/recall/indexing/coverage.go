package indexing

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"mac-stats/sessionmem/recall/engine"
)

// lookEvery is how often a search compares the files with the index where nobody else
// does.
const lookEvery = 10 * time.Second

// Standing is how much of what there is the index covers.
type Standing struct {
	Files    int // known ones
	Behind   int // of them changed since they were indexed
	Building bool
	Done, Of int // of the building: files done, files to do; 0 where that isn't known yet
}

// Standing tells how much of what there is the index covers. To find out it looks at the
// files' entries, if that was long ago.
func (x *Indexer) Standing(ctx context.Context) (Standing, error) {
	x.mu.Lock()
	fresh := time.Since(x.looked) < lookEvery
	x.mu.Unlock()
	if !fresh {
		if err := x.look(ctx); err != nil {
			return Standing{}, err
		}
	}
	now, builds := x.cfg.File.Building()
	x.mu.Lock()
	defer x.mu.Unlock()
	return Standing{Files: x.files, Behind: max(x.behind, len(x.dirty)), Building: builds, Done: now.Files, Of: now.Of}, nil
}

// look compares the files with the index.
func (x *Indexer) look(ctx context.Context) error {
	found, err := x.cfg.Corpus.Sources(ctx)
	if err != nil {
		return err
	}
	behind := len(found)
	err = x.cfg.File.Read(ctx, func(now *engine.Snapshot) error {
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

// Doubt has the sources compared with their files again: something of them was erased.
func (x *Indexer) Doubt() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.looked, x.known = time.Time{}, 0
}

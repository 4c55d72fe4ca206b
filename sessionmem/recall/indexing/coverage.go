package indexing

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"mac-stats/sessionmem/recall/index"
)

// compareEvery is how often a search compares the files with the index if nothing else does.
const compareEvery = 10 * time.Second

// Coverage describes how much of the files the index covers.
type Coverage struct {
	Files    int // that exist
	Behind   int // of them changed since they were indexed
	Building bool
	Done, Of int // of the building: files done, files to do; 0 if not known yet
}

// Coverage returns how much of the files the index covers. It reads the directory entries
// if the last comparison is older than compareEvery.
func (x *Indexer) Coverage(ctx context.Context) (Coverage, error) {
	x.mu.Lock()
	fresh := time.Since(x.compared) < compareEvery
	x.mu.Unlock()
	if !fresh {
		if err := x.compare(ctx); err != nil {
			return Coverage{}, err
		}
	}
	now, builds := x.cfg.File.Activity.Current()
	x.mu.Lock()
	defer x.mu.Unlock()
	return Coverage{Files: x.files, Behind: max(x.behind, len(x.dirty)), Building: builds, Done: now.Files, Of: now.Of}, nil
}

// compare compares the files with the index.
func (x *Indexer) compare(ctx context.Context) error {
	found, err := x.cfg.Corpus.Sources(ctx)
	if err != nil {
		return err
	}
	behind := len(found)
	err = x.cfg.File.Read(ctx, func(now *index.Snapshot) error {
		if now.Older() { // it answers as well as it can until the new one is ready
			behind = len(found)
			return nil
		}
		todo, _ := differences(now, found)
		behind = len(todo)
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.compared, x.files, x.behind = time.Now(), len(found), behind
	return nil
}

// Recheck makes the next run compare all sources with their files, after an erasure.
func (x *Indexer) Recheck() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.compared, x.known = time.Time{}, 0
}

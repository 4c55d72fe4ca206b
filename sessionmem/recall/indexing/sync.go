package indexing

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io/fs"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
)

// Report counts what an indexing run did.
type Report struct {
	Files   int // checked
	Changed int // of them read or removed
	Added   int // chunks
	Took    time.Duration
}

// KeepUp is like Sync but does and loads nothing if no file has changed since the last run:
// it is called for as long as the app runs.
func (x *Indexer) KeepUp(ctx context.Context) (Report, error) {
	if report, ok := x.syncReported(ctx); ok {
		return report, nil
	}
	found, err := x.cfg.Corpus.Sources(ctx)
	if err != nil {
		return Report{}, err
	}
	whole := !x.cfg.File.Damaged() && x.cfg.File.Exists() && x.cfg.File.IsCurrent()
	x.mu.Lock()
	same := whole && x.known == printOf(x.seed, found) && len(x.dirty) == 0
	if same {
		x.compared, x.files, x.behind, x.any = time.Now(), len(found), 0, false
	}
	x.mu.Unlock()
	if same {
		return Report{Files: len(found)}, nil
	}
	return x.Sync(ctx)
}

// printOf returns a print that is the same in this process as long as the files are.
func printOf(seed maphash.Seed, found []corpus.Source) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var buf []byte
	for _, s := range found {
		buf = append(append(buf[:0], s.Key...), 0)
		for _, f := range s.Files {
			buf = append(append(buf, f.File...), 0)
			for _, n := range [3]uint64{uint64(f.Size), uint64(f.Changed), f.Inode} { //nolint:gosec // bits are what is wanted
				buf = binary.LittleEndian.AppendUint64(buf, n)
			}
		}
		_, _ = h.Write(buf) // a hash never fails
	}
	return h.Sum64()
}

// Sync brings the index up to date and returns when it is complete. It builds a missing
// index, and rebuilds one that is damaged or of another version while the old one answers.
func (x *Indexer) Sync(ctx context.Context) (Report, error) {
	file := x.cfg.File
	unlock, err := file.Lock(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	begun := time.Now()
	e, done, err := file.Use(ctx)
	broken := file.Damaged()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e, done, err = file.Create(ctx)
	case err != nil && !broken:
		return Report{}, err
	}
	if broken || err != nil {
		if done != nil {
			done()
		}
		return x.replace(ctx, begun)
	}
	defer done()
	report, err := x.sync(ctx, e)
	if err == nil {
		file.MarkCurrent()
	}
	report.Took = time.Since(begun)
	if errors.Is(err, index.ErrDamaged) {
		file.MarkDamaged(err)
		return x.replace(ctx, begun)
	}
	return report, err
}

// Rebuild builds the index from nothing, or resumes an interrupted Rebuild; the old index
// answers until the new one replaces it.
func (x *Indexer) Rebuild(ctx context.Context) (Report, error) {
	unlock, err := x.cfg.File.Lock(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	return x.replace(ctx, time.Now())
}

// replace replaces the index with a rebuilt one. The caller holds the writers' lock.
func (x *Indexer) replace(ctx context.Context, begun time.Time) (report Report, err error) {
	err = x.cfg.File.Replace(ctx, func(e *index.Index) (err error) {
		report, err = x.sync(ctx, e)
		return err
	})
	report.Took = time.Since(begun)
	return report, err
}

// sync brings an index up to date. The caller holds the writers' lock.
func (x *Indexer) sync(ctx context.Context, e *index.Index) (Report, error) {
	x.mu.Lock()
	reported := x.dirty
	x.dirty, x.any = map[string]bool{}, false
	x.mu.Unlock()
	report, print, err := x.syncAll(ctx, e)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil {
		x.any = true
		for p := range reported {
			x.dirty[p] = true
		}
		return report, err
	}
	x.compared, x.files, x.behind = time.Now(), report.Files, 0
	x.known = print
	return report, nil
}

func (x *Indexer) syncAll(ctx context.Context, e *index.Index) (report Report, print uint64, err error) {
	found, err := x.cfg.Corpus.Sources(ctx)
	if err != nil {
		return Report{}, 0, err
	}
	var todo []corpus.Source
	var gone []string
	err = e.Read(ctx, func(now *index.Snapshot) error {
		todo, gone = differences(now, found)
		return nil
	})
	report.Files = len(found)
	if err != nil || len(todo)+len(gone) == 0 {
		return report, printOf(x.seed, found), err
	}
	err = x.indexSources(ctx, e, todo, gone, &report)
	return report, printOf(x.seed, found), err
}

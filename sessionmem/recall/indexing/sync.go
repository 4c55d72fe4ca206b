package indexing

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io/fs"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/tables"
)

// Report is what an indexing did.
type Report struct {
	Files   int // looked at
	Changed int // of them were read, or are gone
	Added   int // chunks
	Removed int // chunks
	Refused int // chunks that were forgotten before and are not taken up again
	Took    time.Duration
}

// KeepUp is Sync that does nothing, and loads nothing, where no file changed since the
// last one: it runs for as long as the app does.
func (x *Indexer) KeepUp(ctx context.Context) (Report, error) {
	if report, ok := x.syncTold(ctx); ok {
		return report, nil
	}
	found, err := x.cfg.Corpus.Sources(ctx)
	if err != nil {
		return Report{}, err
	}
	whole := !x.cfg.File.Damaged() && x.cfg.File.Exists() && x.cfg.File.Settled()
	x.mu.Lock()
	same := whole && x.known == printOf(x.seed, found) && len(x.dirty) == 0
	if same {
		x.looked, x.files, x.behind, x.any = time.Now(), len(found), 0, false
	}
	x.mu.Unlock()
	if same {
		return Report{Files: len(found)}, nil
	}
	return x.Sync(ctx)
}

// printOf tells whether files are as they were, to the process that asked before.
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
		_, _ = h.Write(buf) // a hash takes all
	}
	return h.Sum64()
}

// Sync brings the index up to date now and returns when it is complete. One that is
// missing is built; one that is damaged or of another version is built anew while the
// old one answers.
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
		err = e.Tidy(ctx)
	}
	if err == nil {
		file.Settle()
	}
	report.Took = time.Since(begun)
	if tables.IsDamaged(err) {
		file.Spoil(err)
		return x.replace(ctx, begun)
	}
	return report, err
}

// Rebuild builds the index from nothing, or goes on with a Rebuild that was stopped; the
// old one answers until the new one takes its place.
func (x *Indexer) Rebuild(ctx context.Context) (Report, error) {
	unlock, err := x.cfg.File.Lock(ctx)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	return x.replace(ctx, time.Now())
}

// replace puts an index that was built anew in the place of the old one. The caller holds the
// writers' lock.
func (x *Indexer) replace(ctx context.Context, begun time.Time) (report Report, err error) {
	err = x.cfg.File.Replace(ctx, func(e *engine.Engine) (err error) {
		report, err = x.sync(ctx, e)
		return err
	})
	report.Took = time.Since(begun)
	return report, err
}

// sync brings an engine's index up to date. The caller holds the writers' lock.
func (x *Indexer) sync(ctx context.Context, e *engine.Engine) (Report, error) {
	x.mu.Lock()
	told := x.dirty
	x.dirty, x.any = map[string]bool{}, false
	x.mu.Unlock()
	report, print, err := x.syncAll(ctx, e)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil {
		x.any = true
		for p := range told {
			x.dirty[p] = true
		}
		return report, err
	}
	x.looked, x.files, x.behind = time.Now(), report.Files, 0
	x.known = print
	return report, nil
}

func (x *Indexer) syncAll(ctx context.Context, e *engine.Engine) (report Report, print uint64, err error) {
	found, err := x.cfg.Corpus.Sources(ctx)
	if err != nil {
		return Report{}, 0, err
	}
	todo, gone, err := differences(ctx, e, found)
	report.Files = len(found)
	if err != nil || len(todo)+len(gone) == 0 {
		return report, printOf(x.seed, found), err
	}
	err = x.take(ctx, e, todo, gone, &report)
	return report, printOf(x.seed, found), err
}

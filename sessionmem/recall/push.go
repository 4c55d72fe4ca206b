package recall

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/indexfile"
	"mac-stats/sessionmem/recall/indexing"
)

// What the index of this machine holds goes to the server (see Server) in the background.
// The index itself is the queue: the prints of the sources say what the server lacks, so that
// nothing is lost while it is away, and each batch that arrived stays there.

const (
	// pushPassages is how many passages go at a time, about.
	pushPassages = 1024
	// pushLook is how often what the server holds is compared where nothing changed.
	pushLook = time.Minute
	// pushVectors is how many vectors go at a time.
	pushVectors = 256
)

// Pushed is what a push did.
type Pushed struct {
	Sources  int // put or taken out
	Passages int // put
	Vectors  int
}

// uploader brings the server up to date with the index of this machine.
type uploader struct {
	cfg       *Config
	corpus    *corpus.Corpus
	file      *indexfile.File
	indexer   *indexing.Indexer
	analyzers *analysis.Pool
	asker     *serverAsker
	wake      chan struct{} // 1 place: there may be something that the server lacks
	mu        sync.Mutex    // held by whoever brings the server up to date
}

// run keeps the server up with the index until ctx ends.
func (u *uploader) run(ctx context.Context) {
	if u.cfg.Server == nil {
		return
	}
	wait := time.NewTimer(0)
	defer wait.Stop()
	failures := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-u.wake:
			if failures > 0 {
				continue // the server is left alone
			}
		case <-wait.C:
		}
		if u.asker.server() == nil {
			wait.Reset(pushLook)
			continue
		}
		_, err := u.push(indexing.InBackground(ctx))
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			wait.Reset(min(backoffLeast<<min(failures, 10), backoffMost))
			failures++
			u.cfg.Logger.Info("the memory server could not be brought up to date; it is tried again", "err", err, "failures", failures)
		default:
			failures = 0
			wait.Reset(pushLook)
		}
		u.asker.note(err)
	}
}

// push brings the server up to date with the index, and returns when it is. ErrServer says
// why that can't be done; what arrived by then stays there.
func (u *uploader) push(ctx context.Context) (out Pushed, err error) {
	server := u.asker.server()
	if server == nil {
		return out, fmt.Errorf("%w: none is set (recall.backend)", ErrServer)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.cfg.BeforePush != nil {
		if err := u.cfg.BeforePush(ctx, server); err != nil {
			return out, err
		}
	}
	p := &push{u: u, server: server}
	if err := p.compare(ctx); err != nil {
		return out, err
	}
	if err := p.drop(ctx); err != nil {
		return p.out, err
	}
	for _, key := range p.todo {
		if err := p.source(ctx, key); err != nil {
			return p.out, err
		}
	}
	if err := p.flush(ctx); err != nil {
		return p.out, err
	}
	if err := server.Cool(ctx, u.cfg.Settings().coldBefore(p.newest)); err != nil {
		return p.out, err
	}
	return p.out, p.vectors(ctx)
}

// push is one on its way.
type push struct {
	u      *uploader
	server Server
	prints map[string]string // what the server has
	todo   []string          // keys of what it lacks, the newest first
	gone   []string
	newest int64 // time of the last message: what is cold on the server is told by that, not by clocks

	batch []ServerSource
	held  int // passages in it
	out   Pushed
}

// compare finds what the server lacks, and what it has too much.
func (p *push) compare(ctx context.Context) (err error) {
	if p.prints, err = p.server.Prints(ctx); err != nil {
		return err
	}
	last := map[string]int64{}
	err = p.u.file.Read(ctx, func(now *engine.Snapshot) error {
		for _, k := range now.Sources() {
			if k == nil {
				continue
			}
			if p.prints[k.Key] != printOfFiles(k.State.Files) {
				last[k.Key] = k.Last
			}
			if k.Session != "" {
				p.newest = max(p.newest, k.Last)
			}
		}
		p.gone = missingOf(now, p.prints)
		return nil
	})
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // there is no index yet
		}
		return err
	}
	p.todo = slices.SortedFunc(maps.Keys(last), func(a, b string) int { return cmp.Or(cmp.Compare(last[b], last[a]), cmp.Compare(a, b)) })
	return nil
}

// missingOf gives the keys that no source of the index has.
func missingOf(now *engine.Snapshot, prints map[string]string) (gone []string) {
	for key := range prints {
		if now.Source(key) == nil {
			gone = append(gone, key)
		}
	}
	return gone
}

// drop takes out what no file holds any more. What the index has not taken up yet, as one
// that is built anew, stays.
func (p *push) drop(ctx context.Context) error {
	if len(p.gone) == 0 {
		return nil
	}
	found, err := p.u.corpus.Sources(ctx)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, s := range found {
		there[s.Key] = true
	}
	p.gone = slices.DeleteFunc(p.gone, func(key string) bool { return there[key] })
	p.out.Sources += len(p.gone)
	return p.server.Drop(ctx, p.gone...)
}

// printOfFiles tells whether files are as they were, to any process.
func printOfFiles(files []format.File) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%d %+v", analysis.Version, files) // a hash takes all
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// source puts what changed in a source.
func (p *push) source(ctx context.Context, key string) error {
	s, print, err := p.u.serverSource(ctx, key)
	if err != nil || s == nil {
		return err
	}
	known := map[ServerPlace]string{}
	if _, ok := p.prints[key]; ok {
		if known, err = p.server.Marks(ctx, key); err != nil {
			return err
		}
	}
	fresh := slices.DeleteFunc(s.Passages, func(d ServerPassage) bool {
		was, ok := known[d.ServerPlace]
		delete(known, d.ServerPlace)
		return ok && was == d.Mark
	})
	s.Gone = slices.Collect(maps.Keys(known))
	readable, err := p.u.readForServer(ctx, fresh)
	if err != nil {
		return err
	}
	if len(readable) < len(fresh) && p.u.changedSince(ctx, key, print) {
		p.u.indexer.Wake() // the index takes the file up again first
		return nil
	}
	p.out.Sources++
	p.out.Passages += len(readable)
	for len(readable) > pushPassages { // a long session arrives in pieces
		part := *s
		part.Passages, readable = readable[:pushPassages], readable[pushPassages:]
		s.Gone = nil
		if err := p.add(ctx, part); err != nil {
			return err
		}
	}
	s.Passages, s.Print = readable, print
	return p.add(ctx, *s)
}

func (p *push) add(ctx context.Context, s ServerSource) error {
	p.batch = append(p.batch, s)
	if p.held += len(s.Passages) + 1; p.held < pushPassages {
		return nil
	}
	return p.flush(ctx)
}

func (p *push) flush(ctx context.Context) error {
	if len(p.batch) == 0 {
		return nil
	}
	batch := p.batch
	p.batch, p.held = nil, 0
	return p.server.Put(ctx, batch)
}

// changedSince says whether a source is not as it was when it had a print.
func (u *uploader) changedSince(ctx context.Context, key, print string) bool {
	now, err := u.printNow(ctx, key)
	return err != nil || now != print
}

// printNow is the print of a source with its files as they are now; "" where there is none.
func (u *uploader) printNow(ctx context.Context, key string) (print string, err error) {
	err = u.file.Read(ctx, func(now *engine.Snapshot) error {
		print = ""
		k := now.Source(key)
		if k == nil || k.Session == "" {
			return nil
		}
		files := slices.Clone(k.State.Files)
		for i, f := range files {
			state, ok := u.corpus.Store.Catalog().State(f.File)
			if !ok {
				return nil
			}
			files[i] = format.File(state)
		}
		print = printOfFiles(files)
		return nil
	})
	return print, err
}

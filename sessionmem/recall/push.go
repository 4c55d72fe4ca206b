package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/indexfile"
	"mac-stats/sessionmem/recall/indexing"
)

// The index of this machine is pushed to the server (see Server) in the background. The
// index itself is the queue: the prints of its sources show what the server lacks, so
// nothing is lost while the server is away, and each batch that arrived stays there.

const (
	// pushPassages is the approximate number of passages per request.
	pushPassages = 1024
	// pushEvery is how often the server is compared if nothing changed.
	pushEvery = time.Minute
	// pushVectors is the number of vectors per request.
	pushVectors = 256
)

// Pushed counts what a push did.
type Pushed struct {
	Sources  int // put or removed
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
	wake      chan struct{} // 1 place: the server may lack something
	mu        sync.Mutex    // serialises pushes
}

// run keeps the server up to date with the index until ctx ends.
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
				continue // wait for the backoff
			}
		case <-wait.C:
		}
		if u.asker.server() == nil {
			wait.Reset(pushEvery)
			continue
		}
		_, err := u.push(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			wait.Reset(min(minBackoff<<min(failures, 10), maxBackoff))
			failures++
			u.cfg.Logger.Info("the memory server could not be brought up to date; it is tried again", "err", err, "failures", failures)
		default:
			failures = 0
			wait.Reset(pushEvery)
		}
		u.asker.note(err)
	}
}

// push implements Index.Push.
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

// push is one push in progress.
type push struct {
	u      *uploader
	server Server
	prints map[string]string // what the server has
	todo   []string          // keys of what it lacks, newest first
	gone   []string
	newest int64 // time of the newest message: coldness on the server depends on it, not on clocks

	batch []ServerSource
	held  int // passages in it
	out   Pushed
}

// compare finds what the server lacks and what it should no longer hold.
func (p *push) compare(ctx context.Context) (err error) {
	if p.prints, err = p.server.Prints(ctx); err != nil {
		return err
	}
	last := map[string]int64{}
	err = p.u.file.Read(ctx, func(now *index.Snapshot) error {
		for _, k := range now.Sources() {
			if p.prints[k.Key] != printOf(k.Stamp) {
				last[k.Key] = k.Last
			}
			if k.Session != "" {
				p.newest = max(p.newest, k.Last)
			}
		}
		p.gone = missingKeys(now, p.prints)
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

// missingKeys returns the keys that no source of the index has.
func missingKeys(now *index.Snapshot, prints map[string]string) (gone []string) {
	for key := range prints {
		if now.Source(key) == nil {
			gone = append(gone, key)
		}
	}
	return gone
}

// drop removes from the server what no file holds any more. It keeps what the index lacks
// only because it is being rebuilt.
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

// printOf returns the print of a source with a stamp: it is the same in every process as long as the
// files and their analysis are.
func printOf(stamp string) string { return fmt.Sprint(analysis.Version, " ", stamp) }

// source puts the changes of one source.
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
		p.u.indexer.Wake() // the index has to read the file again first
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

// changedSince reports whether a source has changed since the print was taken.
func (u *uploader) changedSince(ctx context.Context, key, print string) bool {
	now, err := u.printNow(ctx, key)
	return err != nil || now != print
}

// printNow returns the print of a source with its files as they are now; "" if there is none.
func (u *uploader) printNow(ctx context.Context, key string) (print string, err error) {
	err = u.file.Read(ctx, func(now *index.Snapshot) error {
		print = ""
		k := now.Source(key)
		if k == nil || k.Session == "" {
			return nil
		}
		if s, ok := u.corpus.Now(&k.Source); ok {
			print = printOf(s.Stamp())
		}
		return nil
	})
	return print, err
}

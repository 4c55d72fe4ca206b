package indexing

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/engine"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/transcript"
)

// harvestDocs is the number of passages of a source that are passed on at a time, which
// bounds the memory that a long session takes.
const harvestDocs = 2048

// harvest holds what was read from a source: all new passages, or some of them.
type harvest struct {
	engine.Batch
	err error
}

// reader reads sources for the index, on several goroutines.
type reader struct {
	x          *Indexer
	e          *engine.Engine
	tombstones corpus.Tombstones
}

// readAll reads sources on all processors and passes new passages to take. It returns when
// it has read all of them, or take fails.
func (r *reader) readAll(ctx context.Context, sources []corpus.Source, take func(*harvest) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	todo := make(chan corpus.Source)
	done := make(chan *harvest)
	var work sync.WaitGroup
	workers, stepBack := readers(ctx, len(sources))
	for range workers {
		work.Go(func() {
			stepBack()
			a := r.x.cfg.Analyzers.Get()
			defer r.x.cfg.Analyzers.Put(a)
			for s := range todo {
				r.readOne(ctx, a, s, func(h *harvest) error {
					select {
					case done <- h:
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				})
			}
		})
	}
	go func() {
		defer close(todo)
		for _, s := range sources {
			select {
			case todo <- s:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { work.Wait(); close(done) }()
	var err error
	for h := range done {
		if err == nil {
			err = take(h)
		}
		if err != nil {
			cancel()
		}
	}
	return cmp.Or(err, ctx.Err())
}

// readOne reads a source and passes on what is new in it. An error is passed on as a
// harvest with err set.
func (r *reader) readOne(ctx context.Context, a *analysis.Analyzer, s corpus.Source, emit func(*harvest) error) {
	g := &gatherer{reader: r, a: a, source: s, emit: emit}
	g.begin()
	err := g.gather(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // deleted meanwhile: the next comparison finds that
		g.missing = true
	}
	if err == nil && !g.missing {
		err = g.finish()
	}
	if err != nil || g.missing {
		_ = emit(&harvest{err: cmp.Or(err, fs.ErrNotExist), Batch: engine.Batch{Last: true}}) // readAll reports the end of ctx
	}
}

// gatherer reads one source.
type gatherer struct {
	*reader
	a       *analysis.Analyzer
	source  corpus.Source
	known   *engine.Source
	old     map[engine.Place]format.Passage // its indexed passages
	b       engine.Batch
	state   format.State
	missing bool
	emit    func(*harvest) error
}

// begin starts the next harvest.
func (g *gatherer) begin() { g.b = engine.Batch{Name: g.source.Name, Known: g.known} }

// gather reads the source.
func (g *gatherer) gather(ctx context.Context) error {
	if err := g.lookUp(ctx, true); err != nil {
		return err
	}
	if g.source.Session == "" {
		return g.readMemory()
	}
	if ok, err := g.readTail(ctx); ok || err != nil {
		return err
	}
	return g.readSession(ctx)
}

// lookUp reads what the index knows of the source. With tail it skips the passages of a
// source that may only have grown.
func (g *gatherer) lookUp(ctx context.Context, tail bool) error {
	defer g.begin()
	return g.e.Read(ctx, func(now *engine.Snapshot) error {
		g.known = now.Source(g.source.Key)
		if g.known == nil || tail && g.onlyGrew() {
			return nil
		}
		g.old = map[engine.Place]format.Passage{}
		return now.Each(ctx, g.known, func(_ uint32, d format.Passage) error {
			g.old[engine.Place{Strand: d.Strand, Seq: d.Seq}] = d
			return nil
		})
	})
}

// onlyGrew reports whether the session's last file may only have grown since it was indexed.
func (g *gatherer) onlyGrew() bool {
	was, now := g.known.State.Files, g.source.Files
	if !g.known.State.End.Ok || len(was) != len(now) || len(was) == 0 {
		return false
	}
	n := len(was) - 1
	return slices.Equal(was[:n], now[:n]) && was[n].File == now[n].File && was[n].Inode == now[n].Inode && was[n].Size < now[n].Size
}

// readTail reads what was appended to a session. It reports false if the session changed in
// any other way.
func (g *gatherer) readTail(ctx context.Context) (bool, error) {
	if g.known == nil || g.old != nil {
		return false, nil
	}
	end := g.known.State.End
	c := corpus.Chunker{Session: g.source.Session, Source: g.source.From, Turn: end.Turn, Seq: end.Seq}
	from := places.Place{File: g.source.Files[end.File].File, Offset: end.Offset, Size: end.Size, Bare: end.Bare}
	sum, err := g.x.cfg.Corpus.Store.Places().SumBefore(from.File, from.Offset)
	if err != nil || sum != end.Before {
		return false, cmp.Or(err, g.lookUp(ctx, false))
	}
	first, same := true, true
	g.state = format.State{Bytes: g.known.State.Bytes, End: end}
	var holding map[string]bool // read with the first Summary
	state, err := g.x.cfg.Corpus.Store.Places().EachFrom(ctx, from, func(b transcript.Block, p places.Place) error {
		if first {
			first = false
			if b.ID != end.Block || corpus.HashText(b.Text) != end.Hash {
				same = false
				return errOtherChange
			}
			return nil
		}
		if b.Kind == transcript.KindSummary && holding == nil {
			var err error
			if holding, err = g.x.cfg.Corpus.Store.Places().Holding(ctx, corpus.Names(g.source.Files)); err != nil {
				return err
			}
		}
		return g.addBlock(&c, b, p, end.File, b.Kind != transcript.KindSummary || holding[b.ID])
	})
	if !same {
		return false, g.lookUp(ctx, false)
	}
	if err != nil {
		return false, err
	}
	g.state.Files = append(slices.Clone(g.source.Files[:end.File]), format.File(state))
	return !first, g.sumBefore()
}

// errOtherChange means that a session changed other than by growing.
var errOtherChange = errors.New("the session changed")

// addBlock adds the chunks of a block. It skips a summary that no longer holds, because that
// repeats text that was removed from the file.
func (g *gatherer) addBlock(c *corpus.Chunker, b transcript.Block, p places.Place, file int, holds bool) error {
	pieces := c.Pieces(b, p)
	for i := range pieces {
		if holds {
			g.add(&pieces[i], file)
		}
	}
	e := &g.state.End
	*e = format.Resume{Ok: true, Turn: c.Turn, Seq: c.Seq, File: file, Offset: p.Offset, Size: p.Size, Bare: p.Bare, Block: b.ID, Hash: corpus.HashText(b.Text)}
	if g.b.Len() < harvestDocs {
		return nil
	}
	err := g.emit(&harvest{Batch: g.b})
	g.begin()
	return err
}

// add adds a piece unless it is already indexed or was forgotten.
func (g *gatherer) add(p *corpus.Piece, file int) {
	if p.Empty {
		return
	}
	if corpus.InTombstones(g.tombstones, &p.Chunk) {
		return
	}
	g.state.Bytes += int64(len(p.Text))
	key := engine.Place{Strand: uint8(p.Strand), Seq: uint32(p.Seq)} //nolint:gosec // small
	old, ok := g.old[key]
	delete(g.old, key) // the piece takes its place
	if ok && p.IsSame(&old, file) {
		return
	}
	t := g.a.Chunk(p.Text, p.Time)
	d := p.Passage(file, t)
	if ok && old.Block == p.Block && old.Part == p.Part && old.Hash == p.Place.Hash {
		d.Number = old.Number // it only moved within its file: its vector is still right
	}
	g.b.Add(d, t)
}

func (g *gatherer) readSession(ctx context.Context) error {
	c := corpus.Chunker{Session: g.source.Session, Source: g.source.From}
	files := corpus.Names(g.source.Files)
	var said transcript.Fingerprints
	states, err := g.x.cfg.Corpus.Store.Places().Each(ctx, files, func(b transcript.Block, p places.Place) error {
		return g.addBlock(&c, b, p, slices.Index(files, p.File), said.Follow(b))
	})
	g.state.Files = corpus.AsFiles(states)
	if g.known == nil { // most sessions never grow again; if one does, it is read whole once
		g.state.End = format.Resume{}
	}
	return cmp.Or(err, g.sumBefore())
}

// sumBefore records a checksum of the text before the last block, so that the next run can tell
// whether the file only grew.
func (g *gatherer) sumBefore() (err error) {
	e := &g.state.End
	if !e.Ok || e.File != len(g.state.Files)-1 {
		*e = format.Resume{}
		return nil
	}
	e.Before, err = g.x.cfg.Corpus.Store.Places().SumBefore(g.state.Files[e.File].File, e.Offset)
	return err
}

func (g *gatherer) readMemory() error {
	f, err := g.x.cfg.Corpus.Memory.Load(g.source.Memory)
	if err != nil {
		return err
	}
	if f.Missing {
		return fs.ErrNotExist
	}
	pieces := corpus.MemoryPieces(g.source.Key, f)
	for i := range pieces {
		g.add(&pieces[i], 0)
	}
	g.state.Files = []format.File{corpus.MemoryState(g.source.Key, f)}
	return nil
}

// finish passes on the rest. Passages that the source no longer holds are removed.
func (g *gatherer) finish() error {
	g.b.Last, g.b.State = true, g.state
	for at := range g.old {
		g.b.Gone = append(g.b.Gone, at)
	}
	return g.emit(&harvest{Batch: g.b})
}

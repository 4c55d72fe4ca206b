package recall

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/recall/analysis"
)

// harvestDocs is how many documents of a source are handed on at a time: a session of
// any length is read in bounded memory.
const harvestDocs = 2048

// harvest is what was read of a source: all that is new in it, or a piece of that.
type harvest struct {
	source  source
	known   *known // nil: it is new
	b       *builder
	dead    []oldKey // places of documents that are gone, without another in their place
	last    bool     // of the source; state and dead are whole only there
	state   sourceState
	refused int
	err     error
}

// reader reads sources for the index, on several goroutines.
type reader struct {
	x      *Index
	e      *engine
	buried Tombstones
}

// readAll reads sources on all processors and hands what is new on. It returns when
// all is read, or take gives an error.
func (r *reader) readAll(ctx context.Context, sources []source, take func(*harvest) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	todo := make(chan source)
	done := make(chan *harvest)
	var work sync.WaitGroup
	workers, stepBack := readers(ctx, len(sources))
	for range workers {
		work.Go(func() {
			stepBack()
			a := r.x.analyzers.get()
			defer r.x.analyzers.put(a)
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

// readOne reads a source and hands on what is new in it. What can't be read comes as a
// harvest with its error.
func (r *reader) readOne(ctx context.Context, a *analysis.Analyzer, s source, hand func(*harvest) error) {
	g := &gatherer{reader: r, a: a, source: s, b: newBuilder(), hand: hand}
	err := g.gather(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // gone meanwhile: the next look sees it
		g.missing = true
	}
	if err == nil && !g.missing {
		err = g.finish()
	}
	if err != nil || g.missing {
		_ = hand(&harvest{source: s, known: g.known, b: newBuilder(), last: true, err: cmp.Or(err, fs.ErrNotExist)}) // the context's end is told by readAll
	}
}

// gatherer reads one source.
type gatherer struct {
	*reader
	a       *analysis.Analyzer
	source  source
	known   *known
	old     map[oldKey]document // what is known of it, by places in strands
	b       *builder
	state   sourceState
	refused int
	missing bool
	hand    func(*harvest) error
}

type oldKey struct {
	strand int
	seq    int
}

// gather reads the source.
func (g *gatherer) gather(ctx context.Context) error {
	if err := g.lookUp(ctx, true); err != nil {
		return err
	}
	if g.source.session == "" {
		return g.readMemory()
	}
	if ok, err := g.readTail(ctx); ok || err != nil {
		return err
	}
	return g.readSession(ctx)
}

// lookUp finds what the index knows of the source; of one that may only have grown its
// documents are not needed.
func (g *gatherer) lookUp(ctx context.Context, tail bool) error {
	return g.e.snapshot(ctx, func(q queryer, v *view) error {
		g.known = v.byKey[g.source.key]
		if g.known == nil || tail && g.grew() {
			return nil
		}
		g.old = map[oldKey]document{}
		f := newFetcher(q, v)
		return v.eachOf(g.known, func(at uint32, strand int, seq int) error {
			d, _, err := f.document(ctx, at)
			d.strand, d.seq = uint8(strand), uint32(seq) //nolint:gosec // small
			g.old[oldKey{strand, seq}] = d
			return err
		})
	})
}

// eachOf gives the documents of a source, in the order of its strands.
func (v *view) eachOf(k *known, each func(at uint32, strand, seq int) error) error {
	for strand := range strands {
		s := v.lay.strands[strandKey{k.id, uint8(strand)}]
		if s == nil {
			continue
		}
		for i := range s.size {
			if v.lay.refs[s.base+i].none() {
				continue
			}
			if err := each(s.base+i, strand, int(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// grew says whether the session's last file may only have grown since it was indexed.
func (g *gatherer) grew() bool {
	was, now := g.known.state.files, g.source.files
	if !g.known.state.end.ok || len(was) != len(now) || len(was) == 0 {
		return false
	}
	n := len(was) - 1
	return slices.Equal(was[:n], now[:n]) && was[n].File == now[n].File && was[n].Inode == now[n].Inode && was[n].Size < now[n].Size
}

// readTail reads what was appended to a session. It reports false where more than that
// happened to it.
func (g *gatherer) readTail(ctx context.Context) (bool, error) {
	if g.known == nil || g.old != nil {
		return false, nil
	}
	end := g.known.state.end
	c := chunker{session: g.source.session, source: g.source.from, turn: end.turn, seq: end.seq}
	from := sessionmem.BlockPlace{File: g.source.files[end.file].File, Offset: end.offset, Size: end.size, Bare: end.bare}
	sum, err := g.x.cfg.Store.SumBefore(from.File, from.Offset)
	if err != nil || sum != end.before {
		return false, cmp.Or(err, g.lookUp(ctx, false))
	}
	first, same := true, true
	g.state = sourceState{bytes: g.known.state.bytes, end: end}
	file, err := g.x.cfg.Store.EachFrom(ctx, from, func(b sessionmem.Block, p sessionmem.BlockPlace) error {
		if first {
			first = false
			if b.ID != end.block || hashText(b.Text) != end.hash {
				same = false
				return errChanged
			}
			return nil
		}
		return g.take(&c, b, p, end.file)
	})
	if !same {
		g.b, g.refused = newBuilder(), 0
		return false, g.lookUp(ctx, false)
	}
	if err != nil {
		return false, err
	}
	g.state.files = append(slices.Clone(g.source.files[:end.file]), file)
	return !first, g.sum()
}

// take takes the chunks of a block up.
func (g *gatherer) take(c *chunker, b sessionmem.Block, p sessionmem.BlockPlace, file int) error {
	pieces := c.pieces(b, p)
	for i := range pieces {
		g.add(&pieces[i], file)
	}
	e := &g.state.end
	*e = resume{ok: true, turn: c.turn, seq: c.seq, file: file, offset: p.Offset, size: p.Size, bare: p.Bare, block: b.ID, hash: hashText(b.Text)}
	if len(g.b.docs) < harvestDocs {
		return nil
	}
	err := g.hand(&harvest{source: g.source, known: g.known, b: g.b})
	g.b = newBuilder()
	return err
}

// add takes a piece up, unless it is known already, or was forgotten.
func (g *gatherer) add(p *piece, file int) {
	if p.empty {
		return
	}
	if isBuried(g.buried, p) {
		g.refused++
		return
	}
	g.state.bytes += int64(len(p.Text))
	key := oldKey{p.strand, p.seq}
	old, ok := g.old[key]
	delete(g.old, key) // another one takes its place
	if ok && old.same(p, file) {
		return
	}
	t := g.a.Chunk(p.Text, p.Time)
	d := newDocument(p, file, t)
	if ok && old.block == p.Block && old.part == p.Part && old.hash == p.place.hash {
		d.number = old.number // it only moved in its file: its vector is still right
	}
	g.b.add(d, t)
}

// isBuried asks whether a piece was forgotten: where that can be told, what was typed
// anew since, or elsewhere, is not.
func isBuried(all Tombstones, p *piece) bool {
	if all == nil {
		return false
	}
	exact, ok := all.(interface {
		HasBlock(session string, b sessionmem.Block) bool
		HasIn(session, text string) bool
	})
	switch {
	case !ok:
		return all.Has(p.Text)
	case p.Session == "":
		return exact.HasIn("", p.Text)
	}
	return exact.HasBlock(p.Session, sessionmem.Block{ID: p.Block, Kind: sessionmem.Kind(p.Kind), Agent: p.Agent, Time: p.Time, Text: p.Text})
}

func (g *gatherer) readSession(ctx context.Context) error {
	c := chunker{session: g.source.session, source: g.source.from}
	names := make([]string, len(g.source.files))
	for i, f := range g.source.files {
		names[i] = f.File
	}
	states, err := g.x.cfg.Store.EachPlaced(ctx, names, func(b sessionmem.Block, p sessionmem.BlockPlace) error {
		return g.take(&c, b, p, slices.Index(names, p.File))
	})
	g.state.files = states
	if g.known == nil { // most sessions never grow again: the first time that one does, it is read whole
		g.state.end = resume{}
	}
	return cmp.Or(err, g.sum())
}

// sum notes what stands before the last block, so that the next reading can tell
// whether the file only grew.
func (g *gatherer) sum() (err error) {
	e := &g.state.end
	if !e.ok || e.file != len(g.state.files)-1 {
		*e = resume{}
		return nil
	}
	e.before, err = g.x.cfg.Store.SumBefore(g.state.files[e.file].File, e.offset)
	return err
}

func (g *gatherer) readMemory() error {
	f, err := g.x.cfg.Memory.Load(g.source.memory)
	if err != nil {
		return err
	}
	if f.Missing {
		return fs.ErrNotExist
	}
	pieces := memoryPieces(g.source.key, f)
	for i := range pieces {
		g.add(&pieces[i], 0)
	}
	g.state.files = []sessionmem.FileState{memoryState(g.source.key, f)}
	return nil
}

// finish hands on what is left. What the source does not say any more is dead.
func (g *gatherer) finish() error {
	h := &harvest{source: g.source, known: g.known, b: g.b, last: true, state: g.state, refused: g.refused}
	for key := range g.old {
		h.dead = append(h.dead, key)
	}
	return g.hand(h)
}

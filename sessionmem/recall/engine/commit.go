package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
	"mac-stats/sessionmem/recall/engine/vectors"
)

// Batch holds the new passages of a source: all of them, or some.
type Batch struct {
	Name  format.Name
	Known *Source // nil: the source is new
	Last  bool    // last batch of the source; only there State and Gone are complete
	State format.State
	Gone  []Place // places of removed passages that no other passage takes

	b *format.Builder
}

// Place is the place of a passage in its source.
type Place struct {
	Strand uint8
	Seq    uint32
}

// Add adds a passage with its terms. It replaces the indexed passage at its place.
func (b *Batch) Add(d format.Passage, t analysis.Terms) {
	if b.b == nil {
		b.b = format.NewBuilder()
	}
	b.b.Add(d, t)
}

// Len returns the number of passages.
func (b *Batch) Len() int {
	if b.b == nil {
		return 0
	}
	return len(b.b.Docs)
}

// writer brings an index up to date. The caller holds the writers' lock.
type writer struct {
	Added int // passages

	e      *Engine
	bulk   *format.Builder
	fresh  map[string]*Source // new sources by key
	done   []*Batch           // last batches of sources whose passages are in bulk or written
	gone   []string           // keys of removed sources
	next   int64              // ID of the next source
	number uint32             // number of the next passage
	synced time.Time
}

// NewWriter returns a writer.
func (e *Engine) NewWriter(ctx context.Context) (w *writer, err error) {
	w = &writer{e: e, bulk: format.NewBuilder(), fresh: map[string]*Source{}}
	w.next, w.number, err = tables.NextNumbers(ctx, e.db)
	return w, err
}

// Drop removes sources by key.
func (w *writer) Drop(keys ...string) { w.gone = append(w.gone, keys...) }

// Put adds the new passages of a source. They are written once there are many, or by Flush.
func (w *writer) Put(ctx context.Context, h *Batch) error {
	id := w.idOf(h)
	if h.b != nil {
		for i := range h.b.Docs {
			d := &h.b.Docs[i]
			if d.Source = id; d.Number == 0 {
				d.Number = w.number
				w.number++
			}
		}
		w.bulk.AddAll(h.b)
		w.Added += len(h.b.Docs)
		h.b = nil
	}
	if h.Last {
		w.done = append(w.done, h)
	}
	if len(w.bulk.Docs) >= w.e.limits.BulkDocs || w.bulk.TermCount() >= w.e.limits.BulkTerms {
		return w.Flush(ctx)
	}
	return nil
}

// idOf returns the ID of a batch's source, assigning one to a new source.
func (w *writer) idOf(h *Batch) int64 {
	if h.Known != nil {
		return h.Known.id
	}
	k := w.fresh[h.Name.Key]
	if k == nil {
		k = &Source{Name: h.Name, id: w.next}
		w.fresh[h.Name.Key] = k
		w.next++
	}
	return k.id
}

// Finish flushes the last change and records that the index was up to date at that time.
func (w *writer) Finish(ctx context.Context, at time.Time) error {
	w.synced = at
	return w.Flush(ctx)
}

// Flush writes everything pending as one change.
func (w *writer) Flush(ctx context.Context) error {
	if len(w.bulk.Docs) == 0 && len(w.done) == 0 && len(w.gone) == 0 && w.synced.IsZero() {
		return nil
	}
	c, err := w.write(ctx)
	if errors.Is(err, errChanged) { // the view is outdated, which is rare
		if err = w.e.snapshot(ctx, func(tables.Queryer, *view) error { return nil }); err == nil {
			c, err = w.write(ctx)
		}
	}
	if err != nil {
		return err
	}
	w.e.apply(c)
	w.bulk, w.done, w.gone, w.synced = format.NewBuilder(), nil, nil, time.Time{}
	return nil
}

// write writes the change; errChanged if the view is missing or outdated.
func (w *writer) write(ctx context.Context) (*change, error) {
	v := w.e.current()
	if v == nil {
		return nil, errChanged
	}
	c := &change{writer: w, v: v, dead: map[*part][]uint32{}}
	return c, c.write(ctx)
}

// change is one change of the index file.
type change struct {
	*writer
	v       *view // changed by this goroutine only
	tx      *sql.Tx
	was     int64              // metaChange before it
	now     int64              // and after
	dead    map[*part][]uint32 // passages to remove
	added   []*Source          // new sources
	states  map[int64]format.State
	dropped []*Source
	batch   int64              // ID of the added row of delta; 0: a segment, or nothing
	rebuilt bool               // segments changed
	touched []*Source          // sources that lose passages: they are compared with their files again
	erase   bool               // remove dead passages physically
	purged  map[*part][]string // rewritten segments with their first terms
}

// write writes the whole change in one transaction.
func (c *change) write(ctx context.Context) error {
	return c.e.db.InTx(ctx, func(tx *sql.Tx) (err error) {
		c.tx = tx
		if c.was, _, err = tables.Counters(ctx, tx); err != nil {
			return err
		}
		if c.was != c.v.change {
			return errChanged
		}
		c.now = c.was + 1
		c.findDead()
		steps := []func(context.Context) error{c.writeSources, c.writeDead, c.dropVectors, c.writePassages, c.count}
		if c.erase {
			steps = append(steps, c.purge)
		}
		for _, step := range steps {
			if err := step(ctx); err != nil {
				return tables.Explain(err)
			}
		}
		return nil
	})
}

// findDead collects the passages that are replaced, those that their sources no longer hold,
// and those of removed sources.
func (c *change) findDead() {
	for i := range c.bulk.Docs {
		d := &c.bulk.Docs[i]
		c.kill(strandKey{d.Source, d.Strand}, d.Seq)
	}
	for _, h := range c.done {
		if h.Known == nil {
			continue
		}
		for _, at := range h.Gone {
			c.kill(strandKey{h.Known.id, at.Strand}, at.Seq)
		}
	}
	for _, key := range c.gone {
		k := c.v.byKey[key]
		if k == nil {
			continue
		}
		c.dropped = append(c.dropped, k)
		_ = c.v.eachOf(k, func(_ uint32, strand, seq int) error { // never fails
			c.kill(strandKey{k.id, uint8(strand)}, uint32(seq)) //nolint:gosec // small
			return nil
		})
	}
}

// kill marks the passage at a place as dead, if there is one.
func (c *change) kill(key strandKey, seq uint32) {
	s := c.v.lay.strands[key]
	if s == nil || seq >= s.size {
		return
	}
	if r := c.v.lay.refs[s.base+seq]; !r.none() {
		p := c.v.parts[r.part-1]
		c.dead[p] = append(c.dead[p], r.doc)
	}
}

// writeSources writes the rows of sources. A source that is read in several batches counts
// as changed until the last one is written.
func (c *change) writeSources(ctx context.Context) error {
	c.states = map[int64]format.State{}
	for _, k := range c.fresh {
		if c.v.byID[k.id] == nil {
			c.states[k.id] = format.State{}
			c.added = append(c.added, k)
		}
	}
	for _, h := range c.done {
		c.states[c.idOf(h)] = h.State
	}
	for _, k := range c.touched {
		c.states[k.id] = k.State.Stale()
	}
	for _, k := range c.added {
		k.State = c.states[k.id]
		if _, err := c.tx.ExecContext(ctx, "INSERT INTO source(id, key, session, origin, changed, state) VALUES(?,?,?,?,?,?)",
			k.id, k.Key, k.Session, k.From, c.now, k.State.Encode(&k.Name)); err != nil {
			return err
		}
		delete(c.states, k.id)
	}
	for id, state := range c.states {
		if _, err := c.tx.ExecContext(ctx, "UPDATE source SET state=?, changed=? WHERE id=?", state.Encode(&c.v.byID[id].Name), c.now, id); err != nil {
			return err
		}
	}
	for _, k := range c.dropped {
		if _, err := c.tx.ExecContext(ctx, "DELETE FROM source WHERE id=?", k.id); err != nil {
			return err
		}
	}
	return nil
}

// writeDead records dead passages: as bits of their segment, or as holes in a row of delta.
func (c *change) writeDead(ctx context.Context) error {
	for p, docs := range c.dead {
		if p.id == 0 {
			if err := c.writeDeadDelta(ctx, p, docs); err != nil {
				return err
			}
			continue
		}
		tombs := append(make([]byte, 0, p.docs/8+1), p.tombs...)
		tombs = append(tombs, make([]byte, p.docs/8+1-len(tombs))...)
		for _, doc := range docs {
			tombs[doc/8] |= 1 << (doc % 8)
		}
		if _, err := c.tx.ExecContext(ctx, "UPDATE segment SET tombs=?, version=version+1 WHERE id=?", format.Seal(slices.Clone(tombs)), p.id); err != nil {
			return err
		}
	}
	return nil
}

// writeDeadDelta rewrites the delta rows that hold dead passages.
func (c *change) writeDeadDelta(ctx context.Context, p *part, docs []uint32) error {
	gone := map[int64]map[int]bool{}
	for _, doc := range docs {
		row := p.batches[p.batchIndex(int(doc))]
		if gone[row.id] == nil {
			gone[row.id] = map[int]bool{}
		}
		gone[row.id][int(doc)-row.first] = true
	}
	for id, holes := range gone {
		b, err := readBatch(ctx, c.tx, id)
		if err != nil {
			return err
		}
		if _, err := c.tx.ExecContext(ctx, "UPDATE delta SET data=? WHERE id=?", b.Erased(holes).EncodeDelta(), id); err != nil {
			return err
		}
	}
	return nil
}

func readBatch(ctx context.Context, q tables.Queryer, id int64) (*format.Builder, error) {
	data, err := tables.Blob(ctx, q, "SELECT data FROM delta WHERE id=?", id)
	if err != nil {
		return nil, err
	}
	return format.DecodeDelta(data)
}

// batchIndex returns the index of the delta row that holds a passage.
func (p *part) batchIndex(doc int) int {
	i, found := slices.BinarySearchFunc(p.batches, doc, func(b batch, doc int) int { return cmp.Compare(b.first, doc) })
	if !found {
		i--
	}
	return i
}

// writePassages writes passages: a few to the delta, many as a segment.
func (c *change) writePassages(ctx context.Context) error {
	if len(c.bulk.Docs) == 0 {
		return nil
	}
	if len(c.bulk.Docs) >= c.e.limits.DeltaDocs {
		c.rebuilt = true
		return writeSegment(ctx, c.tx, c.bulk)
	}
	res, err := c.tx.ExecContext(ctx, "INSERT INTO delta(data) VALUES(?)", c.bulk.EncodeDelta())
	if err != nil {
		return err
	}
	c.batch, err = res.LastInsertId()
	return err
}

// count writes the counters.
func (c *change) count(ctx context.Context) error {
	n := tables.Counts{Change: c.now, NextSource: c.next, NextPassage: c.number, Synced: c.synced, Removed: c.removes()}
	if c.batch != 0 {
		n.Marks = tables.DeltaMark(c.batch)
	}
	return tables.Count(ctx, c.tx, n)
}

// removes reports whether the change removes anything.
func (c *change) removes() bool {
	return c.rebuilt || c.erase || len(c.dead) > 0 || len(c.dropped) > 0
}

// dropVectors deletes the vectors of dead passages. A passage that only moved keeps its
// number and its vector.
func (c *change) dropVectors(ctx context.Context) error {
	kept := map[uint32]bool{}
	for i := range c.bulk.Docs {
		kept[c.bulk.Docs[i].Number] = true
	}
	var numbers []uint32
	for p, docs := range c.dead {
		for _, doc := range docs {
			if at := p.positions[doc]; at != noPosition && !kept[c.v.lay.numbers[at]] {
				numbers = append(numbers, c.v.lay.numbers[at])
			}
		}
	}
	return vectors.Drop(ctx, c.tx, numbers)
}

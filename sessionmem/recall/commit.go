package recall

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"slices"
	"time"
)

// writer brings an index file up to date. The caller holds the writers' lock.
type writer struct {
	x      *Index
	e      *engine
	report *Report

	bulk   *builder
	fresh  map[string]*known // sources that are new, by their keys
	done   []*harvest        // whole sources, their documents are in bulk or written
	gone   []string          // keys of sources that are gone
	errs   []error
	next   int64  // the next source
	number uint32 // the next document
	synced time.Time
	failed bool // a change could not be written: what was taken may have been changed by that
}

func newWriter(ctx context.Context, x *Index, e *engine, report *Report) (*writer, error) {
	w := &writer{x: x, e: e, report: report, bulk: newBuilder(), fresh: map[string]*known{}}
	next, number, err := metaPair(ctx, e.db, metaSource, metaNumber)
	w.next, w.number = next, uint32(number) //nolint:gosec // written from 32 bits
	return w, err
}

// take adds what was read of a source. A file that can't be read is left as it was
// indexed, and is no reason to leave the others.
func (w *writer) take(ctx context.Context, h *harvest) error {
	if h.err != nil {
		if !errors.Is(h.err, fs.ErrNotExist) {
			w.errs = append(w.errs, h.err)
		}
		return nil
	}
	id := w.idOf(h)
	for i := range h.b.docs {
		d := &h.b.docs[i]
		if d.source = id; d.number == 0 {
			d.number = w.number
			w.number++
		}
	}
	w.bulk.addAll(h.b)
	w.report.Added += len(h.b.docs)
	h.b = nil
	if h.last {
		w.done = append(w.done, h)
		w.report.Changed++
		w.report.Refused += h.refused
	}
	if len(w.bulk.docs) >= w.x.limits.bulkDocs || len(w.bulk.terms) >= w.x.limits.bulkTerms {
		return w.flush(ctx)
	}
	return nil
}

// idOf is the id of a harvest's source; a new one gets one.
func (w *writer) idOf(h *harvest) int64 {
	if h.known != nil {
		return h.known.id
	}
	k := w.fresh[h.source.key]
	if k == nil {
		k = &known{source: h.source, id: w.next}
		w.fresh[h.source.key] = k
		w.next++
	}
	return k.id
}

// flush writes all that was taken, as one change.
func (w *writer) flush(ctx context.Context) error {
	if len(w.bulk.docs) == 0 && len(w.done) == 0 && len(w.gone) == 0 && w.synced.IsZero() {
		return nil
	}
	c, err := w.write(ctx)
	if errors.Is(err, errChanged) { // the view is not the newest: it is rarely looked at before
		if err = w.e.snapshot(ctx, func(queryer, *view) error { return nil }); err == nil {
			c, err = w.write(ctx)
		}
	}
	if err != nil {
		return err
	}
	w.report.Removed += c.removed
	w.e.apply(c)
	w.bulk, w.done, w.gone, w.synced = newBuilder(), nil, nil, time.Time{}
	return nil
}

// write writes the change; errChanged where the view is missing, or not the newest.
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
	v       *view // only this goroutine changes it
	tx      *sql.Tx
	was     int64              // metaChange before it
	now     int64              // and after
	dead    map[*part][]uint32 // documents that are gone
	removed int
	added   []*known // sources that are new
	states  map[int64]sourceState
	dropped []*known
	batch   int64              // row of delta that was added; 0: a segment, or nothing
	rebuilt bool               // segments changed
	touched []*known           // sources that lose a part: they are compared with their files again
	erase   bool               // what is dead goes physically
	purged  map[*part][]string // segments that were rewritten, with their first terms
}

// write writes the change, or nothing of it.
func (c *change) write(ctx context.Context) (err error) {
	if c.tx, err = c.e.db.BeginTx(ctx, nil); err != nil {
		return explain(err)
	}
	defer c.tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	if c.was, _, err = counters(ctx, c.tx); err != nil {
		return err
	}
	if c.was != c.v.change {
		return errChanged
	}
	c.now = c.was + 1
	c.findDead()
	steps := []func(context.Context) error{c.writeSources, c.bury, c.buryVectors, c.writeDocuments, c.count}
	if c.erase {
		steps = append(steps, c.purge)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return explain(err)
		}
	}
	return explain(c.tx.Commit())
}

// findDead finds the documents that others take the place of, those that their sources
// don't hold any more, and those of sources that are gone.
func (c *change) findDead() {
	for i := range c.bulk.docs {
		d := &c.bulk.docs[i]
		c.kill(strandKey{d.source, d.strand}, d.seq)
	}
	for _, h := range c.done {
		if h.known == nil {
			continue
		}
		for _, key := range h.dead {
			c.kill(strandKey{h.known.id, uint8(key.strand)}, uint32(key.seq)) //nolint:gosec // small
		}
	}
	for _, key := range c.gone {
		k := c.v.byKey[key]
		if k == nil {
			continue
		}
		c.dropped = append(c.dropped, k)
		_ = c.v.eachOf(k, func(_ uint32, strand, seq int) error { // gives no error
			c.kill(strandKey{k.id, uint8(strand)}, uint32(seq)) //nolint:gosec // small
			return nil
		})
	}
}

// kill notes that the document at a place is gone, if there is one.
func (c *change) kill(key strandKey, seq uint32) {
	s := c.v.lay.strands[key]
	if s == nil || seq >= s.size {
		return
	}
	if r := c.v.lay.refs[s.base+seq]; !r.none() {
		p := c.v.parts[r.part-1]
		c.dead[p] = append(c.dead[p], r.doc)
		c.removed++
	}
}

// writeSources writes the rows of sources. One that is read in pieces counts as changed
// until the last of them.
func (c *change) writeSources(ctx context.Context) error {
	c.states = map[int64]sourceState{}
	for _, k := range c.fresh {
		if c.v.byID[k.id] == nil {
			c.states[k.id] = sourceState{}
			c.added = append(c.added, k)
		}
	}
	for _, h := range c.done {
		c.states[c.idOf(h)] = h.state
	}
	for _, k := range c.touched {
		c.states[k.id] = k.state.doubtful()
	}
	for _, k := range c.added {
		k.state = c.states[k.id]
		if _, err := c.tx.ExecContext(ctx, "INSERT INTO source(id, key, session, origin, changed, state) VALUES(?,?,?,?,?,?)",
			k.id, k.key, k.session, k.from, c.now, k.state.encode(&k.source)); err != nil {
			return err
		}
		delete(c.states, k.id)
	}
	for id, state := range c.states {
		if _, err := c.tx.ExecContext(ctx, "UPDATE source SET state=?, changed=? WHERE id=?", state.encode(&c.v.byID[id].source), c.now, id); err != nil {
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

// bury writes which documents are gone: as bits of their segment, or as holes of a row
// of delta.
func (c *change) bury(ctx context.Context) error {
	for p, docs := range c.dead {
		if p.id == 0 {
			if err := c.buryDelta(ctx, p, docs); err != nil {
				return err
			}
			continue
		}
		tombs := append(make([]byte, 0, p.docs/8+1), p.tombs...)
		tombs = append(tombs, make([]byte, p.docs/8+1-len(tombs))...)
		for _, doc := range docs {
			tombs[doc/8] |= 1 << (doc % 8)
		}
		if _, err := c.tx.ExecContext(ctx, "UPDATE segment SET tombs=?, version=version+1 WHERE id=?", sealed(slices.Clone(tombs)), p.id); err != nil {
			return err
		}
	}
	return nil
}

// buryDelta writes the rows anew that hold documents which are gone.
func (c *change) buryDelta(ctx context.Context, p *part, docs []uint32) error {
	gone := map[int64]map[int]bool{}
	for _, doc := range docs {
		row := p.batches[p.batchOf(int(doc))]
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
		if _, err := c.tx.ExecContext(ctx, "UPDATE delta SET data=? WHERE id=?", b.erased(holes).encodeDelta(), id); err != nil {
			return err
		}
	}
	return nil
}

func readBatch(ctx context.Context, q queryer, id int64) (*builder, error) {
	var data []byte
	if err := q.QueryRowContext(ctx, "SELECT data FROM delta WHERE id=?", id).Scan(&data); err != nil {
		return nil, explain(err)
	}
	b := newBuilder()
	return b, b.decodeDelta(data)
}

// batchOf finds the row of delta that holds a document.
func (p *part) batchOf(doc int) int {
	i, found := slices.BinarySearchFunc(p.batches, doc, func(b batch, doc int) int { return cmp.Compare(b.first, doc) })
	if !found {
		i--
	}
	return i
}

// writeDocuments writes the documents: few into the delta, many as a segment.
func (c *change) writeDocuments(ctx context.Context) error {
	if len(c.bulk.docs) == 0 {
		return nil
	}
	if len(c.bulk.docs) >= c.x.limits.deltaDocs {
		c.rebuilt = true
		return writeSegment(ctx, c.tx, c.bulk)
	}
	res, err := c.tx.ExecContext(ctx, "INSERT INTO delta(data) VALUES(?)", c.bulk.encodeDelta())
	if err != nil {
		return err
	}
	c.batch, err = res.LastInsertId()
	return err
}

// count writes the counters.
func (c *change) count(ctx context.Context) error {
	var synced, removal any // nil: as it was
	marks := int64(0)
	if c.batch != 0 {
		marks = deltaMark(c.batch)
	}
	if !c.synced.IsZero() {
		synced = c.synced.Unix()
	}
	if c.rebuilt || c.erase || len(c.dead) > 0 || len(c.dropped) > 0 {
		removal = c.now
	}
	_, err := c.tx.ExecContext(ctx, setCounters, c.now, c.next, int64(c.number), synced, removal, marks)
	return err
}

const setCounters = "UPDATE meta SET value=coalesce(CASE key WHEN '" + metaChange + "' THEN ?1 WHEN '" + metaSource + "' THEN ?2 WHEN '" + metaNumber + "' THEN ?3 WHEN '" +
	metaSynced + "' THEN ?4 WHEN '" + metaRemoval + "' THEN ?5 ELSE value+?6 END, value) WHERE key IN ('" +
	metaChange + "','" + metaSource + "','" + metaNumber + "','" + metaSynced + "','" + metaRemoval + "','" + metaRows + "')"

// apply makes a change known that was written. Where segments changed, all is read
// anew when it is needed.
func (e *engine) apply(c *change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.view == nil || e.view.change != c.was {
		return // somebody has read it from the file already
	}
	if c.rebuilt {
		e.view = nil
		return
	}
	if err := e.view.apply(c); err != nil {
		e.view = nil // the file tells
	}
}

func (v *view) apply(c *change) error {
	for p, docs := range c.dead {
		for _, doc := range docs {
			if at := p.positions[doc]; at != nowhere {
				v.hide(at)
			}
		}
	}
	for _, k := range c.dropped {
		v.dropSource(k)
	}
	for _, k := range c.added {
		v.addSource(k)
	}
	for id, state := range c.states {
		if k := v.byID[id]; k != nil {
			k.state = state
		}
	}
	if c.batch != 0 {
		if err := v.addBatch(c.batch, c.bulk); err != nil {
			return err
		}
	}
	for p, docs := range c.dead { // for the next change: it writes all of them
		p.entomb(docs)
	}
	for p, firsts := range c.purged {
		p.firsts, p.tombs = firsts, nil
	}
	if len(c.purged) > 0 {
		v.cache.clear()
	}
	v.change = c.now
	if c.erase || len(c.dead) > 0 || len(c.dropped) > 0 {
		v.removal = c.now
	}
	return nil
}

func (p *part) entomb(docs []uint32) {
	if p.id == 0 {
		return
	}
	if missing := p.docs/8 + 1 - len(p.tombs); missing > 0 {
		p.tombs = append(p.tombs, make([]byte, missing)...)
	}
	for _, doc := range docs {
		p.tombs[doc/8] |= 1 << (doc % 8)
	}
}

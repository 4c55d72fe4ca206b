package engine

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"
)

// tidy does one step of merging, if one is due. It reports whether it did.
func (e *Engine) tidy(ctx context.Context) (bool, error) {
	if err := e.snapshot(ctx, func(queryer, *view) error { return nil }); err != nil {
		return false, err
	}
	v := e.current()
	if d := v.parts[0]; len(d.batches) >= e.limits.DeltaRows || d.docs >= e.limits.DeltaGrown {
		return true, e.flushDelta(ctx, v)
	}
	parts := v.due(e.limits)
	if len(parts) == 0 {
		return false, nil
	}
	return true, e.merge(ctx, v, parts)
}

// Tidy merges until nothing is due. The caller holds the writers' lock.
func (e *Engine) Tidy(ctx context.Context) error {
	for {
		if did, err := e.tidy(ctx); !did || err != nil {
			return err
		}
	}
}

// due chooses the segments to merge; none where all is well.
func (v *view) due(l Limits) []*part {
	for _, p := range v.parts[1:] {
		if dead := p.docs - p.live; dead > 0 && dead*l.DeadShare >= p.docs {
			return []*part{p}
		}
	}
	parts := slices.Clone(v.parts[1:])
	slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(a.live, b.live) })
	for i := 0; i+1 < len(parts); i++ {
		size, n := 0, 0
		for _, p := range parts[i:] {
			if p.live > l.FanIn*max(parts[i].live, l.Smallest) || size+p.live > l.Segment {
				break
			}
			size, n = size+p.live, n+1
		}
		if n >= l.FanIn {
			return parts[i : i+n]
		}
	}
	return nil
}

// rewrite is a change of the index's form alone: what it holds stays.
func (e *Engine) rewrite(ctx context.Context, v *view, write func(tx *sql.Tx) error) error {
	tx, err := e.db.BeginTx(ctx, nil)
	if err != nil {
		return explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	change, _, err := counters(ctx, tx)
	if err != nil {
		return err
	}
	if change != v.change {
		return errChanged
	}
	if err := write(tx); err != nil {
		return explain(err)
	}
	for _, key := range []string{metaChange, metaRemoval} {
		if _, err := tx.ExecContext(ctx, "UPDATE meta SET value=? WHERE key=?", change+1, key); err != nil {
			return explain(err)
		}
	}
	if err := tx.Commit(); err != nil {
		return explain(err)
	}
	e.forget()
	return nil
}

// flushDelta makes a segment of the delta.
func (e *Engine) flushDelta(ctx context.Context, v *view) error {
	return e.rewrite(ctx, v, func(tx *sql.Tx) error {
		all, marks := newBuilder(), int64(0)
		for _, row := range v.parts[0].batches {
			marks += deltaMark(row.id)
			b, err := readBatch(ctx, tx, row.id)
			if err != nil {
				return err
			}
			for doc := range b.docs {
				if b.docs[doc].source != 0 { // no hole
					all.copy(b, doc)
				}
			}
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM delta"); err != nil {
			return err
		}
		if err := countRows(ctx, tx, -marks); err != nil {
			return err
		}
		if len(all.docs) == 0 {
			return nil
		}
		return writeSegment(ctx, tx, all)
	})
}

// merge makes one segment of several, without what is dead in them.
func (e *Engine) merge(ctx context.Context, v *view, parts []*part) error {
	begun := time.Now()
	err := e.rewrite(ctx, v, func(tx *sql.Tx) error {
		m := &merger{tx: tx, v: v, parts: parts}
		if err := m.passages(ctx); err != nil {
			return err
		}
		if len(m.docs) > 0 {
			if err := writeLists(ctx, tx, m.docs, func(add func(string, []posting) error) error { return m.eachTerm(ctx, add) }); err != nil {
				return err
			}
		}
		for _, p := range parts {
			if err := dropSegment(ctx, tx, p.id); err != nil {
				return err
			}
		}
		return nil
	})
	e.logger.Debug("merged segments of the search index", "segments", len(parts), "took", time.Since(begun), "err", err)
	return err
}

// merger reads segments to write them as one.
type merger struct {
	tx    *sql.Tx
	v     *view
	parts []*part
	docs  []Passage
	place [][]uint32 // of each segment's passages among docs; nowhere for the dead
}

// passages reads the living passages of the segments, in the order of the new one.
func (m *merger) passages(ctx context.Context) error {
	type from struct {
		part int
		doc  uint32
	}
	var all []Passage
	var origins []from
	for i, p := range m.parts {
		docs, err := m.read(ctx, p)
		if err != nil {
			return err
		}
		m.place = append(m.place, make([]uint32, p.docs))
		for doc := range docs {
			m.place[i][doc] = nowhere
			if p.positions[doc] != nowhere {
				all = append(all, docs[doc])
				origins = append(origins, from{i, uint32(doc)}) //nolint:gosec // a segment is small
			}
		}
	}
	order := (&builder{docs: all}).inOrder()
	m.docs = make([]Passage, len(order))
	for to, at := range order {
		m.docs[to] = all[at]
		o := origins[at]
		m.place[o.part][o.doc] = uint32(to) //nolint:gosec // a segment is small
	}
	return nil
}

// read reads all passages of a segment whole.
func (m *merger) read(ctx context.Context, p *part) ([]Passage, error) {
	var blob []byte
	if err := m.tx.QueryRowContext(ctx, "SELECT heads FROM segment WHERE id=?", p.id).Scan(&blob); err != nil {
		return nil, err
	}
	docs, err := decodeHeads(blob, p.docs)
	if err != nil {
		return nil, err
	}
	f := newFetcher(m.tx, m.v)
	for doc := range docs {
		if p.positions[doc] == nowhere {
			continue
		}
		d, err := f.detail(ctx, p, uint32(doc)) //nolint:gosec // a segment is small
		if err != nil {
			return nil, err
		}
		if doc%detailBlock == detailBlock-1 {
			clear(f.rows)
		}
		docs[doc].setDetail(&d)
	}
	return docs, nil
}

// setDetail takes the details of a passage over.
func (d *Passage) setDetail(from *Passage) {
	d.Block, d.Part, d.Turn, d.Agent = from.Block, from.Part, from.Turn, from.Agent
	d.File, d.Offset, d.Size, d.Bare, d.Hash = from.File, from.Offset, from.Size, from.Bare, from.Hash
}

// eachTerm gives the terms of all segments in order, with their postings in the new one.
func (m *merger) eachTerm(ctx context.Context, each func(term string, postings []posting) error) error {
	cursors := make([]*cursor, len(m.parts))
	for i, p := range m.parts {
		cursors[i] = &cursor{m: m, part: p}
		if err := cursors[i].next(ctx); err != nil {
			return err
		}
	}
	var list []posting
	for {
		term, ok := "", false
		for _, c := range cursors {
			if !c.done && (!ok || c.term() < term) {
				term, ok = c.term(), true
			}
		}
		if !ok {
			return nil
		}
		list = list[:0]
		for i, c := range cursors {
			if c.done || c.term() != term {
				continue
			}
			for _, p := range c.list() {
				if int(p.doc) < len(m.place[i]) && m.place[i][p.doc] != nowhere {
					list = append(list, posting{m.place[i][p.doc], p.n})
				}
			}
			if err := c.next(ctx); err != nil {
				return err
			}
		}
		slices.SortFunc(list, func(a, b posting) int { return cmp.Compare(a.doc, b.doc) })
		if err := each(term, list); err != nil {
			return err
		}
	}
}

// cursor goes through the dictionary of a segment.
type cursor struct {
	m     *merger
	part  *part
	block int // the next one
	terms []string
	lists [][]posting
	at    int
	done  bool
}

func (c *cursor) term() string    { return c.terms[c.at] }
func (c *cursor) list() []posting { return c.lists[c.at] }

// next goes to the next term.
func (c *cursor) next(ctx context.Context) error {
	c.at++
	for c.at >= len(c.terms) {
		if c.block >= len(c.part.firsts) {
			c.done = true
			return nil
		}
		var blob []byte
		if err := c.m.tx.QueryRowContext(ctx, "SELECT data FROM dict WHERE id=?", c.part.id<<rowBits|int64(c.block)).Scan(&blob); err != nil {
			return err
		}
		c.block, c.at, c.terms, c.lists = c.block+1, 0, c.terms[:0], c.lists[:0]
		err := eachTerm(blob, func(term string, postings []posting) error {
			c.terms = append(c.terms, term)
			c.lists = append(c.lists, slices.Clone(postings))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

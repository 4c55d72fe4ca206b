package engine

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

// tidy does one merge step if one is due, and reports whether it did.
func (e *Engine) tidy(ctx context.Context) (bool, error) {
	if err := e.snapshot(ctx, func(tables.Queryer, *view) error { return nil }); err != nil {
		return false, err
	}
	v := e.current()
	if d := v.parts[0]; len(d.batches) >= e.limits.DeltaRows || d.docs >= e.limits.DeltaGrown {
		return true, e.flushDelta(ctx, v)
	}
	parts := v.dueMerges(e.limits)
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

// dueMerges returns the segments to merge next; none if no merge is due.
func (v *view) dueMerges(l Limits) []*part {
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

// rewrite changes only the form of the index and not its contents.
func (e *Engine) rewrite(ctx context.Context, v *view, write func(tx *sql.Tx) error) error {
	err := e.db.InTx(ctx, func(tx *sql.Tx) error {
		change, _, err := tables.Counters(ctx, tx)
		if err != nil {
			return err
		}
		if change != v.change {
			return errChanged
		}
		if err := write(tx); err != nil {
			return tables.Explain(err)
		}
		return tables.CountRewrite(ctx, tx, change+1)
	})
	if err == nil {
		e.forget()
	}
	return err
}

// flushDelta turns the delta into a segment.
func (e *Engine) flushDelta(ctx context.Context, v *view) error {
	return e.rewrite(ctx, v, func(tx *sql.Tx) error {
		all, marks := format.NewBuilder(), int64(0)
		for _, row := range v.parts[0].batches {
			marks += tables.DeltaMark(row.id)
			b, err := readBatch(ctx, tx, row.id)
			if err != nil {
				return err
			}
			for doc := range b.Docs {
				if !b.IsHole(doc) {
					all.Copy(b, doc)
				}
			}
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM delta"); err != nil {
			return err
		}
		if err := tables.CountRows(ctx, tx, -marks); err != nil {
			return err
		}
		if len(all.Docs) == 0 {
			return nil
		}
		return writeSegment(ctx, tx, all)
	})
}

// merge merges segments into one, without their dead passages.
func (e *Engine) merge(ctx context.Context, v *view, parts []*part) error {
	begun := time.Now()
	err := e.rewrite(ctx, v, func(tx *sql.Tx) error {
		m := &merger{tx: tx, v: v, parts: parts}
		if err := m.passages(ctx); err != nil {
			return err
		}
		if len(m.docs) > 0 {
			if err := writeLists(ctx, tx, m.docs, func(add func(string, []format.Posting) error) error { return m.eachTerm(ctx, add) }); err != nil {
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

// merger reads segments that are merged into one.
type merger struct {
	tx    *sql.Tx
	v     *view
	parts []*part
	docs  []format.Passage
	place [][]uint32 // per segment: indexes of its passages in docs; noPosition for the dead
}

// passages reads the live passages of the segments, in the order of the new one.
func (m *merger) passages(ctx context.Context) error {
	type from struct {
		part int
		doc  uint32
	}
	var all []format.Passage
	var origins []from
	for i, p := range m.parts {
		docs, err := m.read(ctx, p)
		if err != nil {
			return err
		}
		m.place = append(m.place, make([]uint32, p.docs))
		for doc := range docs {
			m.place[i][doc] = noPosition
			if p.positions[doc] != noPosition {
				all = append(all, docs[doc])
				origins = append(origins, from{i, uint32(doc)}) //nolint:gosec // a segment is small
			}
		}
	}
	order := format.InOrder(all)
	m.docs = make([]format.Passage, len(order))
	for to, at := range order {
		m.docs[to] = all[at]
		o := origins[at]
		m.place[o.part][o.doc] = uint32(to) //nolint:gosec // a segment is small
	}
	return nil
}

// read reads all passages of a segment in full.
func (m *merger) read(ctx context.Context, p *part) ([]format.Passage, error) {
	blob, err := tables.Blob(ctx, m.tx, "SELECT heads FROM segment WHERE id=?", p.id)
	if err != nil {
		return nil, err
	}
	docs, err := format.DecodeHeads(blob, p.docs)
	if err != nil {
		return nil, err
	}
	f := newFetcher(m.tx, m.v)
	for doc := range docs {
		if p.positions[doc] == noPosition {
			continue
		}
		d, err := f.detail(ctx, p, uint32(doc)) //nolint:gosec // a segment is small
		if err != nil {
			return nil, err
		}
		if doc%format.DetailBlock == format.DetailBlock-1 {
			clear(f.rows)
		}
		docs[doc].SetDetail(&d)
	}
	return docs, nil
}

// eachTerm calls each for the terms of all segments in order, with their new postings.
func (m *merger) eachTerm(ctx context.Context, each func(term string, postings []format.Posting) error) error {
	cursors := make([]*cursor, len(m.parts))
	for i, p := range m.parts {
		cursors[i] = &cursor{m: m, part: p}
		if err := cursors[i].next(ctx); err != nil {
			return err
		}
	}
	var list []format.Posting
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
				if int(p.Doc) < len(m.place[i]) && m.place[i][p.Doc] != noPosition {
					list = append(list, format.Posting{Doc: m.place[i][p.Doc], N: p.N})
				}
			}
			if err := c.next(ctx); err != nil {
				return err
			}
		}
		slices.SortFunc(list, func(a, b format.Posting) int { return cmp.Compare(a.Doc, b.Doc) })
		if err := each(term, list); err != nil {
			return err
		}
	}
}

// cursor iterates over the dictionary of a segment.
type cursor struct {
	m     *merger
	part  *part
	block int // the next one
	terms []string
	lists [][]format.Posting
	at    int
	done  bool
}

func (c *cursor) term() string           { return c.terms[c.at] }
func (c *cursor) list() []format.Posting { return c.lists[c.at] }

// next advances to the next term.
func (c *cursor) next(ctx context.Context) error {
	c.at++
	for c.at >= len(c.terms) {
		if c.block >= len(c.part.firsts) {
			c.done = true
			return nil
		}
		blob, err := tables.Blob(ctx, c.m.tx, "SELECT data FROM dict WHERE id=?", c.part.id<<tables.RowBits|int64(c.block))
		if err != nil {
			return err
		}
		c.block, c.at, c.terms, c.lists = c.block+1, 0, c.terms[:0], c.lists[:0]
		err = format.EachTerm(blob, func(term string, postings []format.Posting) error {
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

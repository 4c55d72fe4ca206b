package engine

import (
	"cmp"
	"context"
	"slices"
)

// purge rewrites the segments that hold dead passages, without them.
func (c *change) purge(ctx context.Context) error {
	c.purged = map[*part][]string{}
	for _, p := range c.v.parts[1:] {
		gone := make([]bool, p.docs)
		any := false
		for doc := range gone {
			gone[doc] = p.buried(doc)
			any = any || gone[doc]
		}
		for _, doc := range c.dead[p] {
			gone[doc], any = true, true
		}
		if !any {
			continue
		}
		if err := c.purgeSegment(ctx, p, gone); err != nil {
			return err
		}
	}
	return nil
}

// purgeSegment takes dead passages out of all rows of a segment.
func (c *change) purgeSegment(ctx context.Context, p *part, gone []bool) error {
	firsts, err := c.purgeDict(ctx, p, gone)
	if err != nil {
		return err
	}
	for from := 0; from < p.docs; from += detailBlock {
		if err := c.purgeDetails(ctx, p, from, gone[from:min(from+detailBlock, p.docs)]); err != nil {
			return err
		}
	}
	var blob []byte
	if err := c.tx.QueryRowContext(ctx, "SELECT heads FROM segment WHERE id=?", p.id).Scan(&blob); err != nil {
		return err
	}
	docs, err := decodeHeads(blob, p.docs)
	if err != nil {
		return err
	}
	for doc := range docs {
		if gone[doc] {
			docs[doc] = Passage{}
		}
	}
	c.purged[p] = firsts
	_, err = c.tx.ExecContext(ctx, "UPDATE segment SET heads=?, firsts=?, tombs=?, version=version+1 WHERE id=?",
		sealed(appendHeads(nil, docs)), encodeFirsts(firsts), sealed(nil), p.id)
	return err
}

// afterAll is behind every term.
const afterAll = "\xff"

// purgeDict takes dead passages out of the postings; a term that stands in no other
// goes with them. It gives the first terms of the blocks: one that is empty begins where
// the next one does.
func (c *change) purgeDict(ctx context.Context, p *part, gone []bool) ([]string, error) {
	firsts := slices.Clone(p.firsts)
	ids := make([]int64, len(firsts))
	for n := range ids {
		ids[n] = p.id<<rowBits | int64(n)
	}
	blobs, err := readRows(ctx, c.tx, "dict", ids)
	if err != nil {
		return nil, err
	}
	next, all := afterAll, newDead(gone)
	for n := len(firsts) - 1; n >= 0; n-- {
		id := p.id<<rowBits | int64(n)
		holds, err := holdsAny(blobs[id], all)
		if err != nil {
			return nil, err
		}
		if holds {
			block, first, err := purgeBlock(blobs[id], all)
			if err != nil {
				return nil, err
			}
			if firsts[n] = first; first == "" {
				firsts[n] = next
			}
			if _, err := c.tx.ExecContext(ctx, "UPDATE dict SET data=? WHERE id=?", block, id); err != nil {
				return nil, err
			}
		}
		next = firsts[n]
	}
	return firsts, nil
}

// holdsAny says whether a block of the dictionary holds dead passages. Most don't, and
// that is seen without taking their terms apart.
func holdsAny(blob []byte, gone dead) (holds bool, err error) {
	data, err := unseal(blob)
	if err != nil {
		return false, err
	}
	r := newBlockReader(data)
	for e := (entry{}); !holds && r.next(&e); {
		holds = gone.in(e.postings(r.width))
	}
	return holds, r.err()
}

// dead are the passages of a segment that are gone.
type dead struct {
	docs        []bool
	first, last uint32
}

// newDead needs one that is gone at least.
func newDead(docs []bool) dead {
	d := dead{docs: docs, first: uint32(slices.Index(docs, true)), last: uint32(len(docs) - 1)} //nolint:gosec // a segment is small
	for !docs[d.last] {
		d.last--
	}
	return d
}

func (d *dead) has(p posting) bool { return int(p.doc) < len(d.docs) && d.docs[p.doc] }

// in says whether a list holds dead passages; of one that is damaged it says so.
func (d *dead) in(list listReader) bool {
	var some [listBatch]posting
	for batch := list.read(some[:]); len(batch) > 0 && batch[0].doc <= d.last; batch = list.read(some[:]) {
		if batch[len(batch)-1].doc < d.first {
			continue
		}
		for _, p := range batch {
			if d.has(p) {
				return true
			}
		}
	}
	return list.bad
}

// purgeBlock gives a block of the dictionary without dead passages, and its first term.
// The lists that hold none are taken over as they are.
func purgeBlock(blob []byte, gone dead) (block []byte, first string, err error) {
	data, err := unseal(blob)
	if err != nil {
		return nil, "", err
	}
	block = sealed(nil)
	w := dictWriter{docs: len(gone.docs), whole: true, emit: func(term string, data []byte) error {
		first, block = term, data
		return nil
	}}
	r := newBlockReader(data)
	var term []byte
	for e := (entry{}); r.next(&e); {
		if e.shared > len(term) {
			return nil, "", ErrDamaged
		}
		term = append(term[:e.shared], e.rest...)
		list := e.postings(r.width)
		if !gone.in(list) {
			w.take(string(term), e.tail)
			continue
		}
		postings, err := list.all(nil)
		if err == nil {
			err = w.add(string(term), slices.DeleteFunc(postings, gone.has))
		}
		if err != nil {
			return nil, "", err
		}
	}
	if err := cmp.Or(r.err(), w.flush()); err != nil {
		return nil, "", err
	}
	return block, first, nil
}

// purgeDetails makes holes of dead passages in a row of details.
func (c *change) purgeDetails(ctx context.Context, p *part, from int, gone []bool) error {
	if !slices.Contains(gone, true) {
		return nil
	}
	id := p.id<<rowBits | int64(from/detailBlock)
	var blob []byte
	if err := c.tx.QueryRowContext(ctx, "SELECT data FROM detail WHERE id=?", id).Scan(&blob); err != nil {
		return err
	}
	data, err := unseal(blob)
	if err != nil {
		return err
	}
	docs := make([]Passage, len(gone))
	if err := readDetails(data, docs); err != nil {
		return err
	}
	for i := range docs {
		docs[i].source = 1 // no hole
		if gone[i] || docs[i].Size == 0 && docs[i].Block == "" {
			docs[i] = Passage{}
		}
	}
	_, err = c.tx.ExecContext(ctx, "UPDATE detail SET data=? WHERE id=?", sealed(appendDetails(nil, docs)), id)
	return err
}

// decodeHeads reads the heads of all passages of a segment, holes too.
func decodeHeads(blob []byte, n int) ([]Passage, error) {
	data, err := unseal(blob)
	if err != nil {
		return nil, err
	}
	docs := make([]Passage, n)
	got, err := eachHead(data, func(i int, d *Passage) {
		if i < n {
			docs[i] = *d
		}
	})
	if err == nil && got != n {
		err = ErrDamaged
	}
	return docs, err
}

package engine

import (
	"context"
	"slices"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

// purge rewrites the segments with dead passages, without them.
func (c *change) purge(ctx context.Context) error {
	c.purged = map[*part][]string{}
	for _, p := range c.v.parts[1:] {
		gone := make([]bool, p.docs)
		any := false
		for doc := range gone {
			gone[doc] = p.isDead(doc)
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

// purgeSegment removes dead passages from all rows of a segment.
func (c *change) purgeSegment(ctx context.Context, p *part, gone []bool) error {
	firsts, err := c.purgeDict(ctx, p, gone)
	if err != nil {
		return err
	}
	for from := 0; from < p.docs; from += format.DetailBlock {
		if err := c.purgeDetails(ctx, p, from, gone[from:min(from+format.DetailBlock, p.docs)]); err != nil {
			return err
		}
	}
	blob, err := tables.Blob(ctx, c.tx, "SELECT heads FROM segment WHERE id=?", p.id)
	if err != nil {
		return err
	}
	heads, err := format.PurgeHeads(blob, gone)
	if err != nil {
		return err
	}
	c.purged[p] = firsts
	_, err = c.tx.ExecContext(ctx, "UPDATE segment SET heads=?, firsts=?, tombs=?, version=version+1 WHERE id=?",
		heads, format.EncodeFirsts(firsts), format.Seal(nil), p.id)
	return err
}

// afterAll sorts after every term.
const afterAll = "\xff"

// purgeDict removes dead passages from the postings, and terms that occur in no other. It
// returns the first terms of the blocks: an empty block begins with the first term of the
// next one.
func (c *change) purgeDict(ctx context.Context, p *part, gone []bool) ([]string, error) {
	firsts := slices.Clone(p.firsts)
	ids := make([]int64, len(firsts))
	for n := range ids {
		ids[n] = p.id<<tables.RowBits | int64(n)
	}
	blobs, err := tables.ReadRows(ctx, c.tx, "dict", ids)
	if err != nil {
		return nil, err
	}
	next, dead := afterAll, format.NewDead(gone)
	for n := len(firsts) - 1; n >= 0; n-- {
		id := p.id<<tables.RowBits | int64(n)
		block, first, err := dead.Purge(blobs[id])
		if err != nil {
			return nil, err
		}
		if block != nil {
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

// purgeDetails turns dead passages in a row of details into holes.
func (c *change) purgeDetails(ctx context.Context, p *part, from int, gone []bool) error {
	if !slices.Contains(gone, true) {
		return nil
	}
	id := p.id<<tables.RowBits | int64(from/format.DetailBlock)
	blob, err := tables.Blob(ctx, c.tx, "SELECT data FROM detail WHERE id=?", id)
	if err != nil {
		return err
	}
	row, err := format.PurgeDetails(blob, gone)
	if err != nil {
		return err
	}
	_, err = c.tx.ExecContext(ctx, "UPDATE detail SET data=? WHERE id=?", row, id)
	return err
}

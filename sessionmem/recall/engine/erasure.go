package engine

import (
	"context"
	"slices"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

// Erasure collects what is to be erased.
type Erasure struct{ c *change }

// Source adds a whole source.
func (r *Erasure) Source(k *Source) {
	if !slices.Contains(r.c.gone, k.Key) {
		r.c.gone = append(r.c.gone, k.Key)
	}
}

// Passage adds a passage of a source. The rest of the source counts as changed.
func (r *Erasure) Passage(k *Source, d *format.Passage) {
	if !slices.Contains(r.c.gone, k.Key) {
		r.c.kill(strandKey{k.id, d.Strand}, d.Seq)
		r.c.touched = append(r.c.touched, k)
	}
}

// Erase physically removes what choose selects and everything removed earlier: when it
// returns, and the log is empty, no byte of it is left in the file. The caller holds the
// writers' lock.
func (e *Engine) Erase(ctx context.Context, choose func(now *Snapshot, out *Erasure) error) error {
	if err := e.snapshot(ctx, func(tables.Queryer, *view) error { return nil }); err != nil {
		return err
	}
	w, err := e.NewWriter(ctx)
	if err != nil {
		return err
	}
	v := e.current()
	c := &change{writer: w, v: v, dead: map[*part][]uint32{}, erase: true}
	if err := choose(&Snapshot{e: e, q: e.db, v: v, fetch: newFetcher(e.db, v)}, &Erasure{c}); err != nil {
		return err
	}
	if err := c.write(ctx); err != nil {
		return err
	}
	e.apply(c)
	e.vectors.Forget()
	return nil
}

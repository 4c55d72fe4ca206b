package engine

import (
	"context"
	"errors"
	"io/fs"

	"mac-stats/sessionmem/recall/engine/tables"
	"mac-stats/sessionmem/recall/engine/vectors"
)

// A rebuilt index keeps the vectors of the old one, because making them again may take
// hours. A chunk keeps its vector if its ID and its text are the same.

// carryBatch is how many vectors are written at a time.
const carryBatch = 4 << 10

// CarryVectors copies the vectors of another index file. Those that can't be read are made
// again later. The caller holds the writers' lock.
func (e *Engine) CarryVectors(ctx context.Context, path string) error {
	from, err := Open(ctx, path, "", false, DefaultLimits(), e.logger)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			e.logger.Info("the vectors of the old search index are made anew", "err", err)
		}
		return nil
	}
	defer from.Close() //nolint:errcheck // read only
	numbers, err := sameChunks(ctx, from, e)
	if err != nil || len(numbers) == 0 {
		return err
	}
	byOld := map[uint32][]uint32{}
	for number, old := range numbers {
		byOld[old] = append(byOld[old], number)
	}
	return from.snapshot(ctx, func(q tables.Queryer, _ *view) error {
		c := carrier{to: e, numbers: byOld}
		if err := vectors.Each(ctx, q, func(m vectors.Model, some []vectors.Packed) error { return c.add(ctx, m, some) }); err != nil {
			return err
		}
		return c.flush(ctx)
	})
}

// chunkKey identifies a chunk within its source, in every index.
type chunkKey struct {
	block string
	part  int
	hash  uint32
}

// sameChunks maps the numbers of chunks to those of the same chunks in the old index.
func sameChunks(ctx context.Context, from, to *Engine) (map[uint32]uint32, error) {
	out := map[uint32]uint32{}
	err := to.snapshot(ctx, func(newer tables.Queryer, v *view) error {
		return from.snapshot(ctx, func(older tables.Queryer, was *view) error {
			for key, k := range v.byKey {
				old := was.byKey[key]
				if old == nil {
					continue
				}
				known := map[chunkKey]uint32{}
				if err := eachKey(ctx, older, was, old, func(c chunkKey, number uint32) { known[c] = number }); err != nil {
					return err
				}
				err := eachKey(ctx, newer, v, k, func(c chunkKey, number uint32) {
					if n, ok := known[c]; ok {
						out[number] = n
					}
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
	return out, err
}

func eachKey(ctx context.Context, q tables.Queryer, v *view, k *Source, each func(c chunkKey, number uint32)) error {
	f := newFetcher(q, v)
	return v.eachOf(k, func(at uint32, _, _ int) error {
		d, _, err := f.passage(ctx, at)
		if err == nil {
			each(chunkKey{d.Block, d.Part, d.Hash}, d.Number)
		}
		return err
	})
}

// carrier writes vectors to another index in batches.
type carrier struct {
	to      *Engine
	numbers map[uint32][]uint32 // new numbers of passages by old number
	model   vectors.Model
	batch   []vectors.Packed // of model
}

// add adds vectors of a model.
func (c *carrier) add(ctx context.Context, m vectors.Model, some []vectors.Packed) error {
	if c.model != m || len(c.batch) >= carryBatch {
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	c.model = m
	for _, v := range some {
		for _, number := range c.numbers[v.Number] {
			v.Number = number
			c.batch = append(c.batch, v)
		}
	}
	return nil
}

func (c *carrier) flush(ctx context.Context) error {
	if len(c.batch) == 0 {
		return nil
	}
	batch := c.batch
	c.batch = nil
	return c.to.writeVectors(ctx, c.model, batch)
}

package recall

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
)

// An index that is built anew takes the vectors of the old one over: to make them again
// may take hours. A chunk keeps its vector where its id and its text are the same.

// carryBatch is how many vectors are written at a time.
const carryBatch = 4 << 10

// carryVectors copies the vectors of the index that is in use into a new one. What can't
// be read is left out, and made again. The caller holds the writers' lock.
func (x *Index) carryVectors(ctx context.Context, to *engine) error {
	from, err := openForVectors(ctx, x.path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			x.logger.Info("the vectors of the old search index are made anew", "err", err)
		}
		return nil
	}
	defer from.close() //nolint:errcheck // it was only read
	numbers, err := sameChunks(ctx, from, to)
	if err != nil || len(numbers) == 0 {
		return err
	}
	return from.snapshot(ctx, func(q queryer, _ *view) error {
		models, err := allModels(ctx, q)
		if err != nil {
			return err
		}
		for _, m := range models {
			s := &vectorSet{model: m, pages: map[uint32]*vectorPage{}}
			if err := s.read(ctx, q, -1); err != nil {
				return err
			}
			if err := s.copyTo(ctx, to, numbers); err != nil {
				return err
			}
		}
		return nil
	})
}

// openForVectors opens an index file whose analysis may be of another version.
func openForVectors(ctx context.Context, path string) (*engine, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	pool, err := sql.Open("sqlite", dataSource(path))
	if err != nil {
		return nil, explain(err)
	}
	db := &database{path: path, file: file, DB: pool}
	var format int
	err = db.QueryRowContext(ctx, "SELECT value FROM meta WHERE key=?", metaFormat).Scan(&format)
	if err == nil && format != formatVersion {
		err = errOther
	}
	if err != nil {
		return nil, errors.Join(explain(err), db.Close())
	}
	return &engine{db: db}, nil
}

// chunkKey is what a chunk is known by within its source, in every index.
type chunkKey struct {
	block string
	part  int
	hash  uint32
}

// sameChunks gives the numbers in the old index of chunks in the new one.
func sameChunks(ctx context.Context, from, to *engine) (map[uint32]uint32, error) {
	out := map[uint32]uint32{}
	err := to.snapshot(ctx, func(newer queryer, v *view) error {
		return from.snapshot(ctx, func(older queryer, was *view) error {
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

func eachKey(ctx context.Context, q queryer, v *view, k *known, each func(c chunkKey, number uint32)) error {
	f := newFetcher(q, v)
	return v.eachOf(k, func(at uint32, _, _ int) error {
		d, _, err := f.document(ctx, at)
		if err == nil {
			each(chunkKey{d.block, d.part, d.hash}, d.number)
		}
		return err
	})
}

// copyTo writes the vectors into another index, by the numbers that the documents have
// there.
func (s *vectorSet) copyTo(ctx context.Context, to *engine, numbers map[uint32]uint32) error {
	var batch []newVector
	flush := func() error {
		tx, err := to.db.BeginTx(ctx, nil)
		if err != nil {
			return explain(err)
		}
		defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
		m, err := addModel(ctx, tx, s.model.EmbedModel)
		if err != nil {
			return err
		}
		if err := putVectors(ctx, tx, m, batch); err != nil {
			return err
		}
		batch = nil
		return explain(tx.Commit())
	}
	for _, number := range slices.Sorted(maps.Keys(numbers)) {
		p, i := s.find(numbers[number])
		if i < 0 {
			continue
		}
		batch = append(batch, newVector{number: number, scale: p.scales[i], data: p.vector(i)})
		if len(batch) == carryBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return flush()
}

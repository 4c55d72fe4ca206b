package vectors

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"mac-stats/sessionmem/recall/engine/tables"
)

// Packed is the vector of a passage in its stored form.
type Packed struct {
	Number uint32
	scale  float32
	data   []byte
}

// Put writes vectors of a model.
func Put(ctx context.Context, tx *sql.Tx, of Model, vectors []Packed) error {
	m, err := addModel(ctx, tx, of)
	if err != nil {
		return err
	}
	version, err := tables.CountVectorChange(ctx, tx)
	if err != nil {
		return err
	}
	slices.SortFunc(vectors, func(a, b Packed) int { return cmp.Compare(a.Number, b.Number) })
	for len(vectors) > 0 {
		page := vectors[0].Number >> pageBits
		n := 1
		for n < len(vectors) && vectors[n].Number>>pageBits == page {
			n++
		}
		err := changePage(ctx, tx, m, page, version, func(p *vectorPage) bool {
			for _, v := range vectors[:n] {
				p.put(byte(v.Number&(pageVectors-1)), v.scale, v.data)
			}
			return true
		})
		if err != nil {
			return err
		}
		vectors = vectors[n:]
	}
	return nil
}

// ErrForeign means that vectors have other dimensions than their model.
var ErrForeign = errors.New("the embedding server gave vectors of other dimensions than its model has")

// Pack returns a vector in its stored form.
func (m Model) Pack(number uint32, v []float32) (Packed, error) {
	if len(v) != m.Dims {
		return Packed{}, fmt.Errorf("%w: %d, not %d", ErrForeign, len(v), m.Dims)
	}
	scale, data, ok := quantize(v)
	if !ok { // a text without a direction gets a vector that is near nothing
		scale, data = 0, make([]byte, m.Dims)
	}
	return Packed{Number: number, scale: scale, data: data}, nil
}

// Drop deletes the vectors of passages, for all models.
func Drop(ctx context.Context, tx *sql.Tx, numbers []uint32) error {
	if len(numbers) == 0 {
		return nil
	}
	models, err := allModels(ctx, tx)
	if err != nil || len(models) == 0 {
		return err
	}
	version, err := tables.CountVectorChange(ctx, tx)
	if err != nil {
		return err
	}
	pages := map[uint32][]byte{}
	for _, n := range numbers {
		pages[n>>pageBits] = append(pages[n>>pageBits], byte(n&(pageVectors-1)))
	}
	for _, m := range models {
		for page, slots := range pages {
			err := changePage(ctx, tx, m, page, version, func(p *vectorPage) bool {
				removed := false
				for _, slot := range slots {
					removed = p.remove(slot) || removed
				}
				return removed
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Keep deletes the vectors of all models but one, if that one has vectors.
func Keep(ctx context.Context, tx *sql.Tx, of Model) error {
	m, err := findModel(ctx, tx, of)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM vector WHERE id < ? OR id >= ?", m.id<<modelShift, (m.id+1)<<modelShift); err != nil {
		return tables.Explain(err)
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM model WHERE id <> ?", m.id); err != nil {
		return tables.Explain(err)
	}
	_, err = tables.CountVectorChange(ctx, tx)
	return err
}

// changePage rewrites a page if change reports that it did change it.
func changePage(ctx context.Context, tx *sql.Tx, m vectorModel, page uint32, version int64, change func(*vectorPage) bool) error {
	id := m.id<<modelShift | int64(page)
	var blob []byte
	if err := tx.QueryRowContext(ctx, "SELECT data FROM vector WHERE id=?", id).Scan(&blob); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return tables.Explain(err)
	}
	p, err := decodeVectorPage(blob, m.Dims)
	if err != nil {
		return err
	}
	if !change(p) {
		return nil
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO vector(id, version, count, data) VALUES(?,?,?,?) ON CONFLICT(id) DO UPDATE SET version=excluded.version, count=excluded.count, data=excluded.data",
		id, version, len(p.slots), p.encode())
	return tables.Explain(err)
}

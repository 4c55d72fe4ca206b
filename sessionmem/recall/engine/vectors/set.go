package vectors

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/engine/tables"
)

// modelShift leaves room for the numbers of all pages.
const modelShift = 32

// Model names an embedding model. Vectors of different ones don't compare.
type Model struct {
	Name   string
	Digest string // of all that makes its vectors of passages what they are
	Dims   int    // 0: not known yet
}

// vectorModel is an embedding model as the index knows it.
type vectorModel struct {
	Model
	id int64
}

// Set is the vectors of one model. It is never changed.
type Set struct {
	model   vectorModel
	version int64
	pages   map[uint32]*vectorPage
	Count   int
	budget  int  // bytes of vectors that are held in memory
	lean    bool // there are more: the pages hold the signs alone
}

// find gives the page that holds the vector of a passage, and where in it.
func (s *Set) find(number uint32) (*vectorPage, int) {
	p := s.pages[number>>pageBits]
	if p == nil {
		return nil, -1
	}
	return p, int(p.index[number&(pageVectors-1)])
}

// Has says whether a passage has a vector.
func (s *Set) Has(number uint32) bool {
	_, i := s.find(number)
	return i >= 0
}

// IsEmpty says whether there is nothing to compare with.
func (s *Set) IsEmpty() bool { return s.pages == nil }

// Dims is how long the vectors are.
func (s *Set) Dims() int { return s.model.Dims }

// Values gives the vectors of passages, of length one, as precisely as they are kept; nil
// for one that has none.
func (s *Set) Values(ctx context.Context, q tables.Queryer, numbers []uint32) ([][]float32, error) {
	out := make([][]float32, len(numbers))
	err := s.each(ctx, q, numbers, func(i int, p *vectorPage, at int) {
		out[i] = make([]float32, p.dims)
		for d, c := range p.vector(at) {
			out[i][d] = float32(int8(c)) * p.scales[at] //nolint:gosec // the sign is meant
		}
	})
	return out, err
}

// vectorsIdle is how long vectors are kept that nobody uses.
const vectorsIdle = 2 * time.Minute

// Cache keeps the vectors that were read last, until they were not used for
// vectorsIdle.
type Cache struct {
	Budget int // bytes of vectors that are held in memory

	mu   sync.Mutex
	set  *Set
	idle *time.Timer
}

// Forget lets the vectors go.
func (c *Cache) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set = nil
}

// used begins the wait anew. The caller holds mu.
func (c *Cache) used() {
	if c.idle == nil {
		c.idle = time.AfterFunc(vectorsIdle, c.Forget)
		return
	}
	c.idle.Reset(vectorsIdle)
}

// Of gives the vectors of a model as a transaction sees them; none where it is new.
func (c *Cache) Of(ctx context.Context, q tables.Queryer, of Model) (*Set, error) {
	m, err := findModel(ctx, q, of)
	if errors.Is(err, sql.ErrNoRows) {
		return &Set{}, nil
	}
	if err != nil {
		return nil, err
	}
	return c.load(ctx, q, m)
}

// load gives the vectors of a model that there are some of.
func (c *Cache) load(ctx context.Context, q tables.Queryer, m vectorModel) (*Set, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used()
	version, err := tables.VectorVersion(ctx, q)
	if err != nil {
		return nil, err
	}
	old := c.set
	switch {
	case old == nil || old.model.id != m.id || old.version > version:
		old = &Set{model: m, version: -1, pages: map[uint32]*vectorPage{}, budget: c.Budget}
	case old.version == version:
		return old, nil
	}
	s := &Set{model: m, version: version, pages: maps.Clone(old.pages), Count: old.Count, budget: old.budget, lean: old.lean}
	if err := s.read(ctx, q, old.version); err != nil {
		return nil, err
	}
	c.set = s
	return s, nil
}

// read takes in the pages that are newer than a version.
func (s *Set) read(ctx context.Context, q tables.Queryer, after int64) error {
	return s.model.eachPage(ctx, q, after, func(number uint32, p *vectorPage) error {
		s.take(number, p)
		return nil
	})
}

// Each reads all vectors, model by model.
func Each(ctx context.Context, q tables.Queryer, take func(m Model, some []Packed) error) error {
	models, err := allModels(ctx, q)
	if err != nil {
		return err
	}
	for _, m := range models {
		err := m.eachPage(ctx, q, -1, func(number uint32, p *vectorPage) error {
			some := make([]Packed, len(p.slots))
			for i, slot := range p.slots {
				some[i] = Packed{Number: number<<pageBits | uint32(slot), scale: p.scales[i], data: p.vector(i)}
			}
			return take(m.Model, some)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachPage reads the pages of a model that are newer than a version, one at a time.
func (m vectorModel) eachPage(ctx context.Context, q tables.Queryer, after int64, each func(number uint32, p *vectorPage) error) error {
	query, args := "SELECT id, data FROM vector WHERE id >= ? AND id < ?", []any{m.id << modelShift, (m.id + 1) << modelShift}
	if after >= 0 {
		query, args = "SELECT id, data FROM vector WHERE version > ? AND id >= ? AND id < ?", append([]any{after}, args...)
	}
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return tables.Explain(err)
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for rows.Next() {
		var id int64
		var blob []byte
		if err := rows.Scan(&id, &blob); err != nil {
			return tables.Explain(err)
		}
		p, err := decodeVectorPage(blob, m.Dims)
		if err != nil {
			return err
		}
		if err := each(uint32(id-m.id<<modelShift), p); err != nil { //nolint:gosec // below 1<<modelShift
			return err
		}
	}
	return tables.Explain(rows.Err())
}

// take takes a page in. Once there are too many vectors, their signs alone stay.
func (s *Set) take(number uint32, p *vectorPage) {
	if old := s.pages[number]; old != nil {
		s.Count -= len(old.slots)
	}
	p.reindex()
	s.pages[number] = p
	s.Count += len(p.slots)
	switch {
	case s.lean:
		p.thin()
	case s.Count*s.model.Dims > s.budget:
		s.lean = true
		for n, p := range s.pages {
			thin := *p // others may use the page
			thin.thin()
			s.pages[n] = &thin
		}
	}
}

// each gives where the vectors of passages are, by their places in numbers; not those
// that have none. Pages that are not in memory are read.
func (s *Set) each(ctx context.Context, q tables.Queryer, numbers []uint32, each func(i int, p *vectorPage, at int)) error {
	first := s.model.id << modelShift
	places := map[int64][]int{} // by pages
	for i, n := range numbers {
		if p, at := s.find(n); at < 0 {
			continue
		} else if !s.lean {
			each(i, p, at)
		} else {
			id := first | int64(n>>pageBits)
			places[id] = append(places[id], i)
		}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(places)), tables.RowsAtOnce) {
		rows, err := tables.ReadRows(ctx, q, "vector", some)
		if err != nil {
			return err
		}
		for id, blob := range rows {
			p, err := decodeVectorPage(blob, s.model.Dims)
			if err != nil {
				return err
			}
			for _, i := range places[id] {
				if at := p.index[numbers[i]&(pageVectors-1)]; at >= 0 {
					each(i, p, int(at))
				}
			}
		}
	}
	return nil
}

// Cosines compares the question with passages by their numbers; 0 for those without a
// vector.
func (s *Set) Cosines(ctx context.Context, q tables.Queryer, d *Direction, numbers []uint32) ([]float32, error) {
	out := make([]float32, len(numbers))
	if !s.lean {
		parallel(len(numbers), func(i int) {
			if p, at := s.find(numbers[i]); at >= 0 {
				out[i] = d.cosine(p, at)
			}
		})
		return out, nil
	}
	err := s.each(ctx, q, numbers, func(i int, p *vectorPage, at int) { out[i] = d.cosine(p, at) })
	return out, err
}

// Count says how many vectors there are of a model; known is false where none was
// ever made.
func Count(ctx context.Context, q tables.Queryer, of Model) (n int, known bool, err error) {
	m, err := findModel(ctx, q, of)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	err = q.QueryRowContext(ctx, "SELECT coalesce(sum(count), 0) FROM vector WHERE id >= ? AND id < ?", m.id<<modelShift, (m.id+1)<<modelShift).Scan(&n)
	return n, true, tables.Explain(err)
}

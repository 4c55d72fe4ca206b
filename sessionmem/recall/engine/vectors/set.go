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

// Model names an embedding model. Vectors of different models can't be compared.
type Model struct {
	Name   string
	Digest string // of everything that determines its passage vectors
	Dims   int    // 0: not known yet
}

// vectorModel is an embedding model with its ID in the index.
type vectorModel struct {
	Model
	id int64
}

// Set holds the vectors of one model. It never changes.
type Set struct {
	model     vectorModel
	version   int64
	pages     map[uint32]*vectorPage
	Count     int
	budget    int  // bytes of vectors kept in memory
	signsOnly bool // over budget: the pages hold only the signs
}

// find returns the page with the vector of a passage, and its index there; -1 if none.
func (s *Set) find(number uint32) (*vectorPage, int) {
	p := s.pages[number>>pageBits]
	if p == nil {
		return nil, -1
	}
	return p, int(p.index[number&(pageVectors-1)])
}

// Has reports whether a passage has a vector.
func (s *Set) Has(number uint32) bool {
	_, i := s.find(number)
	return i >= 0
}

// IsEmpty reports whether there is nothing to compare with.
func (s *Set) IsEmpty() bool { return s.pages == nil }

// Dims returns the dimensions of the vectors.
func (s *Set) Dims() int { return s.model.Dims }

// Values returns the vectors of passages, normalised and as precise as they are stored; nil
// for passages without one.
func (s *Set) Values(ctx context.Context, q tables.Queryer, numbers []uint32) ([][]float32, error) {
	out := make([][]float32, len(numbers))
	err := s.each(ctx, q, numbers, func(i int, p *vectorPage, at int) {
		out[i] = make([]float32, p.dims)
		for d, c := range p.vector(at) {
			out[i][d] = float32(int8(c)) * p.scales[at] //nolint:gosec // keeps the sign
		}
	})
	return out, err
}

// vectorsIdle is how long unused vectors stay in memory.
const vectorsIdle = 2 * time.Minute

// Cache keeps the vectors read last until they have been unused for vectorsIdle.
type Cache struct {
	Budget int // bytes of vectors kept in memory

	mu   sync.Mutex
	set  *Set
	idle *time.Timer
}

// Forget drops the vectors.
func (c *Cache) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set = nil
}

// used restarts the idle timer. The caller holds mu.
func (c *Cache) used() {
	if c.idle == nil {
		c.idle = time.AfterFunc(vectorsIdle, c.Forget)
		return
	}
	c.idle.Reset(vectorsIdle)
}

// Of returns the vectors of a model as a transaction sees them; an empty set for a new model.
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

// load returns the vectors of a model that has some.
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
	s := &Set{model: m, version: version, pages: maps.Clone(old.pages), Count: old.Count, budget: old.budget, signsOnly: old.signsOnly}
	if err := s.read(ctx, q, old.version); err != nil {
		return nil, err
	}
	c.set = s
	return s, nil
}

// read loads the pages that are newer than a version.
func (s *Set) read(ctx context.Context, q tables.Queryer, after int64) error {
	return s.model.eachPage(ctx, q, after, func(number uint32, p *vectorPage) error {
		s.addPage(number, p)
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
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
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

// addPage adds a page. Once the vectors exceed the budget, it keeps only their signs.
func (s *Set) addPage(number uint32, p *vectorPage) {
	if old := s.pages[number]; old != nil {
		s.Count -= len(old.slots)
	}
	p.reindex()
	s.pages[number] = p
	s.Count += len(p.slots)
	switch {
	case s.signsOnly:
		p.keepSigns()
	case s.Count*s.model.Dims > s.budget:
		s.signsOnly = true
		for n, p := range s.pages {
			thin := *p // other sets may use the page
			thin.keepSigns()
			s.pages[n] = &thin
		}
	}
}

// each calls each with the place of each passage's vector; i is its index in numbers.
// Passages without a vector are left out. Pages that aren't in memory are read.
func (s *Set) each(ctx context.Context, q tables.Queryer, numbers []uint32, each func(i int, p *vectorPage, at int)) error {
	first := s.model.id << modelShift
	places := map[int64][]int{} // by page ID
	for i, n := range numbers {
		if p, at := s.find(n); at < 0 {
			continue
		} else if !s.signsOnly {
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

// Cosines compares the question with passages by number; 0 for those without a vector.
func (s *Set) Cosines(ctx context.Context, q tables.Queryer, d *Direction, numbers []uint32) ([]float32, error) {
	out := make([]float32, len(numbers))
	if !s.signsOnly {
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

// Count returns how many vectors a model has; known is false if none was ever made.
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

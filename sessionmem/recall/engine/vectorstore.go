package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// vectorSchema makes the tables of vectors. A page's id is the model's, shifted by
// modelShift, plus the page's number; version is the value of metaVectors when it was
// written, so that a process reads only what is new to it.
const vectorSchema = `
CREATE TABLE model(id INTEGER PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL, dims INTEGER NOT NULL, UNIQUE(name, digest, dims));
CREATE TABLE vector(id INTEGER PRIMARY KEY, version INTEGER NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX vector_version ON vector(version);
`

// metaVectors counts the changes of vectors.
const metaVectors = "vectors"

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

// vectorSet is the vectors of one model. It is never changed.
type vectorSet struct {
	model   vectorModel
	version int64
	pages   map[uint32]*vectorPage
	count   int
	budget  int  // bytes of vectors that are held in memory
	lean    bool // there are more: the pages hold the signs alone
}

// find gives the page that holds the vector of a passage, and where in it.
func (s *vectorSet) find(number uint32) (*vectorPage, int) {
	p := s.pages[number>>pageBits]
	if p == nil {
		return nil, -1
	}
	return p, int(p.index[number&(pageVectors-1)])
}

// has says whether a passage has a vector.
func (s *vectorSet) has(number uint32) bool {
	_, i := s.find(number)
	return i >= 0
}

// vectorsIdle is how long vectors are kept that nobody uses.
const vectorsIdle = 2 * time.Minute

// vectorCache keeps the vectors that were read last, until they were not used for
// vectorsIdle.
type vectorCache struct {
	budget int // bytes of vectors that are held in memory

	mu   sync.Mutex
	set  *vectorSet
	idle *time.Timer
}

// forget lets the vectors go.
func (c *vectorCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set = nil
}

// used begins the wait anew. The caller holds mu.
func (c *vectorCache) used() {
	if c.idle == nil {
		c.idle = time.AfterFunc(vectorsIdle, c.forget)
		return
	}
	c.idle.Reset(vectorsIdle)
}

// load gives the vectors of a model as a transaction sees them.
func (c *vectorCache) load(ctx context.Context, q queryer, m vectorModel) (*vectorSet, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used()
	version, err := vectorVersion(ctx, q)
	if err != nil {
		return nil, err
	}
	old := c.set
	switch {
	case old == nil || old.model.id != m.id || old.version > version:
		old = &vectorSet{model: m, version: -1, pages: map[uint32]*vectorPage{}, budget: c.budget}
	case old.version == version:
		return old, nil
	}
	s := &vectorSet{model: m, version: version, pages: maps.Clone(old.pages), count: old.count, budget: old.budget, lean: old.lean}
	if err := s.read(ctx, q, old.version); err != nil {
		return nil, err
	}
	c.set = s
	return s, nil
}

func vectorVersion(ctx context.Context, q queryer) (n int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT value FROM meta WHERE key=?", metaVectors).Scan(&n)
	return n, explain(err)
}

// read takes in the pages that are newer than a version.
func (s *vectorSet) read(ctx context.Context, q queryer, after int64) error {
	return s.model.eachPage(ctx, q, after, func(number uint32, p *vectorPage) error {
		s.take(number, p)
		return nil
	})
}

// eachPage reads the pages of a model that are newer than a version, one at a time.
func (m vectorModel) eachPage(ctx context.Context, q queryer, after int64, each func(number uint32, p *vectorPage) error) error {
	query, args := "SELECT id, data FROM vector WHERE id >= ? AND id < ?", []any{m.id << modelShift, (m.id + 1) << modelShift}
	if after >= 0 {
		query, args = "SELECT id, data FROM vector WHERE version > ? AND id >= ? AND id < ?", append([]any{after}, args...)
	}
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return explain(err)
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for rows.Next() {
		var id int64
		var blob []byte
		if err := rows.Scan(&id, &blob); err != nil {
			return explain(err)
		}
		p, err := decodeVectorPage(blob, m.Dims)
		if err != nil {
			return err
		}
		if err := each(uint32(id-m.id<<modelShift), p); err != nil { //nolint:gosec // below 1<<modelShift
			return err
		}
	}
	return explain(rows.Err())
}

// take takes a page in. Once there are too many vectors, their signs alone stay.
func (s *vectorSet) take(number uint32, p *vectorPage) {
	if old := s.pages[number]; old != nil {
		s.count -= len(old.slots)
	}
	p.reindex()
	s.pages[number] = p
	s.count += len(p.slots)
	switch {
	case s.lean:
		p.thin()
	case s.count*s.model.Dims > s.budget:
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
func (s *vectorSet) each(ctx context.Context, q queryer, numbers []uint32, each func(i int, p *vectorPage, at int)) error {
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
	for some := range slices.Chunk(slices.Sorted(maps.Keys(places)), rowsAtOnce) {
		rows, err := readRows(ctx, q, "vector", some)
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

// cosines compares the question with passages by their numbers; 0 for those without a
// vector.
func (s *vectorSet) cosines(ctx context.Context, q queryer, d *Direction, numbers []uint32) ([]float32, error) {
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

// countVectors says how many vectors there are of a model.
func countVectors(ctx context.Context, q queryer, m vectorModel) (n int, err error) {
	err = q.QueryRowContext(ctx, "SELECT coalesce(sum(count), 0) FROM vector WHERE id >= ? AND id < ?", m.id<<modelShift, (m.id+1)<<modelShift).Scan(&n)
	return n, explain(err)
}

// newVector is a vector on its way into the index.
type newVector struct {
	number uint32
	scale  float32
	data   []byte
}

// putVectors writes vectors.
func putVectors(ctx context.Context, tx *sql.Tx, m vectorModel, vectors []newVector) error {
	version, err := nextVersion(ctx, tx)
	if err != nil {
		return err
	}
	slices.SortFunc(vectors, func(a, b newVector) int { return cmp.Compare(a.number, b.number) })
	for len(vectors) > 0 {
		page := vectors[0].number >> pageBits
		n := 1
		for n < len(vectors) && vectors[n].number>>pageBits == page {
			n++
		}
		err := changePage(ctx, tx, m, page, version, func(p *vectorPage) bool {
			for _, v := range vectors[:n] {
				p.put(byte(v.number&(pageVectors-1)), v.scale, v.data)
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

// dropVectors takes the vectors of passages out, of all models.
func dropVectors(ctx context.Context, tx *sql.Tx, numbers []uint32) error {
	if len(numbers) == 0 {
		return nil
	}
	models, err := allModels(ctx, tx)
	if err != nil || len(models) == 0 {
		return err
	}
	version, err := nextVersion(ctx, tx)
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

// nextVersion counts a change of vectors.
func nextVersion(ctx context.Context, tx *sql.Tx) (int64, error) {
	if _, err := tx.ExecContext(ctx, "UPDATE meta SET value=value+1 WHERE key=?", metaVectors); err != nil {
		return 0, explain(err)
	}
	return vectorVersion(ctx, tx)
}

// changePage rewrites a page, if change says that it changed.
func changePage(ctx context.Context, tx *sql.Tx, m vectorModel, page uint32, version int64, change func(*vectorPage) bool) error {
	id := m.id<<modelShift | int64(page)
	var blob []byte
	if err := tx.QueryRowContext(ctx, "SELECT data FROM vector WHERE id=?", id).Scan(&blob); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return explain(err)
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
	return explain(err)
}

// ErrForeignVectors: vectors of other dimensions than the model's came.
var ErrForeignVectors = errors.New("the embedding server gave vectors of other dimensions than its model has")

// checked gives a vector as it is kept.
func (m vectorModel) checked(v []float32) (newVector, error) {
	if len(v) != m.Dims {
		return newVector{}, fmt.Errorf("%w: %d, not %d", ErrForeignVectors, len(v), m.Dims)
	}
	scale, data, ok := quantize(v)
	if !ok { // a text without a direction: it has a vector that is near nothing
		return newVector{data: make([]byte, m.Dims)}, nil
	}
	return newVector{scale: scale, data: data}, nil
}

// buryVectors takes the vectors of passages out that are gone by a change. One that is
// only at another place by now keeps its number and its vector.
func (c *change) buryVectors(ctx context.Context) error {
	kept := map[uint32]bool{}
	for i := range c.bulk.docs {
		kept[c.bulk.docs[i].Number] = true
	}
	var numbers []uint32
	for p, docs := range c.dead {
		for _, doc := range docs {
			if at := p.positions[doc]; at != nowhere && !kept[c.v.lay.numbers[at]] {
				numbers = append(numbers, c.v.lay.numbers[at])
			}
		}
	}
	return dropVectors(ctx, c.tx, numbers)
}

package engine

import (
	"context"
	"errors"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
	"mac-stats/sessionmem/recall/rank"
)

// ErrNone means that there is no passage at a place.
var ErrNone = errors.New("no passage is there")

// fetcher reads whole passages; it reads each row of details once.
type fetcher struct {
	q    tables.Queryer
	v    *view
	rows map[int64]*format.DetailRow // by row ID of detail
}

func newFetcher(q tables.Queryer, v *view) *fetcher {
	return &fetcher{q: q, v: v, rows: map[int64]*format.DetailRow{}}
}

// passage reads the passage at a position.
func (f *fetcher) passage(ctx context.Context, at uint32) (format.Passage, *Source, error) {
	l := &f.v.lay
	r := l.refs[at]
	if r.none() {
		return format.Passage{}, nil, ErrNone
	}
	k := f.v.sources[l.sources[at]]
	p := f.v.parts[r.part-1]
	if p.id == 0 {
		return p.whole[r.doc], k, nil
	}
	d, err := f.detail(ctx, p, r.doc)
	if err != nil {
		return format.Passage{}, nil, err
	}
	d.Source, d.Time, d.Number, d.Words = k.id, l.times[at], l.numbers[at], uint32(l.words[at])
	d.SetFlags(l.flags[at])
	return d, k, nil
}

// detail reads the part of a passage that a segment stores outside its head.
func (f *fetcher) detail(ctx context.Context, p *part, doc uint32) (d format.Passage, err error) {
	id := p.id<<tables.RowBits | int64(doc/format.DetailBlock)
	row := f.rows[id]
	if row == nil {
		rows, err := f.v.rows(ctx, f.q, "detail", []int64{id})
		if err != nil {
			return d, err
		}
		row = f.store(id, rows[id])
	}
	err = row.Read(int(doc%format.DetailBlock), &d)
	return d, err
}

// store stores a row for later.
func (f *fetcher) store(id int64, data []byte) *format.DetailRow {
	row := format.NewDetailRow(data)
	f.rows[id] = row
	return row
}

// prefetch reads the details of candidates in one go.
func (f *fetcher) prefetch(ctx context.Context, top []rank.Candidate) error {
	var rows []int64
	for _, c := range top {
		if r := f.v.lay.refs[c.At]; !r.none() && f.v.parts[r.part-1].id != 0 {
			rows = append(rows, f.v.parts[r.part-1].id<<tables.RowBits|int64(r.doc/format.DetailBlock))
		}
	}
	all, err := f.v.rows(ctx, f.q, "detail", rows)
	for id, data := range all {
		f.store(id, data)
	}
	return err
}

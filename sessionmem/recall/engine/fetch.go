package engine

import (
	"context"
	"errors"

	"mac-stats/sessionmem/recall/rank"
)

// ErrNone: there is no passage at a place.
var ErrNone = errors.New("no passage is there")

// fetcher reads whole passages; each row of details once.
type fetcher struct {
	q    queryer
	v    *view
	rows map[int64]*detailRow // by the ids of detail
}

// detailRow is a row of details, with how far it was read.
type detailRow struct {
	data []byte
	r    detailReader
}

func newFetcher(q queryer, v *view) *fetcher {
	return &fetcher{q: q, v: v, rows: map[int64]*detailRow{}}
}

// passage reads the passage at a position.
func (f *fetcher) passage(ctx context.Context, at uint32) (Passage, *Source, error) {
	l := &f.v.lay
	r := l.refs[at]
	if r.none() {
		return Passage{}, nil, ErrNone
	}
	k := f.v.sources[l.sources[at]]
	p := f.v.parts[r.part-1]
	if p.id == 0 {
		return p.whole[r.doc], k, nil
	}
	d, err := f.detail(ctx, p, r.doc)
	if err != nil {
		return Passage{}, nil, err
	}
	d.source, d.Time, d.Number, d.Words = k.id, l.times[at], l.numbers[at], uint32(l.words[at])
	d.setFlags(l.flags[at])
	return d, k, nil
}

// detail reads what a segment has of a passage beside its head.
func (f *fetcher) detail(ctx context.Context, p *part, doc uint32) (d Passage, err error) {
	id := p.id<<rowBits | int64(doc/detailBlock)
	row := f.rows[id]
	if row == nil {
		rows, err := f.v.rows(ctx, f.q, "detail", []int64{id})
		if err != nil {
			return d, err
		}
		row = f.keep(id, rows[id])
	}
	err = row.read(int(doc%detailBlock), &d)
	return d, err
}

// keep takes a row.
func (f *fetcher) keep(id int64, data []byte) *detailRow {
	row := &detailRow{data: data, r: newDetailReader(data)}
	f.rows[id] = row
	return row
}

// read fills in the details of the n-th passage.
func (w *detailRow) read(n int, d *Passage) error {
	if w.r.read > n {
		w.r = newDetailReader(w.data)
	}
	there := false
	for w.r.read <= n {
		there = w.r.next()
	}
	if there {
		w.r.fill(d)
	}
	return w.r.err()
}

// prefetch reads the details of candidates at once.
func (f *fetcher) prefetch(ctx context.Context, top []rank.Candidate) error {
	var rows []int64
	for _, c := range top {
		if r := f.v.lay.refs[c.At]; !r.none() && f.v.parts[r.part-1].id != 0 {
			rows = append(rows, f.v.parts[r.part-1].id<<rowBits|int64(r.doc/detailBlock))
		}
	}
	all, err := f.v.rows(ctx, f.q, "detail", rows)
	for id, data := range all {
		f.keep(id, data)
	}
	return err
}

package engine

import (
	"context"
	"slices"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

// view is the part of an index that a process keeps in memory: enough to rank, while the
// rest is read on demand. It is loaded from the tables and follows their changes.
type view struct {
	change  int64 // value of metaChange when it was loaded
	removal int64
	delta   int64 // ID of the last delta row

	sources   []*Source // indexed by place; nil if unused or removed
	byID      map[int64]*Source
	byKey     map[string]*Source
	bySession map[string][]*Source
	recent    *Source // source of the passage put last; nil: look it up

	parts    []*part // [0] is the delta
	segments map[int64]*part
	lay      layout
	docs     int   // live passages
	words    int64 // in them
	cache    rowCache
}

// Source is a source with its passages.
type Source struct {
	format.Name
	id    int64
	place uint32 // in view.sources
	State format.State
	runs  []run
	Docs  int
	words int64
	first int64 // times of the oldest and the newest passage, in seconds since 1970
	Last  int64
}

// run is a range of passages of one strand within a part.
type run struct {
	part  *part
	first uint32
	n     uint32
}

// part is a segment or the delta.
type part struct {
	id        int64 // of the segment; 0 for the delta
	version   int64
	docs      int
	live      int      // passages that aren't dead
	positions []uint32 // of each passage in the layout; noPosition for dead ones
	firsts    []string // first terms of the dictionary's blocks
	tombs     []byte   // bits of passages that are dead but still in the segment

	// only for the delta
	lists   map[string][]format.Posting
	whole   []format.Passage
	batches []batch
}

// batch is a row of delta.
type batch struct {
	id    int64
	first int // passage in part.whole
}

// noPosition is the position of a dead passage.
const noPosition = ^uint32(0)

func newView() *view {
	return &view{
		byID: map[int64]*Source{}, byKey: map[string]*Source{}, bySession: map[string][]*Source{}, segments: map[int64]*part{},
		sources: []*Source{nil}, parts: []*part{{lists: map[string][]format.Posting{}}},
		lay: layout{strands: map[strandKey]*stretch{}, shares: newShares()},
	}
}

// put adds a passage to the view. It replaces the passage at its place.
func (v *view) put(partPlace int, doc uint32, d *format.Passage) error {
	k := v.recent
	if k == nil || k.id != d.Source {
		if k = v.byID[d.Source]; k == nil {
			return format.ErrDamaged // a source is deleted only with its passages
		}
		v.recent = k
	}
	p := v.parts[partPlace]
	at := v.position(strandKey{d.Source, d.Strand}, k.place, d.Seq)
	l := &v.lay
	if !l.refs[at].none() {
		v.hide(at)
	}
	p.positions[doc] = at
	p.live++
	l.refs[at] = ref{uint32(partPlace) + 1, doc} //nolint:gosec // few parts
	l.sources[at], l.times[at], l.flags[at], l.numbers[at] = k.place, d.Time, d.Flags(), d.Number
	l.words[at] = uint16(min(d.Words, 1<<16-1)) //nolint:gosec // cut
	l.addAround(at, 1)
	l.countParts(at)
	k.addPassage(p, doc, d)
	v.docs++
	v.words += int64(l.words[at])
	return nil
}

// addPassage adds a passage to the statistics of its source.
func (k *Source) addPassage(p *part, doc uint32, d *format.Passage) {
	if n := len(k.runs); n > 0 && k.runs[n-1].part == p && k.runs[n-1].first+k.runs[n-1].n == doc {
		k.runs[n-1].n++
	} else {
		k.runs = append(k.runs, run{p, doc, 1})
	}
	k.Docs++
	k.words += int64(min(d.Words, 1<<16-1))
	if d.Time != 0 {
		if k.first == 0 || d.Time < k.first {
			k.first = d.Time
		}
		k.Last = max(k.Last, d.Time)
	}
}

// hide removes the passage at a position.
func (v *view) hide(at uint32) {
	l := &v.lay
	r := l.refs[at]
	if r.none() {
		return
	}
	l.refs[at] = ref{}
	p := v.parts[r.part-1]
	p.positions[r.doc] = noPosition
	p.live--
	if k := v.sources[l.sources[at]]; k != nil {
		k.Docs--
		k.words -= int64(l.words[at])
	}
	v.docs--
	v.words -= int64(l.words[at])
	l.addAround(at, -1)
	l.flags[at] = 0
}

// isDead reports whether a passage of a segment is dead.
func (p *part) isDead(doc int) bool { return doc/8 < len(p.tombs) && p.tombs[doc/8]>>(doc%8)&1 != 0 }

// follow adds the new rows of delta.
func (v *view) follow(ctx context.Context, q tables.Queryer) error {
	rows, err := q.QueryContext(ctx, "SELECT id, data FROM delta WHERE id > ? ORDER BY id", v.delta)
	if err != nil {
		return tables.Explain(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for rows.Next() {
		var id int64
		var data []byte
		if err := rows.Scan(&id, &data); err != nil {
			return tables.Explain(err)
		}
		b, err := format.DecodeDelta(data)
		if err != nil {
			return err
		}
		if err := v.addBatch(id, b); err != nil {
			return err
		}
	}
	return tables.Explain(rows.Err())
}

// addBatch adds a row of delta.
func (v *view) addBatch(id int64, b *format.Builder) error {
	p := v.parts[0]
	first := len(p.whole)
	p.batches = append(p.batches, batch{id, first})
	for i := range b.Docs {
		d := &b.Docs[i]
		doc := uint32(first + i) //nolint:gosec // small
		p.whole = append(p.whole, *d)
		p.positions = append(p.positions, noPosition)
		p.docs++
		b.EachOf(i, func(term string, n uint32) { p.lists[term] = append(p.lists[term], format.Posting{Doc: doc, N: n}) })
		if b.IsHole(i) {
			continue
		}
		if err := v.put(0, doc, d); err != nil {
			return err
		}
	}
	v.delta = max(v.delta, id)
	return nil
}

// Within reports whether the source may have passages within one of the spans.
func (k *Source) Within(spans []analysis.Span) bool {
	return slices.ContainsFunc(spans, func(t analysis.Span) bool { return t.From.Unix() <= k.Last && k.first < t.To.Unix() })
}

// eachOf calls each for the passages of a source, in the order of its strands.
func (v *view) eachOf(k *Source, each func(at uint32, strand, seq int) error) error {
	for strand := range format.Strands {
		s := v.lay.strands[strandKey{k.id, uint8(strand)}]
		if s == nil {
			continue
		}
		for i := range s.size {
			if v.lay.refs[s.base+i].none() {
				continue
			}
			if err := each(s.base+i, strand, int(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

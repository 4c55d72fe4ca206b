package engine

import (
	"context"
	"slices"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

// view is what a process knows of an index: enough to rank, all else is read when it is
// asked for. It is made from the tables and follows them.
type view struct {
	change  int64 // metaChange of what is known
	removal int64
	delta   int64 // last row of delta

	sources   []*Source // by their places in a layout; nil where there is none, or none any more
	byID      map[int64]*Source
	byKey     map[string]*Source
	bySession map[string][]*Source
	recent    *Source // of the last passage that was put; nil: look it up

	parts    []*part // [0] is the delta
	segments map[int64]*part
	lay      layout
	docs     int   // that can be found
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
	first int64 // times of the oldest and the newest passage, seconds since 1970
	Last  int64
}

// run is a stretch of a part that holds passages of one strand.
type run struct {
	part  *part
	first uint32
	n     uint32
}

// part is a segment, or the delta.
type part struct {
	id        int64 // of the segment; 0 for the delta
	version   int64
	docs      int
	live      int      // of them, that can be found
	positions []uint32 // of each passage in the layout; nowhere for those that are gone
	firsts    []string // first terms of the dictionary's blocks
	tombs     []byte   // bits of those that are gone but still in the segment

	// of the delta alone
	lists   map[string][]format.Posting
	whole   []format.Passage
	batches []batch
}

// batch is a row of delta.
type batch struct {
	id       int64
	first, n int
}

// nowhere is the position of a passage that is gone.
const nowhere = ^uint32(0)

func newView() *view {
	return &view{
		byID: map[int64]*Source{}, byKey: map[string]*Source{}, bySession: map[string][]*Source{}, segments: map[int64]*part{},
		sources: []*Source{nil}, parts: []*part{{lists: map[string][]format.Posting{}}},
		lay: layout{strands: map[strandKey]*stretch{}, shares: newShares()},
	}
}

// put makes a passage known. A passage that stood at its place is hidden by it.
func (v *view) put(partPlace int, doc uint32, d *format.Passage) error {
	k := v.recent
	if k == nil || k.id != d.Source {
		if k = v.byID[d.Source]; k == nil {
			return format.ErrDamaged // the passages of a source go with its row
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
	l.widen(at, 1)
	l.measure(at)
	k.take(p, doc, d)
	v.docs++
	v.words += int64(l.words[at])
	return nil
}

// take adds a passage to what is known of its source.
func (k *Source) take(p *part, doc uint32, d *format.Passage) {
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

// hide takes the passage at a position out.
func (v *view) hide(at uint32) {
	l := &v.lay
	r := l.refs[at]
	if r.none() {
		return
	}
	l.refs[at] = ref{}
	p := v.parts[r.part-1]
	p.positions[r.doc] = nowhere
	p.live--
	if k := v.sources[l.sources[at]]; k != nil {
		k.Docs--
		k.words -= int64(l.words[at])
	}
	v.docs--
	v.words -= int64(l.words[at])
	l.widen(at, -1)
	l.flags[at] = 0
}

// buried says whether a passage of a segment is gone.
func (p *part) buried(doc int) bool { return doc/8 < len(p.tombs) && p.tombs[doc/8]>>(doc%8)&1 != 0 }

// follow takes the rows of delta that are new, and the sources they are of.
func (v *view) follow(ctx context.Context, q tables.Queryer) error {
	rows, err := q.QueryContext(ctx, "SELECT id, data FROM delta WHERE id > ? ORDER BY id", v.delta)
	if err != nil {
		return tables.Explain(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err told
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

// addBatch takes a row of delta in.
func (v *view) addBatch(id int64, b *format.Builder) error {
	p := v.parts[0]
	first := len(p.whole)
	p.batches = append(p.batches, batch{id, first, len(b.Docs)})
	for i := range b.Docs {
		d := &b.Docs[i]
		doc := uint32(first + i) //nolint:gosec // small
		p.whole = append(p.whole, *d)
		p.positions = append(p.positions, nowhere)
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

// Within says whether something was said in one of the times.
func (k *Source) Within(spans []analysis.Span) bool {
	return slices.ContainsFunc(spans, func(t analysis.Span) bool { return t.From.Unix() <= k.Last && k.first < t.To.Unix() })
}

// eachOf gives the passages of a source, in the order of its strands.
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

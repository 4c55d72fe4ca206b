package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"mac-stats/sessionmem/recall/analysis"
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
	Name
	id    int64
	place uint32 // in view.sources
	State State
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
	lists   map[string][]posting
	whole   []Passage
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
		sources: []*Source{nil}, parts: []*part{{lists: map[string][]posting{}}},
		lay: layout{strands: map[strandKey]*stretch{}, shares: newShares()},
	}
}

// put makes a passage known. A passage that stood at its place is hidden by it.
func (v *view) put(partPlace int, doc uint32, d *Passage) error {
	k := v.recent
	if k == nil || k.id != d.source {
		if k = v.byID[d.source]; k == nil {
			return ErrDamaged // the passages of a source go with its row
		}
		v.recent = k
	}
	p := v.parts[partPlace]
	at := v.position(strandKey{d.source, d.Strand}, k.place, d.Seq)
	l := &v.lay
	if !l.refs[at].none() {
		v.hide(at)
	}
	p.positions[doc] = at
	p.live++
	l.refs[at] = ref{uint32(partPlace) + 1, doc} //nolint:gosec // few parts
	l.sources[at], l.times[at], l.flags[at], l.numbers[at] = k.place, d.Time, d.flags(), d.Number
	l.words[at] = uint16(min(d.Words, 1<<16-1)) //nolint:gosec // cut
	l.widen(at, 1)
	l.measure(at)
	k.take(p, doc, d)
	v.docs++
	v.words += int64(l.words[at])
	return nil
}

// take adds a passage to what is known of its source.
func (k *Source) take(p *part, doc uint32, d *Passage) {
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

// queryer is a database, a transaction or a connection.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// counters gives how often the tables changed.
func counters(ctx context.Context, q queryer) (change, removal int64, err error) {
	return metaPair(ctx, q, metaChange, metaRemoval)
}

// metaPair reads two numbers of meta. One that is missing is damage.
func metaPair(ctx context.Context, q queryer, one, two string) (int64, int64, error) {
	var a, b sql.NullInt64
	err := q.QueryRowContext(ctx, "SELECT (SELECT value FROM meta WHERE key='"+one+"'), (SELECT value FROM meta WHERE key='"+two+"')").Scan(&a, &b)
	if err == nil && (!a.Valid || !b.Valid) {
		err = fmt.Errorf("%w: %s or %s is missing", ErrDamaged, one, two)
	}
	return a.Int64, b.Int64, explain(err)
}

// loadView makes a view of the tables.
func loadView(ctx context.Context, q queryer) (*view, error) {
	v := newView()
	change, removal, err := counters(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := v.loadSources(ctx, q); err != nil {
		return nil, err
	}
	heads, err := v.loadSegments(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := v.layOut(heads); err != nil {
		return nil, err
	}
	if err := v.follow(ctx, q); err != nil {
		return nil, err
	}
	v.change, v.removal = change, removal
	return v, v.complete(ctx, q)
}

// complete says whether all rows of segment and delta were there.
func (v *view) complete(ctx context.Context, q queryer) error {
	var want int64
	if err := q.QueryRowContext(ctx, "SELECT value FROM meta WHERE key='"+metaRows+"'").Scan(&want); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return explain(err)
	}
	for _, p := range v.parts[1:] {
		want -= segmentMark(p.id)
	}
	for _, row := range v.parts[0].batches {
		want -= deltaMark(row.id)
	}
	if want != 0 {
		return fmt.Errorf("%w: rows of it are missing", ErrDamaged)
	}
	return nil
}

// loadSources takes the sources in that changed since.
func (v *view) loadSources(ctx context.Context, q queryer) error {
	rows, err := q.QueryContext(ctx, "SELECT id, key, session, origin, state FROM source WHERE changed > ?", v.change)
	if err != nil {
		return explain(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err told
	for rows.Next() {
		var k Source
		var state []byte
		if err := rows.Scan(&k.id, &k.Key, &k.Session, &k.From, &state); err != nil {
			return explain(err)
		}
		if k.State, err = decodeState(state, &k.Name); err != nil {
			return err
		}
		if old := v.byID[k.id]; old != nil {
			old.State = k.State
		} else {
			v.addSource(&k)
		}
	}
	return explain(rows.Err())
}

func (v *view) addSource(k *Source) {
	k.place = uint32(len(v.sources)) //nolint:gosec // few
	v.sources = append(v.sources, k)
	v.byID[k.id], v.byKey[k.Key] = k, k
	v.bySession[k.Session] = append(v.bySession[k.Session], k)
}

// dropSource lets a source go whose passages are gone; its place stays.
func (v *view) dropSource(k *Source) {
	v.sources[k.place], v.recent = nil, nil
	delete(v.byID, k.id)
	delete(v.byKey, k.Key)
	if left := slices.DeleteFunc(v.bySession[k.Session], func(o *Source) bool { return o == k }); len(left) > 0 {
		v.bySession[k.Session] = left
	} else {
		delete(v.bySession, k.Session)
	}
}

// loadSegments reads what is known of the segments, and gives their heads.
func (v *view) loadSegments(ctx context.Context, q queryer) (heads [][]byte, err error) {
	rows, err := q.QueryContext(ctx, "SELECT id, docs, version, heads, firsts, tombs FROM segment ORDER BY id")
	if err != nil {
		return nil, explain(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err told
	for rows.Next() {
		p := &part{}
		var head, firsts []byte
		if err := rows.Scan(&p.id, &p.docs, &p.version, &head, &firsts, &p.tombs); err != nil {
			return nil, explain(err)
		}
		if p.tombs, err = unseal(p.tombs); err != nil {
			return nil, err
		}
		if err := p.decode(&head, firsts); err != nil {
			return nil, err
		}
		v.parts = append(v.parts, p)
		v.segments[p.id] = p
		heads = append(heads, head)
	}
	return heads, explain(rows.Err())
}

// decode takes the blobs of a segment apart; of the heads only the check sum.
func (p *part) decode(head *[]byte, firsts []byte) (err error) {
	if *head, err = unseal(*head); err != nil {
		return err
	}
	if firsts, err = unseal(firsts); err != nil {
		return err
	}
	r := decoder{data: firsts}
	p.firsts = make([]string, 0, min(r.int(), len(firsts)))
	for len(r.data) > 0 && !r.bad {
		p.firsts = append(p.firsts, r.text())
	}
	if counted := (decoder{data: *head}); counted.int() != p.docs { // the column has no check sum
		return ErrDamaged
	}
	p.positions = make([]uint32, p.docs)
	for i := range p.positions {
		p.positions[i] = nowhere
	}
	return r.err()
}

// layOut gives the passages of the segments their positions.
func (v *view) layOut(heads [][]byte) error {
	type room struct {
		key  strandKey
		size uint32
	}
	var rooms []room
	places := map[strandKey]int{}
	last, total := -1, strandGap
	for i, head := range heads {
		n, err := eachHead(head, func(_ int, d *Passage) {
			key := strandKey{d.source, d.Strand}
			if last < 0 || rooms[last].key != key { // they come strand by strand
				at, ok := places[key]
				if !ok {
					at = len(rooms)
					places[key], rooms = at, append(rooms, room{key: key})
				}
				last = at
			}
			rooms[last].size = max(rooms[last].size, d.Seq+1)
		})
		if err != nil || n != v.parts[i+1].docs {
			return ErrDamaged
		}
	}
	for _, r := range rooms {
		total += int(r.size) + strandRoom + strandGap
	}
	v.lay.expect(total)
	for _, r := range rooms {
		place := uint32(0)
		if k := v.byID[r.key.source]; k != nil {
			place = k.place // else all that was there is buried
		}
		v.lay.reserve(r.key, place, r.size+strandRoom)
	}
	for i, head := range heads {
		p := v.parts[i+1]
		var bad error
		_, err := eachHead(head, func(doc int, d *Passage) {
			if !p.buried(doc) {
				bad = cmp.Or(bad, v.put(i+1, uint32(doc), d)) //nolint:gosec // a segment is small
			}
		})
		if err := cmp.Or(err, bad); err != nil {
			return err
		}
	}
	return nil
}

// buried says whether a passage of a segment is gone.
func (p *part) buried(doc int) bool { return doc/8 < len(p.tombs) && p.tombs[doc/8]>>(doc%8)&1 != 0 }

// follow takes the rows of delta that are new, and the sources they are of.
func (v *view) follow(ctx context.Context, q queryer) error {
	rows, err := q.QueryContext(ctx, "SELECT id, data FROM delta WHERE id > ? ORDER BY id", v.delta)
	if err != nil {
		return explain(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err told
	for rows.Next() {
		var id int64
		var data []byte
		if err := rows.Scan(&id, &data); err != nil {
			return explain(err)
		}
		b := newBuilder()
		if err := b.decodeDelta(data); err != nil {
			return err
		}
		if err := v.addBatch(id, b); err != nil {
			return err
		}
	}
	return explain(rows.Err())
}

// addBatch takes a row of delta in.
func (v *view) addBatch(id int64, b *builder) error {
	p := v.parts[0]
	first := len(p.whole)
	p.batches = append(p.batches, batch{id, first, len(b.docs)})
	for i := range b.docs {
		d := &b.docs[i]
		doc := uint32(first + i) //nolint:gosec // small
		p.whole = append(p.whole, *d)
		p.positions = append(p.positions, nowhere)
		p.docs++
		from, to := b.termsOf(i)
		for j := from; j < to; j++ {
			name := b.names[b.terms[j]]
			p.lists[name] = append(p.lists[name], posting{doc, uint32(b.times[j])})
		}
		if d.source == 0 {
			continue // a hole
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
	for strand := range Strands {
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

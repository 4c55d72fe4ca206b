package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

// loadView loads a view from the tables.
func loadView(ctx context.Context, q tables.Queryer) (*view, error) {
	v := newView()
	change, removal, err := tables.Counters(ctx, q)
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

// complete returns an error unless all rows of segment and delta were there.
func (v *view) complete(ctx context.Context, q tables.Queryer) error {
	want, err := tables.RowMarks(ctx, q)
	if err != nil {
		return err
	}
	for _, p := range v.parts[1:] {
		want -= tables.SegmentMark(p.id)
	}
	for _, row := range v.parts[0].batches {
		want -= tables.DeltaMark(row.id)
	}
	if want != 0 {
		return fmt.Errorf("%w: rows of it are missing", format.ErrDamaged)
	}
	return nil
}

// loadSources adds or updates the sources that changed since the view was loaded.
func (v *view) loadSources(ctx context.Context, q tables.Queryer) error {
	rows, err := q.QueryContext(ctx, "SELECT id, key, session, origin, state FROM source WHERE changed > ?", v.change)
	if err != nil {
		return tables.Explain(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for rows.Next() {
		var k Source
		var state []byte
		if err := rows.Scan(&k.id, &k.Key, &k.Session, &k.From, &state); err != nil {
			return tables.Explain(err)
		}
		if k.State, err = format.DecodeState(state, &k.Name); err != nil {
			return err
		}
		if old := v.byID[k.id]; old != nil {
			old.State = k.State
		} else {
			v.addSource(&k)
		}
	}
	return tables.Explain(rows.Err())
}

func (v *view) addSource(k *Source) {
	k.place = uint32(len(v.sources)) //nolint:gosec // few
	v.sources = append(v.sources, k)
	v.byID[k.id], v.byKey[k.Key] = k, k
	v.bySession[k.Session] = append(v.bySession[k.Session], k)
}

// dropSource removes a source without passages; its place stays unused.
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

// loadSegments loads the segments and returns their heads.
func (v *view) loadSegments(ctx context.Context, q tables.Queryer) (heads [][]byte, err error) {
	rows, err := q.QueryContext(ctx, "SELECT id, docs, version, heads, firsts, tombs FROM segment ORDER BY id")
	if err != nil {
		return nil, tables.Explain(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for rows.Next() {
		p := &part{}
		var head, firsts []byte
		if err := rows.Scan(&p.id, &p.docs, &p.version, &head, &firsts, &p.tombs); err != nil {
			return nil, tables.Explain(err)
		}
		if p.tombs, err = format.Unseal(p.tombs); err != nil {
			return nil, err
		}
		if err := p.decode(&head, firsts); err != nil {
			return nil, err
		}
		v.parts = append(v.parts, p)
		v.segments[p.id] = p
		heads = append(heads, head)
	}
	return heads, tables.Explain(rows.Err())
}

// decode decodes the blobs of a segment, except for the heads, whose checksum it verifies.
func (p *part) decode(head *[]byte, firsts []byte) (err error) {
	if *head, err = format.Unseal(*head); err != nil {
		return err
	}
	if p.firsts, err = format.DecodeFirsts(firsts); err != nil {
		return err
	}
	if format.CountHeads(*head) != p.docs { // the column has no checksum
		return format.ErrDamaged
	}
	p.positions = make([]uint32, p.docs)
	for i := range p.positions {
		p.positions[i] = noPosition
	}
	return nil
}

// layOut assigns positions to the passages of the segments.
func (v *view) layOut(heads [][]byte) error {
	type room struct {
		key  strandKey
		size uint32
	}
	var rooms []room
	places := map[strandKey]int{}
	last, total := -1, strandGap
	for i, head := range heads {
		n, err := format.EachHead(head, func(_ int, d *format.Passage) {
			key := strandKey{d.Source, d.Strand}
			if last < 0 || rooms[last].key != key { // they are ordered by strand
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
			return format.ErrDamaged
		}
	}
	for _, r := range rooms {
		total += int(r.size) + strandRoom + strandGap
	}
	v.lay.preallocate(total)
	for _, r := range rooms {
		place := uint32(0)
		if k := v.byID[r.key.source]; k != nil {
			place = k.place // else all passages there are dead
		}
		v.lay.reserve(r.key, place, r.size+strandRoom)
	}
	for i, head := range heads {
		p := v.parts[i+1]
		var bad error
		_, err := format.EachHead(head, func(doc int, d *format.Passage) {
			if !p.isDead(doc) {
				bad = cmp.Or(bad, v.put(i+1, uint32(doc), d)) //nolint:gosec // a segment is small
			}
		})
		if err := cmp.Or(err, bad); err != nil {
			return err
		}
	}
	return nil
}

package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
)

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

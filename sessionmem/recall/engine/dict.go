package engine

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"mac-stats/sessionmem/recall/analysis"
)

// dictReader reads postings from the segments. The blocks of the dictionary that a
// question needs are read at once, and each is gone through once.
type dictReader struct {
	q      queryer
	v      *view
	wanted []wantedTerm
	found  []listReader // by the places in wanted before it was sorted
}

// wantedTerm is a term that is looked for in a block.
type wantedTerm struct {
	block int64
	term  string
	place int // in found
}

// load finds the lists of terms. They are told by lists in the order of the terms,
// their variants and the segments.
func (d *dictReader) load(ctx context.Context, terms []analysis.QueryTerm) error {
	var ids []int64
	for _, t := range terms {
		for _, v := range t.Variants {
			for _, p := range d.v.parts[1:] {
				if id, ok := p.blockOf(v.Term); ok {
					d.wanted = append(d.wanted, wantedTerm{id, v.Term, len(d.found)})
					ids = append(ids, id)
				}
				d.found = append(d.found, listReader{})
			}
		}
	}
	blocks, err := d.v.rows(ctx, d.q, "dict", ids)
	if err != nil {
		return err
	}
	slices.SortFunc(d.wanted, func(a, b wantedTerm) int {
		return cmp.Or(cmp.Compare(a.block, b.block), strings.Compare(a.term, b.term))
	})
	for from := 0; from < len(d.wanted); {
		to := from + 1
		for to < len(d.wanted) && d.wanted[to].block == d.wanted[from].block {
			to++
		}
		if err := d.scan(blocks[d.wanted[from].block], d.wanted[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// next gives the lists of the next variant, one for each segment.
func (d *dictReader) next() []listReader {
	n := len(d.v.parts) - 1
	out := d.found[:n]
	d.found = d.found[n:]
	return out
}

// blockOf finds the block of a segment's dictionary that a term would stand in.
func (p *part) blockOf(term string) (id int64, ok bool) {
	n := sort.Search(len(p.firsts), func(i int) bool { return p.firsts[i] > term }) - 1
	return p.id<<rowBits | int64(n), n >= 0
}

// scan looks for terms in a block without its check sum, both in order.
func (d *dictReader) scan(block []byte, wanted []wantedTerm) (err error) {
	r := newBlockReader(block)
	matched := 0 // how much of the first wanted term the last entry begins with, which is before it
	var e entry
	for len(wanted) > 0 && r.next(&e) {
		if e.shared > matched {
			continue // it goes on as the entry before it
		}
		if wanted, matched, err = d.compare(&r, &e, wanted); err != nil {
			return err
		}
	}
	return r.err()
}

// compare takes the terms that an entry is, or is behind, off the wanted ones. It gives
// how much of the first one that is left the entry begins with.
func (d *dictReader) compare(r *blockReader, e *entry, wanted []wantedTerm) (left []wantedTerm, matched int, err error) {
	for same := e.shared; ; {
		term := wanted[0].term
		if same > len(term) {
			return nil, 0, ErrDamaged
		}
		same += sharedPrefix(e.rest[same-e.shared:], term[same:])
		rest := e.rest[same-e.shared:]
		switch {
		case same == len(term) && len(rest) == 0:
			d.found[wanted[0].place] = e.postings(r.width)
		case same < len(term) && (len(rest) == 0 || rest[0] < term[same]):
			return wanted, same, nil
		}
		if wanted = wanted[1:]; len(wanted) == 0 {
			return nil, 0, nil
		}
		// What the next one has in common with this one the entry has too, so far.
		if same = min(same, sharedPrefix(term, wanted[0].term)); same < e.shared {
			return wanted, same, nil
		}
	}
}

package engine

import (
	"context"
	"maps"
	"slices"
	"sort"
	"strings"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

// dictReader reads postings from the segments. It reads the dictionary blocks of a question
// in one go and passes through each once.
type dictReader struct {
	q     tables.Queryer
	v     *view
	found []format.ListReader // ordered by term, variant and segment
}

// load finds the lists of terms.
func (d *dictReader) load(ctx context.Context, terms []analysis.QueryTerm) error {
	segments := d.v.parts[1:]
	n := 0
	for _, t := range terms {
		n += len(t.Variants) * len(segments)
	}
	d.found = make([]format.ListReader, 0, n)
	wanted := map[int64][]format.Lookup{} // by dictionary block
	for _, t := range terms {
		for _, v := range t.Variants {
			for _, p := range segments {
				d.found = append(d.found, format.ListReader{})
				if id, ok := p.blockOf(v.Term); ok {
					wanted[id] = append(wanted[id], format.Lookup{Term: v.Term, List: &d.found[len(d.found)-1]})
				}
			}
		}
	}
	blocks, err := d.v.rows(ctx, d.q, "dict", slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return err
	}
	for id, some := range wanted {
		slices.SortFunc(some, func(a, b format.Lookup) int { return strings.Compare(a.Term, b.Term) })
		if err := format.LookUp(blocks[id], some); err != nil {
			return err
		}
	}
	return nil
}

// next returns the lists of the next variant, one per segment.
func (d *dictReader) next() []format.ListReader {
	n := len(d.v.parts) - 1
	out := d.found[:n]
	d.found = d.found[n:]
	return out
}

// blockOf returns the ID of the dictionary block that would hold a term.
func (p *part) blockOf(term string) (id int64, ok bool) {
	n := sort.Search(len(p.firsts), func(i int) bool { return p.firsts[i] > term }) - 1
	return p.id<<tables.RowBits | int64(n), n >= 0
}

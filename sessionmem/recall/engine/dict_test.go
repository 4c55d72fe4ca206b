package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mac-stats/sessionmem/recall/analysis"
	"mac-stats/sessionmem/recall/engine/format"
	"mac-stats/sessionmem/recall/engine/tables"
)

func TestLookUpFindsTermsInOnePass(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var terms []string
	for len(terms) < 4000 {
		terms = append(terms, strings.Repeat("ab", r.IntN(12))+fmt.Sprintf("%b", r.IntN(1<<14)))
	}
	slices.Sort(terms)
	terms = slices.Compact(terms)
	p, blocks := part{id: 1}, map[int64][]byte{}
	w := format.NewDictWriter(1<<16, func(first string, data []byte) (err error) {
		id := p.id<<tables.RowBits | int64(len(p.firsts))
		p.firsts = append(p.firsts, first)
		blocks[id], err = format.Unseal(slices.Clone(data))
		return err
	})
	for i, term := range terms {
		if err := w.Add(term, []format.Posting{{Doc: uint32(i), N: 1 + uint32(i%3)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if len(blocks) < 5 {
		t.Fatalf("%d blocks are too few to tell", len(blocks))
	}
	for range 300 {
		var asked []string
		for range 1 + r.IntN(30) {
			term := terms[r.IntN(len(terms))]
			asked = append(asked, []string{term, term, term + "0", term[:len(term)-1], term[:len(term)/2] + "~", "", "zz"}[r.IntN(7)])
		}
		d := dictReader{v: &view{parts: []*part{{}, &p}}}
		for id, data := range blocks {
			d.v.cache.put(rowKey{"dict", id}, data)
		}
		q := analysis.QueryTerm{}
		for _, term := range asked {
			q.Variants = append(q.Variants, analysis.Variant{Term: term})
		}
		if err := d.load(t.Context(), []analysis.QueryTerm{q}); err != nil {
			t.Fatal(err)
		}
		for _, term := range asked {
			list := d.next()[0]
			got := list.Read(make([]format.Posting, 2))
			if list.Bad {
				t.Fatalf("the list of %q is bad", term)
			}
			var want []format.Posting
			if i, ok := slices.BinarySearch(terms, term); ok {
				want = []format.Posting{{Doc: uint32(i), N: 1 + uint32(i%3)}}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q of %q: %v, want %v", term, asked, got, want)
			}
		}
	}
}

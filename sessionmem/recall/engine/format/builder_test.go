package format

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/sessionmem/recall/analysis"
)

// said is a passage with its terms.
type said struct {
	Passage
	Terms map[string]uint32
}

// collected returns a builder with passages, and what it has to hold.
func collected(r *rand.Rand, docs []Passage) (*Builder, []said) {
	b := NewBuilder()
	var want []said
	for _, d := range docs {
		s := said{d, map[string]uint32{}}
		var terms analysis.Terms
		if d.Source != 0 {
			for range r.IntN(9) {
				s.Terms[fmt.Sprintf("term%d", r.IntN(30))] = 1 + uint32(r.IntN(70_000))
			}
		}
		for term, n := range s.Terms {
			terms.Freqs = append(terms.Freqs, analysis.TermFreq{Term: term, N: int(n)})
			s.Terms[term] = min(n, 1<<16-1)
		}
		b.Add(d, terms)
		want = append(want, s)
	}
	return b, want
}

// contents returns what a builder holds.
func contents(b *Builder) []said {
	var out []said
	for i, d := range b.Docs {
		s := said{d, map[string]uint32{}}
		b.EachOf(i, func(term string, n uint32) { s.Terms[term] = n })
		out = append(out, s)
	}
	return out
}

func TestASmallChangeRoundTrips(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for range 100 {
		b, want := collected(r, randomPassages(r, 1+r.IntN(40)))
		got, err := DecodeDelta(b.EncodeDelta())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, contents(got)); d != "" || got.TermCount() != b.TermCount() {
			t.Fatal(d)
		}
		more, wantMore := collected(r, randomPassages(r, 1+r.IntN(40)))
		got.AddAll(more)
		if d := cmp.Diff(append(want, wantMore...), contents(got)); d != "" {
			t.Fatalf("together with others: %s", d)
		}
	}
}

func TestErasedPassagesBecomeHoles(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	b, want := collected(r, inARow(20))
	gone := map[int]bool{0: true, 7: true, 19: true}
	for range 2 { // a second time nothing changes
		b = b.Erased(gone)
		for i := range gone {
			want[i] = said{Terms: map[string]uint32{}}
			if !b.IsHole(i) {
				t.Errorf("passage %d is still there", i)
			}
		}
		if d := cmp.Diff(want, contents(b)); d != "" {
			t.Error(d)
		}
		gone = map[int]bool{}
	}
}

func TestASegmentIsInTheOrderOfItsStrands(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	docs := inARow(30)
	for i := range docs {
		docs[i].Source, docs[i].Strand = 1+int64(r.IntN(3)), uint8(r.IntN(Strands))
	}
	r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	b, want := collected(r, docs)
	sorted, eachTerm := b.Sorted()
	if !slices.IsSortedFunc(sorted, func(a, b Passage) int { return compareDocs(&a, &b) }) {
		t.Errorf("%+v", sorted)
	}
	got := make([]said, len(sorted))
	for i, d := range sorted {
		got[i] = said{d, map[string]uint32{}}
	}
	last := ""
	err := eachTerm(func(term string, postings []Posting) error {
		if term <= last || !slices.IsSortedFunc(postings, func(a, b Posting) int { return int(a.Doc) - int(b.Doc) }) {
			t.Errorf("%q with %v comes behind %q", term, postings, last)
		}
		last = term
		for _, p := range postings {
			got[p.Doc].Terms[term] = p.N
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(want, func(a, b said) int { return compareDocs(&a.Passage, &b.Passage) })
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

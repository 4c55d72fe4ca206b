package engine

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"mac-stats/sessionmem/recall/analysis"
)

// builder collects passages with their terms, to be written as a segment or as a
// piece of the delta.
type builder struct {
	docs  []Passage
	ends  []uint32 // of each passage's stretch of terms and times
	terms []uint32 // numbers in names
	times []uint16

	names   []string
	numbers map[string]uint32
}

func newBuilder() *builder { return &builder{numbers: map[string]uint32{}} }

// add takes a passage with its terms.
func (b *builder) add(d Passage, t analysis.Terms) {
	for _, f := range t.Freqs {
		b.addTerm(f.Term, f.N)
	}
	b.put(d)
}

func (b *builder) addTerm(term string, n int) {
	b.terms = append(b.terms, b.number(term))
	b.times = append(b.times, uint16(min(n, math.MaxUint16))) //nolint:gosec // cut
}

// number is a term's place in names.
func (b *builder) number(term string) uint32 {
	n, ok := b.numbers[term]
	if !ok {
		n = uint32(len(b.names)) //nolint:gosec // a segment is small
		b.names = append(b.names, term)
		b.numbers[term] = n
	}
	return n
}

// addAll takes the passages of another builder over, with their terms.
func (b *builder) addAll(other *builder) {
	numbers := make([]uint32, len(other.names))
	for i, name := range other.names {
		numbers[i] = b.number(name)
	}
	before := uint32(len(b.terms)) //nolint:gosec // a segment is small
	for _, t := range other.terms {
		b.terms = append(b.terms, numbers[t])
	}
	b.times = append(b.times, other.times...)
	for _, end := range other.ends {
		b.ends = append(b.ends, before+end)
	}
	b.docs = append(b.docs, other.docs...)
}

// erased is the same with holes in the place of some passages.
func (b *builder) erased(gone map[int]bool) *builder {
	out := newBuilder()
	for doc := range b.docs {
		if gone[doc] || b.docs[doc].source == 0 {
			out.put(Passage{})
		} else {
			out.copy(b, doc)
		}
	}
	return out
}

// copy takes a passage of another builder over, with its terms.
func (b *builder) copy(other *builder, doc int) {
	from, to := other.termsOf(doc)
	for i := from; i < to; i++ {
		b.addTerm(other.names[other.terms[i]], int(other.times[i]))
	}
	b.put(other.docs[doc])
}

// put takes a passage whose terms were added.
func (b *builder) put(d Passage) {
	b.docs = append(b.docs, d)
	b.ends = append(b.ends, uint32(len(b.terms))) //nolint:gosec // a segment is small
}

// termsOf gives a passage's stretch.
func (b *builder) termsOf(doc int) (from, to uint32) {
	if doc > 0 {
		from = b.ends[doc-1]
	}
	return from, b.ends[doc]
}

// inOrder gives the passages' numbers in the order that a segment has: by strands.
func (b *builder) inOrder() []uint32 {
	order := make([]uint32, len(b.docs))
	for i := range order {
		order[i] = uint32(i) //nolint:gosec // a segment is small
	}
	slices.SortStableFunc(order, func(i, j uint32) int { return compareDocs(&b.docs[i], &b.docs[j]) })
	return order
}

func compareDocs(a, b *Passage) int {
	return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.Strand, b.Strand), cmp.Compare(a.Seq, b.Seq))
}

// sorted gives the passages in the order that a segment has.
func (b *builder) sorted(order []uint32) []Passage {
	docs := make([]Passage, len(order))
	for i, from := range order {
		docs[i] = b.docs[from]
	}
	return docs
}

// eachTerm gives the terms in their order, with their postings among the passages in
// that order.
func (b *builder) eachTerm(order []uint32, each func(term string, postings []posting) error) error {
	starts := make([]uint32, len(b.names)+1)
	for _, t := range b.terms {
		starts[t+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	all := make([]posting, len(b.terms))
	next := slices.Clone(starts)
	for doc, from := range order {
		first, end := b.termsOf(int(from))
		for i := first; i < end; i++ {
			t := b.terms[i]
			all[next[t]] = posting{uint32(doc), uint32(b.times[i])} //nolint:gosec // a segment is small
			next[t]++
		}
	}
	byName := make([]uint32, len(b.names))
	for i := range byName {
		byName[i] = uint32(i) //nolint:gosec // a segment is small
	}
	slices.SortFunc(byName, func(i, j uint32) int { return strings.Compare(b.names[i], b.names[j]) })
	for _, t := range byName {
		if err := each(b.names[t], all[starts[t]:starts[t+1]]); err != nil {
			return err
		}
	}
	return nil
}

// encodeDelta writes the passages with their terms as one blob.
func (b *builder) encodeDelta() []byte {
	heads := appendHeads(nil, b.docs)
	details := appendDetails(nil, b.docs)
	var out []byte
	for _, part := range [][]byte{heads, details} {
		out = appendInt(out, len(part))
		out = append(out, part...)
	}
	for doc := range b.docs {
		from, to := b.termsOf(doc)
		out = appendInt(out, int(to-from))
		for i := from; i < to; i++ {
			out = appendText(out, b.names[b.terms[i]])
			out = appendInt(out, int(b.times[i]))
		}
	}
	return sealed(out)
}

// decodeDelta reads what encodeDelta wrote and adds it to the builder.
func (b *builder) decodeDelta(blob []byte) error {
	data, err := unseal(blob)
	if err != nil {
		return err
	}
	r := decoder{data: data}
	heads, details := r.bytes(r.uint()), r.bytes(r.uint())
	docs, err := readPassages(heads, details)
	if err != nil || r.bad {
		return ErrDamaged
	}
	for i := range docs {
		for range r.int() {
			term := r.text()
			b.addTerm(term, r.int())
			if r.bad {
				return ErrDamaged
			}
		}
		b.put(docs[i])
	}
	return nil
}

// readPassages reads whole passages.
func readPassages(heads, details []byte) ([]Passage, error) {
	var docs []Passage
	n, err := eachHead(heads, func(i int, d *Passage) {
		for len(docs) < i {
			docs = append(docs, Passage{})
		}
		docs = append(docs, *d)
	})
	if err != nil {
		return nil, err
	}
	docs = append(docs, make([]Passage, n-len(docs))...)
	return docs, readDetails(details, docs)
}

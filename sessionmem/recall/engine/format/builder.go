package format

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"mac-stats/sessionmem/recall/analysis"
)

// Builder collects passages with their terms, to be written as a segment or as a row of the
// delta.
type Builder struct {
	Docs  []Passage
	ends  []uint32 // per passage: end of its range in terms and times
	terms []uint32 // indexes into names
	times []uint16

	names   []string
	numbers map[string]uint32
}

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder { return &Builder{numbers: map[string]uint32{}} }

// Add adds a passage with its terms.
func (b *Builder) Add(d Passage, t analysis.Terms) {
	for _, f := range t.Freqs {
		b.addTerm(f.Term, f.N)
	}
	b.put(d)
}

func (b *Builder) addTerm(term string, n int) {
	b.terms = append(b.terms, b.number(term))
	b.times = append(b.times, uint16(min(n, math.MaxUint16))) //nolint:gosec // cut
}

// TermCount returns the total number of terms in all passages.
func (b *Builder) TermCount() int { return len(b.terms) }

// number returns the index of a term in names.
func (b *Builder) number(term string) uint32 {
	n, ok := b.numbers[term]
	if !ok {
		n = uint32(len(b.names)) //nolint:gosec // a segment is small
		b.names = append(b.names, term)
		b.numbers[term] = n
	}
	return n
}

// AddAll adds the passages of another builder with their terms.
func (b *Builder) AddAll(other *Builder) {
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
	b.Docs = append(b.Docs, other.Docs...)
}

// Erased returns a copy with holes in place of some passages.
func (b *Builder) Erased(gone map[int]bool) *Builder {
	out := NewBuilder()
	for doc := range b.Docs {
		if gone[doc] || b.IsHole(doc) {
			out.put(Passage{})
		} else {
			out.Copy(b, doc)
		}
	}
	return out
}

// Copy adds a passage of another builder with its terms.
func (b *Builder) Copy(other *Builder, doc int) {
	other.EachOf(doc, func(term string, n uint32) { b.addTerm(term, int(n)) })
	b.put(other.Docs[doc])
}

// put adds a passage whose terms were added before.
func (b *Builder) put(d Passage) {
	b.Docs = append(b.Docs, d)
	b.ends = append(b.ends, uint32(len(b.terms))) //nolint:gosec // a segment is small
}

// termsOf returns the range of a passage's terms.
func (b *Builder) termsOf(doc int) (from, to uint32) {
	if doc > 0 {
		from = b.ends[doc-1]
	}
	return from, b.ends[doc]
}

// EachOf calls each for the terms of a passage.
func (b *Builder) EachOf(doc int, each func(term string, n uint32)) {
	for i, to := b.termsOf(doc); i < to; i++ {
		each(b.names[b.terms[i]], uint32(b.times[i]))
	}
}

// IsHole reports whether a passage was erased.
func (b *Builder) IsHole(doc int) bool { return b.Docs[doc].Source == 0 }

// InOrder returns the indexes of passages in the order of a segment: by strand.
func InOrder(docs []Passage) []uint32 {
	order := make([]uint32, len(docs))
	for i := range order {
		order[i] = uint32(i) //nolint:gosec // a segment is small
	}
	slices.SortStableFunc(order, func(i, j uint32) int { return compareDocs(&docs[i], &docs[j]) })
	return order
}

func compareDocs(a, b *Passage) int {
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Strand, b.Strand), cmp.Compare(a.Seq, b.Seq))
}

// Sorted returns the passages in the order of a segment, and a function that yields the
// terms in order, with their postings among these passages.
func (b *Builder) Sorted() (docs []Passage, eachTerm func(each func(term string, postings []Posting) error) error) {
	order := InOrder(b.Docs)
	docs = make([]Passage, len(order))
	for i, from := range order {
		docs[i] = b.Docs[from]
	}
	return docs, func(each func(term string, postings []Posting) error) error { return b.eachTerm(order, each) }
}

// eachTerm calls each for the terms in order, with their postings among the passages in the
// given order.
func (b *Builder) eachTerm(order []uint32, each func(term string, postings []Posting) error) error {
	starts := make([]uint32, len(b.names)+1)
	for _, t := range b.terms {
		starts[t+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	all := make([]Posting, len(b.terms))
	next := slices.Clone(starts)
	for doc, from := range order {
		first, end := b.termsOf(int(from))
		for i := first; i < end; i++ {
			t := b.terms[i]
			all[next[t]] = Posting{uint32(doc), uint32(b.times[i])} //nolint:gosec // a segment is small
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

// EncodeDelta encodes the passages with their terms as one blob.
func (b *Builder) EncodeDelta() []byte {
	heads := AppendHeads(nil, b.Docs)
	details := AppendDetails(nil, b.Docs)
	var out []byte
	for _, part := range [][]byte{heads, details} {
		out = appendInt(out, len(part))
		out = append(out, part...)
	}
	for doc := range b.Docs {
		from, to := b.termsOf(doc)
		out = appendInt(out, int(to-from))
		for i := from; i < to; i++ {
			out = appendText(out, b.names[b.terms[i]])
			out = appendInt(out, int(b.times[i]))
		}
	}
	return Seal(out)
}

// DecodeDelta decodes the result of EncodeDelta.
func DecodeDelta(blob []byte) (*Builder, error) {
	data, err := Unseal(blob)
	if err != nil {
		return nil, err
	}
	b, r := NewBuilder(), decoder{data: data}
	heads, details := r.bytes(r.uint()), r.bytes(r.uint())
	docs, err := readPassages(heads, details)
	if err != nil || r.bad {
		return nil, ErrDamaged
	}
	for i := range docs {
		for range r.int() {
			term := r.text()
			b.addTerm(term, r.int())
			if r.bad {
				return nil, ErrDamaged
			}
		}
		b.put(docs[i])
	}
	return b, nil
}

// readPassages decodes whole passages.
func readPassages(heads, details []byte) ([]Passage, error) {
	var docs []Passage
	n, err := EachHead(heads, func(i int, d *Passage) {
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

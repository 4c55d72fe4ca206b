package format

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A segment's dictionary is a row of blocks in the order of their terms, each read as
// one. A block begins with how many bytes a passage's number takes. An entry is the
// length shared with the term before it and that of the rest, in one byte where both
// are small; the rest of the term; in how many passages it stands, doubled, odd where
// it stands in one of them more than once; and the list of these: the number of a single
// passage where it is, else the size of the list and its bits.

const (
	// dictRoom is how large a block's row may be for a page of the file to hold it, and
	// dictStep how much more each other page holds: blocks end just before that, so that
	// pages are full.
	dictRoom = 4056
	dictStep = 4092
	// dictSmall is the entry that goes into the next block where it does not fit; a larger
	// one takes more pages.
	dictSmall = 1 << 10
	// dictMost is where a block ends in any case.
	dictMost = 32 << 10
	// sealSize is the size of a check sum.
	sealSize = 4
)

// Posting says how often a term stands in a passage.
type Posting struct{ Doc, N uint32 }

// NewDictWriter writes the dictionary of a segment of so many passages. A block is emitted
// with its first term, and valid until emit returns.
func NewDictWriter(docs int, emit func(first string, block []byte) error) *DictWriter {
	return &DictWriter{docs: docs, emit: emit}
}

// DictWriter writes blocks of terms, which must come in order.
type DictWriter struct {
	emit  func(first string, block []byte) error
	docs  int  // of the segment
	whole bool // all in one block
	first string
	last  string
	block []byte
	entry []byte
	list  []byte
}

// Add adds a term with its postings, in the order of passages.
func (w *DictWriter) Add(term string, postings []Posting) error {
	if len(postings) == 0 {
		return nil
	}
	w.encode(term, sharedPrefix(w.last, term), postings)
	if n := len(w.block); n > 0 && !w.whole && (n+len(w.entry)+sealSize > roomFor(n) && len(w.entry) < dictSmall || n > dictMost) {
		if err := w.Flush(); err != nil {
			return err
		}
		w.encode(term, 0, postings)
	}
	w.put(term)
	return nil
}

// take adds a term with what stands behind its name in a block of the same segment.
func (w *DictWriter) take(term string, tail []byte) {
	shared := sharedPrefix(w.last, term)
	w.entry = appendLengths(w.entry[:0], shared, len(term)-shared)
	w.entry = append(append(w.entry, term[shared:]...), tail...)
	w.put(term)
}

// put puts the entry of a term behind the others.
func (w *DictWriter) put(term string) {
	if len(w.block) == 0 {
		w.first = term
		w.block = append(w.block, docWidth(w.docs))
	}
	w.block = append(w.block, w.entry...)
	w.last = term
}

// roomFor is how large the row of a block of n bytes becomes at most.
func roomFor(n int) int {
	room := dictRoom
	for room < n+sealSize {
		room += dictStep
	}
	return room
}

// docWidth is how many bytes the number of a passage takes.
func docWidth(docs int) byte {
	return byte(max(1, (bits.Len(uint(max(docs-1, 0)))+7)/8)) //nolint:gosec // at most 8
}

// encode makes an entry.
func (w *DictWriter) encode(term string, shared int, postings []Posting) {
	rest := term[shared:]
	w.entry = appendLengths(w.entry[:0], shared, len(rest))
	w.entry = append(w.entry, rest...)
	often := slices.ContainsFunc(postings, func(p Posting) bool { return p.N != 1 })
	w.entry = appendInt(w.entry, len(postings)<<1|flagOf(often))
	if len(postings) == 1 && !often {
		doc := binary.LittleEndian.AppendUint64(nil, uint64(postings[0].Doc))
		w.entry = append(w.entry, doc[:docWidth(w.docs)]...)
		return
	}
	w.list = appendPostings(w.list[:0], postings, often)
	w.entry = appendInt(w.entry, len(w.list))
	w.entry = append(w.entry, w.list...)
}

// A length of half a byte that says that the length follows.
const longLength = 15

// appendLengths writes two lengths, in one byte where both are small.
func appendLengths(out []byte, a, b int) []byte {
	out = append(out, byte(min(a, longLength)<<4|min(b, longLength))) //nolint:gosec // half a byte each
	for _, n := range [2]int{a, b} {
		if n >= longLength {
			out = appendInt(out, n-longLength)
		}
	}
	return out
}

func (d *decoder) lengths() (a, b int) {
	both := d.byte()
	a, b = int(both>>4), int(both&15)
	if a == longLength {
		a += d.int()
	}
	if b == longLength {
		b += d.int()
	}
	return a, b
}

// Flush writes the last block.
func (w *DictWriter) Flush() error {
	if len(w.block) == 0 {
		return nil
	}
	err := w.emit(w.first, Seal(w.block))
	w.block, w.last = w.block[:0], ""
	return err
}

func sharedPrefix[A, B string | []byte](a A, b B) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// entry is a term of a block.
type entry struct {
	shared int
	rest   []byte
	n      int
	often  bool
	list   []byte // and what stands behind it
	size   int
	tail   []byte // all behind the term
}

// blockReader reads the entries of a block, without its check sum.
type blockReader struct {
	decoder
	width int
}

func newBlockReader(data []byte) blockReader {
	r := blockReader{decoder: decoder{data: data}}
	if len(data) > 0 {
		r.width = int(r.byte())
	}
	return r
}

// next reads an entry; false behind the last one, and where the block is bad.
func (r *blockReader) next(e *entry) bool {
	if len(r.data) == 0 {
		return false
	}
	var length int
	e.shared, length = r.lengths()
	e.rest = r.bytes(uint64(length)) //nolint:gosec // never negative
	behind := r.data
	count := r.uint()
	e.n, e.often = int(count>>1), count&1 != 0 //nolint:gosec // half of it
	if e.size = r.width; e.n != 1 || e.often {
		e.size = r.int()
	}
	e.list = r.data
	r.bytes(uint64(e.size)) //nolint:gosec // too large where it is negative
	if r.bad = r.bad || e.n <= 0; r.bad {
		return false
	}
	e.tail = behind[:len(behind)-len(r.data)]
	return true
}

// postings reads the list.
func (e *entry) postings(width int) ListReader {
	if e.n != 1 || e.often {
		return newListReader(e.list, e.size, e.n, e.often)
	}
	doc := uint32(0)
	for i := range min(width, len(e.list), 4) {
		doc |= uint32(e.list[i]) << (8 * i)
	}
	return singleReader(doc)
}

// all reads all postings behind those in out.
func (r *ListReader) all(out []Posting) ([]Posting, error) {
	for r.Left > 0 {
		n := len(out)
		some := min(r.Left, ListBatch)
		out = slices.Grow(out, some)[:n+some]
		out = out[:n+len(r.Read(out[n:]))]
	}
	if r.Bad {
		return nil, ErrDamaged
	}
	return out, nil
}

// ListBatch is how many postings are read at a time: what is written in a damaged
// index is no reason to take memory for.
const ListBatch = 256

// EachTerm reads the entries of a sealed block, in order. The postings are valid until
// the next one.
func EachTerm(block []byte, each func(term string, postings []Posting) error) error {
	data, err := Unseal(block)
	if err != nil {
		return err
	}
	r := newBlockReader(data)
	var term []byte
	var postings []Posting
	for e := (entry{}); r.next(&e); {
		if e.shared > len(term) {
			return ErrDamaged
		}
		term = append(term[:e.shared], e.rest...)
		list := e.postings(r.width)
		if postings, err = list.all(postings[:0]); err != nil {
			return err
		}
		if err := each(string(term), postings); err != nil {
			return err
		}
	}
	return r.err()
}

// EncodeFirsts writes the first terms of a segment's blocks.
func EncodeFirsts(firsts []string) []byte {
	out := appendInt(nil, len(firsts))
	for _, f := range firsts {
		out = appendText(out, f)
	}
	return Seal(out)
}

// DecodeFirsts reads what encodeFirsts wrote.
func DecodeFirsts(blob []byte) ([]string, error) {
	data, err := Unseal(blob)
	if err != nil {
		return nil, err
	}
	r := decoder{data: data}
	firsts := make([]string, 0, min(r.int(), len(data)))
	for len(r.data) > 0 && !r.bad {
		firsts = append(firsts, r.text())
	}
	return firsts, r.err()
}

package format

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// The dictionary of a segment is a list of blocks in the order of their terms, each read as a
// whole. A block begins with the number of bytes in a passage number. An entry consists of
// the length shared with the preceding term and the length of the rest, in one byte if both
// are small; the rest of the term; twice the number of passages with the term, plus one if
// it occurs more than once in any of them; and its list: the number of a single passage if
// there is just one, else the size of the list and its bits.

const (
	// dictRoom is the size of a block's row that fits one page of the file, and dictStep
	// what each further page holds: blocks end just below such a size, so that pages are
	// full.
	dictRoom = 4056
	dictStep = 4092
	// dictSmall limits the entries that move to the next block if they don't fit; a larger
	// one takes more pages.
	dictSmall = 1 << 10
	// dictMax is the size at which a block ends in any case.
	dictMax = 32 << 10
	// sealSize is the size of a checksum.
	sealSize = 4
)

// Posting is a passage and how often a term occurs in it.
type Posting struct{ Doc, N uint32 }

// NewDictWriter returns a writer for the dictionary of a segment of docs passages. emit gets
// each block with its first term; the block is valid until emit returns.
func NewDictWriter(docs int, emit func(first string, block []byte) error) *DictWriter {
	return &DictWriter{docs: docs, emit: emit}
}

// DictWriter writes blocks of terms, which must come in order.
type DictWriter struct {
	emit  func(first string, block []byte) error
	docs  int  // in the segment
	whole bool // write a single block
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
	if n := len(w.block); n > 0 && !w.whole && (n+len(w.entry)+sealSize > roomFor(n) && len(w.entry) < dictSmall || n > dictMax) {
		if err := w.Flush(); err != nil {
			return err
		}
		w.encode(term, 0, postings)
	}
	w.put(term)
	return nil
}

// addEncoded adds a term with its encoded entry from a block of the same segment.
func (w *DictWriter) addEncoded(term string, tail []byte) {
	shared := sharedPrefix(w.last, term)
	w.entry = appendLengths(w.entry[:0], shared, len(term)-shared)
	w.entry = append(append(w.entry, term[shared:]...), tail...)
	w.put(term)
}

// put appends the entry of a term.
func (w *DictWriter) put(term string) {
	if len(w.block) == 0 {
		w.first = term
		w.block = append(w.block, docWidth(w.docs))
	}
	w.block = append(w.block, w.entry...)
	w.last = term
}

// roomFor returns the largest row size for a block of n bytes.
func roomFor(n int) int {
	room := dictRoom
	for room < n+sealSize {
		room += dictStep
	}
	return room
}

// docWidth returns how many bytes a passage number takes.
func docWidth(docs int) byte {
	return byte(max(1, (bits.Len(uint(max(docs-1, 0)))+7)/8)) //nolint:gosec // at most 8
}

// encode encodes an entry.
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

// longLength in a half byte means that the rest of the length follows.
const longLength = 15

// appendLengths encodes two lengths, in one byte if both are small.
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
	list   []byte // the list and the data after it
	size   int
	tail   []byte // everything after the term
}

// blockReader reads the entries of a block without its checksum.
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

// next reads an entry; false after the last one or if the block is damaged.
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
	r.bytes(uint64(e.size)) //nolint:gosec // out of range if negative
	if r.bad = r.bad || e.n <= 0; r.bad {
		return false
	}
	e.tail = behind[:len(behind)-len(r.data)]
	return true
}

// postings returns a reader for the list.
func (e *entry) postings(width int) ListReader {
	if e.n != 1 || e.often {
		return newListReader(e.list, e.size, e.n, e.often)
	}
	doc := uint32(0)
	for i := range min(width, len(e.list), 4) {
		doc |= uint32(e.list[i]) << (8 * i)
	}
	return ListReader{Left: 1, doc: doc, single: true}
}

// all appends all postings to out.
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

// ListBatch is how many postings are read at a time: a damaged count must not lead to a
// large allocation.
const ListBatch = 256

// EachTerm reads the entries of a sealed block in order. The postings are valid until each
// returns.
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

// EncodeFirsts encodes the first terms of a segment's blocks.
func EncodeFirsts(firsts []string) []byte {
	out := appendInt(nil, len(firsts))
	for _, f := range firsts {
		out = appendText(out, f)
	}
	return Seal(out)
}

// DecodeFirsts decodes the result of EncodeFirsts.
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

package recall

import (
	"encoding/binary"
	"slices"
)

// A segment's dictionary is a row of blocks in the order of their terms, each read as
// one: an entry is the length shared with the term before it, the rest of the term, in
// how many documents it stands, and where that is. A document is written as its
// distance to the one before it, doubled; odd where its number of times follows.

// dictBlock is how large a block grows in bytes before the next one begins.
const dictBlock = 4 << 10

// posting says how often a term stands in a document.
type posting struct{ doc, n uint32 }

// dictWriter writes blocks of terms, which must come in order.
type dictWriter struct {
	emit  func(first string, block []byte) error
	whole bool // all in one block
	first string
	last  string
	block []byte
	list  []byte
}

// add adds a term with its postings, in the order of documents.
func (w *dictWriter) add(term string, postings []posting) error {
	if len(postings) == 0 {
		return nil
	}
	if len(w.block) >= dictBlock && !w.whole {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if len(w.block) == 0 {
		w.first, w.last = term, ""
	}
	shared := sharedPrefix(w.last, term)
	w.block = appendInt(w.block, shared)
	w.block = appendText(w.block, term[shared:])
	w.block = appendInt(w.block, len(postings))
	w.list = appendPostings(w.list[:0], postings)
	if len(postings) > 1 {
		w.block = appendInt(w.block, len(w.list))
	}
	w.block = append(w.block, w.list...)
	w.last = term
	return nil
}

// flush writes the last block.
func (w *dictWriter) flush() error {
	if len(w.block) == 0 {
		return nil
	}
	err := w.emit(w.first, sealed(w.block))
	w.block = w.block[:0]
	return err
}

func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func appendPostings(out []byte, postings []posting) []byte {
	at := uint32(0)
	for _, p := range postings {
		if p.n == 1 {
			out = binary.AppendUvarint(out, uint64(p.doc-at)<<1)
		} else {
			out = binary.AppendUvarint(out, uint64(p.doc-at)<<1|1)
			out = binary.AppendUvarint(out, uint64(p.n))
		}
		at = p.doc + 1
	}
	return out
}

// postings reads n of them.
func (d *decoder) postings(n int, each func(doc, n uint32)) {
	at := uint32(0)
	for range n {
		v := d.uint()
		times := uint32(1)
		if v&1 != 0 {
			times = d.uint32()
		}
		at += uint32(v >> 1) //nolint:gosec // written from 32 bits
		each(at, times)
		at++
	}
}

// listOf finds a term in a sealed block and gives its postings as they are written.
func listOf(block []byte, term string) (list []byte, n int, err error) {
	data, err := unseal(block)
	if err != nil {
		return nil, 0, err
	}
	r := decoder{data: data}
	matched := 0 // how much of the term the last entry begins with
	for len(r.data) > 0 {
		shared := r.int()
		rest := r.bytes(r.uint())
		n := r.int()
		list := r.list(n)
		if r.bad {
			return nil, 0, errDamaged
		}
		if shared > matched {
			continue // it goes on as the entry before it, which is before the term
		}
		same := sharedPrefix(string(rest), term[shared:])
		switch matched = shared + same; {
		case matched == len(term) && same == len(rest):
			return list, n, nil
		case same < len(rest) && (matched == len(term) || rest[same] > term[matched]):
			return nil, 0, nil // behind the term
		}
	}
	return nil, 0, nil
}

// list gives the bytes of an entry's postings.
func (d *decoder) list(n int) []byte {
	if n != 1 {
		return d.bytes(d.uint())
	}
	before := d.data
	if d.uint()&1 != 0 {
		d.uint()
	}
	return before[:len(before)-len(d.data)]
}

// eachTerm reads the entries of a sealed block, in order. The postings are valid until
// the next one.
func eachTerm(block []byte, each func(term string, postings []posting) error) error {
	data, err := unseal(block)
	if err != nil {
		return err
	}
	r := decoder{data: data}
	var term []byte
	var postings []posting
	for len(r.data) > 0 {
		shared := r.int()
		rest := r.bytes(r.uint())
		n := r.int()
		if shared > len(term) || r.bad {
			return errDamaged
		}
		term = append(term[:shared], rest...)
		list := decoder{data: r.list(n)}
		postings = slices.Grow(postings[:0], min(n, len(list.data)))
		list.postings(n, func(doc, n uint32) { postings = append(postings, posting{doc, n}) })
		if r.bad || list.bad {
			return errDamaged
		}
		if err := each(string(term), postings); err != nil {
			return err
		}
	}
	return nil
}

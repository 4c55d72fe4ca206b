package format

import (
	"encoding/binary"
	"math/bits"
)

// Postings are encoded as bits, the lowest of a byte first: the distance from one passage to
// the next in Rice coding, that is a quotient in unary (so many zeros and a one) and a
// remainder with a fixed number of bits. A term in a third of the passages takes about three
// bits per passage, a rare one hardly more than the minimum.

const (
	// widthBits is the size of the remainder width at the head of a list.
	widthBits = 5
	// From manyTimes on, the rest of a count follows in timesBits.
	manyTimes = 8
	timesBits = 16
)

// bitWriter appends bits to bytes.
type bitWriter struct {
	out  []byte
	word uint64
	n    uint
}

// bits writes n bits, at most 32.
func (w *bitWriter) bits(v uint64, n uint) {
	w.word |= v << w.n
	if w.n += n; w.n >= 32 {
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(w.word)) //nolint:gosec // only the low half
		w.word >>= 32
		w.n -= 32
	}
}

// unary writes q zeros and a one.
func (w *bitWriter) unary(q uint32) {
	for ; q >= 31; q -= 31 {
		w.bits(0, 31)
	}
	w.bits(1<<q, uint(q)+1)
}

// times writes how often a term occurs in a passage.
func (w *bitWriter) times(n uint32) {
	w.unary(min(n, manyTimes) - 1)
	if n >= manyTimes {
		w.bits(uint64(n-manyTimes), timesBits)
	}
}

// close pads the last byte.
func (w *bitWriter) close() []byte {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.out = append(w.out, byte(w.word)) //nolint:gosec // only the lowest byte
		w.word >>= 8
	}
	return w.out
}

// appendPostings encodes a list; often means that some counts aren't one.
func appendPostings(out []byte, postings []Posting, often bool) []byte {
	w := bitWriter{out: out}
	width := riceWidth(postings)
	w.bits(uint64(width), widthBits)
	at := uint32(0)
	for _, p := range postings {
		gap := p.Doc - at
		w.unary(gap >> width)
		w.bits(uint64(gap)&(1<<width-1), width)
		if often {
			w.times(p.N)
		}
		at = p.Doc + 1
	}
	return w.close()
}

// riceWidth returns the width of the remainders: about the logarithm of the average
// distance. The quotients then take less than three bits each, however uneven the distances
// are.
func riceWidth(postings []Posting) uint {
	n := uint64(len(postings))
	free := uint64(postings[n-1].Doc) + 1 - n // passages without the term
	return uint(bits.Len64(free * 7 / (n * 10)))
}

// ListReader reads postings.
type ListReader struct {
	data  []byte // the list and the data after it
	size  int    // bytes in the list
	Left  int    // postings still to read
	often bool
	doc   uint32 // lower bound of the next passage
	width uint
	Bad   bool
	// single means that doc is the whole list.
	single bool

	at   int // in data: the next byte to load into word
	word uint64
	have uint // bits in word
}

// newListReader reads a list of n postings in the first size bytes of data.
func newListReader(data []byte, size, n int, often bool) ListReader {
	r := ListReader{data: data, size: size, Left: n, often: often}
	r.fill()
	r.width = uint(r.word & (1<<widthBits - 1))
	r.drop(widthBits)
	return r
}

// fill loads at least 56 bits into word, zeros past the end.
func (r *ListReader) fill() {
	if r.at+8 <= len(r.data) {
		r.word |= binary.LittleEndian.Uint64(r.data[r.at:]) << r.have
		r.at += int((63 - r.have) >> 3) //nolint:gosec // at most 7
		r.have |= 56
		return
	}
	for ; r.have <= 56; r.have += 8 {
		if r.at < len(r.data) {
			r.word |= uint64(r.data[r.at]) << r.have
		}
		r.at++
	}
}

func (r *ListReader) drop(n uint) {
	r.word >>= n
	r.have -= n
}

// Read reads the next postings, at most len(out).
func (r *ListReader) Read(out []Posting) []Posting {
	out = out[:min(len(out), r.Left)]
	if r.single && len(out) > 0 {
		r.Left, out[0] = 0, Posting{r.doc, 1}
		return out
	}
	mask, width, doc := uint64(1)<<r.width-1, r.width, r.doc
	for i := range out {
		if r.have < 56 {
			r.fill()
		}
		word := r.word
		q := uint(bits.TrailingZeros64(word)) //nolint:gosec // at most 64
		if used := q + 1 + width; used <= 48 {
			doc += uint32(q<<width) | uint32(word>>(q+1)&mask) //nolint:gosec // written from 32 bits
			r.drop(used)
		} else {
			q = r.unary()
			r.fill()
			doc += uint32(q<<width) | uint32(r.word&mask) //nolint:gosec // written from 32 bits
			r.drop(width)
		}
		n := uint32(1)
		if r.often {
			n = r.times()
		}
		out[i] = Posting{doc, n}
		doc++
	}
	r.doc = doc
	r.Left -= len(out)
	if r.Bad || r.at*8-int(r.have) > r.size*8 { //nolint:gosec // at most 64
		r.Bad, r.Left = true, 0
		return nil
	}
	return out
}

// unary reads zeros up to a one.
func (r *ListReader) unary() uint {
	q := uint(0)
	for {
		r.fill()
		if n := uint(bits.TrailingZeros64(r.word)); n < r.have { //nolint:gosec // at most 64
			r.drop(n + 1)
			return q + n
		}
		q += r.have
		r.word, r.have = 0, 0
		if r.at > len(r.data) {
			r.Bad = true // there is no one left
			return q
		}
	}
}

// times reads how often a term occurs in a passage.
func (r *ListReader) times() uint32 {
	if r.have < manyTimes+timesBits {
		r.fill()
	}
	n := uint(bits.TrailingZeros64(r.word)) + 1 //nolint:gosec // at most 64
	if n > manyTimes {
		r.Bad = true
		n = manyTimes
	}
	r.drop(n)
	if n < manyTimes {
		return uint32(n)
	}
	more := uint32(r.word & (1<<timesBits - 1)) //nolint:gosec // 16 bits
	r.drop(timesBits)
	return manyTimes + more
}

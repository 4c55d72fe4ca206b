package recall

import (
	"encoding/binary"
	"time"

	"mac-stats/sessionmem/recall/analysis"
)

// document is a chunk in the index, without its terms.
type document struct {
	number  uint32 // never given twice; a vector is found by it
	source  int64
	strand  uint8
	seq     uint32 // in the strand
	words   uint32
	marks   analysis.Marks
	kind    uint8 // in kindCodes
	strange bool
	goesOn  bool  // it is not the first part of its message
	time    int64 // seconds since 1970; 0: none

	// What follows is for the answer alone.
	block  string
	part   int
	turn   int
	agent  string
	file   int // which of the source's files
	offset int64
	size   int64
	bare   bool
	hash   uint32
}

// kindCodes are the kinds by the numbers they have in the index.
var kindCodes = [...]Kind{"", KindUser, KindAssistant, KindAgent, KindTool, KindSummary, KindMemory, "text"}

func codeOf(k Kind) uint8 {
	for i, kind := range kindCodes {
		if kind == k {
			return uint8(i) //nolint:gosec // eight of them
		}
	}
	return 0
}

// newDocument makes a document of a piece.
func newDocument(p *piece, file int, t analysis.Terms) document {
	d := document{
		strand: uint8(p.strand), seq: uint32(p.seq), words: uint32(t.Words), marks: t.Marks, kind: codeOf(p.Kind), strange: p.Untrusted, goesOn: p.Session != "" && p.Part > 0, //nolint:gosec // small
		block: p.Block, part: p.Part, turn: p.Turn, agent: p.Agent,
		file: file, offset: p.place.offset, size: p.place.size, bare: p.place.bare, hash: p.place.hash,
	}
	if !p.Time.IsZero() {
		d.time = p.Time.Unix()
	}
	return d
}

// same says whether a document of the index is the one that a piece makes now.
func (d *document) same(p *piece, file int) bool {
	return d.block == p.Block && d.part == p.Part && d.hash == p.place.hash && int(d.seq) == p.seq && int(d.strand) == p.strand &&
		d.turn == p.Turn && d.kind == codeOf(p.Kind) && d.agent == p.Agent && d.strange == p.Untrusted && d.when().Equal(p.Time.Truncate(time.Second)) &&
		d.file == file && d.offset == p.place.offset && d.bare == p.place.bare
}

// when is the document's time.
func (d *document) when() time.Time {
	if d.time == 0 {
		return time.Time{}
	}
	return time.Unix(d.time, 0)
}

// The bits of a document's byte of flags: marks, kind, words of strangers, and whether
// the message began in the document before it.
const (
	flagKind    = 2
	flagStrange = 1 << 5
	flagGap     = 1 << 6 // in a head alone: its place in the strand, or its number, does not follow the one before it
	flagGoesOn  = 1 << 7
)

func (d *document) flags() byte {
	f := byte(d.marks&3) | d.kind<<flagKind
	if d.strange {
		f |= flagStrange
	}
	if d.goesOn {
		f |= flagGoesOn
	}
	return f
}

func (d *document) setFlags(f byte) {
	d.marks, d.kind, d.strange = analysis.Marks(f&3), f>>flagKind&7, f&flagStrange != 0
	d.goesOn = f&flagGoesOn != 0
}

// A list of documents is written as two blobs: heads, what ranking needs of all of
// them; and details, what an answer needs of few. Heads come in runs of one strand.

// appendHeads adds the heads of documents. One of source 0 is a hole: it was erased.
func appendHeads(out []byte, docs []document) []byte {
	out = appendInt(out, len(docs))
	for i := 0; i < len(docs); {
		n := runLength(docs[i:])
		out = appendRun(out, docs[i:i+n])
		i += n
	}
	return out
}

// runLength is how many documents at the beginning are of one strand, in its order.
func runLength(docs []document) int {
	n := 1
	for n < len(docs) && docs[n].source == docs[0].source && docs[n].strand == docs[0].strand &&
		(docs[0].source == 0 || docs[n].seq > docs[n-1].seq) {
		n++
	}
	return n
}

func appendRun(out []byte, docs []document) []byte {
	first := docs[0]
	out = binary.AppendUvarint(out, uint64(first.source)) //nolint:gosec // never negative
	out = appendInt(out, len(docs))
	if first.source == 0 {
		return out
	}
	out = append(out, first.strand)
	seq, number, at := first.seq, first.number, int64(0)
	out = binary.AppendUvarint(out, uint64(seq))
	out = binary.AppendUvarint(out, uint64(number))
	for _, d := range docs {
		if d.seq == seq && d.number == number {
			out = append(out, d.flags())
		} else {
			out = append(out, d.flags()|flagGap)
			out = binary.AppendUvarint(out, uint64(d.seq-seq))
			out = binary.AppendVarint(out, int64(d.number)-int64(number))
		}
		out = binary.AppendUvarint(out, uint64(d.words))
		out = binary.AppendVarint(out, d.time-at)
		seq, number, at = d.seq+1, d.number+1, d.time
	}
	return out
}

// eachHead reads heads: what appendHeads wrote, with the documents' places in the list.
func eachHead(data []byte, each func(i int, d *document)) (n int, err error) {
	r := decoder{data: data}
	total := r.int()
	for n < total && !r.bad {
		d := document{source: int64(r.uint())} //nolint:gosec // written from an int64
		count := r.int()
		if count <= 0 || count > total-n {
			return n, errDamaged
		}
		if d.source == 0 {
			n += count
			continue
		}
		d.strand = r.byte()
		seq, number, at := r.uint32(), r.uint32(), int64(0)
		for range count {
			flags := r.byte()
			d.setFlags(flags)
			if d.seq, d.number = seq, number; flags&flagGap != 0 {
				d.seq += r.uint32()
				d.number = uint32(int64(number) + r.signed()) //nolint:gosec // written from 32 bits
			}
			d.words = r.uint32()
			d.time = at + r.signed()
			each(n, &d)
			seq, number, at = d.seq+1, d.number+1, d.time
			n++
		}
	}
	if d := total - n; d != 0 || r.bad || len(r.data) > 0 {
		return n, errDamaged
	}
	return n, nil
}

// packedID is how many bytes an id takes that is of packedLen of the characters a–z and
// 2–7, as sessionmem makes them.
const (
	packedID  = 5
	packedLen = 8
)

// packID gives the packed form of an id; false: it has none.
func packID(id string) (packed [packedID]byte, ok bool) {
	if len(id) != packedLen {
		return packed, false
	}
	var n uint64
	for i := range packedLen {
		c := id[i]
		switch {
		case c >= 'a' && c <= 'z':
			n = n<<5 | uint64(c-'a')
		case c >= '2' && c <= '7':
			n = n<<5 | uint64(c-'2'+26)
		default:
			return packed, false
		}
	}
	return [packedID]byte{byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, true
}

func unpackID(b []byte) string {
	bits := uint64(b[0])<<32 | uint64(b[1])<<24 | uint64(b[2])<<16 | uint64(b[3])<<8 | uint64(b[4])
	var id [packedLen]byte
	for i := range id {
		c := byte(bits>>(5*(packedLen-1-i))) & 31
		id[i] = 'a' + c
		if c >= 26 {
			id[i] = '2' + c - 26
		}
	}
	return string(id[:])
}

package format

import (
	"encoding/binary"
	"time"

	"mac-stats/sessionmem/recall/analysis"
)

// Passage is a chunk in the index, without its terms.
type Passage struct {
	Number  uint32 // never given twice; a vector is found by it
	Source  int64
	Strand  uint8
	Seq     uint32 // in the strand
	Words   uint32
	Marks   analysis.Marks
	Kind    Role
	Strange bool
	GoesOn  bool  // it is not the first part of its message
	Time    int64 // seconds since 1970; 0: none

	// What follows is for the answer alone.
	Block  string
	Part   int
	Turn   int
	Agent  string
	File   int // which of the source's files
	Offset int64
	Size   int64
	Bare   bool
	Hash   uint32
}

// Role says what a passage is part of.
type Role uint8

// The roles, by the numbers they have in the index. What is of none of them has RoleOther.
const (
	RoleOther Role = iota
	RoleUser
	RoleAssistant
	RoleAgent
	RoleTool
	RoleSummary
	RoleMemory
)

// A source's passages stand in two strands, in their order: what was talked, and what was
// done for it (agents, tools) or says it again (summaries). Neighbours are of one strand.
const (
	StrandTalk = iota
	StrandWork
	Strands
)

// When is the passage's time.
func (d *Passage) When() time.Time {
	if d.Time == 0 {
		return time.Time{}
	}
	return time.Unix(d.Time, 0)
}

// The bits of a passage's byte of flags: marks, kind, words of strangers, and whether
// the message began in the passage before it.
const (
	flagKind    = 2
	flagStrange = 1 << 5
	flagGap     = 1 << 6 // in a head alone: its place in the strand, or its number, does not follow the one before it
	FlagGoesOn  = 1 << 7
)

// Flags are the passage's marks, its role, and where it stands in its message, in one byte.
func (d *Passage) Flags() byte {
	f := byte(d.Marks&3) | byte(d.Kind)<<flagKind
	if d.Strange {
		f |= flagStrange
	}
	if d.GoesOn {
		f |= FlagGoesOn
	}
	return f
}

// SetFlags takes over what Flags gave.
func (d *Passage) SetFlags(f byte) {
	d.Marks, d.Kind, d.Strange = MarksOf(f), RoleOf(f), f&flagStrange != 0
	d.GoesOn = f&FlagGoesOn != 0
}

// RoleOf is the role in a byte of flags.
func RoleOf(flags byte) Role { return Role(flags >> flagKind & 7) }

// MarksOf are the marks in a byte of flags.
func MarksOf(flags byte) analysis.Marks { return analysis.Marks(flags & 3) }

// A list of passages is written as two blobs: heads, what ranking needs of all of
// them; and details, what an answer needs of few. Heads come in runs of one strand.

// AppendHeads adds the heads of passages. One of source 0 is a hole: it was erased.
func AppendHeads(out []byte, docs []Passage) []byte {
	out = appendInt(out, len(docs))
	for i := 0; i < len(docs); {
		n := runLength(docs[i:])
		out = appendRun(out, docs[i:i+n])
		i += n
	}
	return out
}

// runLength is how many passages at the beginning are of one strand, in its order.
func runLength(docs []Passage) int {
	n := 1
	for n < len(docs) && docs[n].Source == docs[0].Source && docs[n].Strand == docs[0].Strand &&
		(docs[0].Source == 0 || docs[n].Seq > docs[n-1].Seq) {
		n++
	}
	return n
}

func appendRun(out []byte, docs []Passage) []byte {
	first := docs[0]
	out = binary.AppendUvarint(out, uint64(first.Source)) //nolint:gosec // never negative
	out = appendInt(out, len(docs))
	if first.Source == 0 {
		return out
	}
	out = append(out, first.Strand)
	seq, number, at := first.Seq, first.Number, int64(0)
	out = binary.AppendUvarint(out, uint64(seq))
	out = binary.AppendUvarint(out, uint64(number))
	for _, d := range docs {
		if d.Seq == seq && d.Number == number {
			out = append(out, d.Flags())
		} else {
			out = append(out, d.Flags()|flagGap)
			out = binary.AppendUvarint(out, uint64(d.Seq-seq))
			out = binary.AppendVarint(out, int64(d.Number)-int64(number))
		}
		out = binary.AppendUvarint(out, uint64(d.Words))
		out = binary.AppendVarint(out, d.Time-at)
		seq, number, at = d.Seq+1, d.Number+1, d.Time
	}
	return out
}

// EachHead reads heads: what appendHeads wrote, with the passages' places in the list.
func EachHead(data []byte, each func(i int, d *Passage)) (n int, err error) {
	r := decoder{data: data}
	total := r.int()
	for n < total && !r.bad {
		d := Passage{Source: int64(r.uint())} //nolint:gosec // written from an int64
		count := r.int()
		if count <= 0 || count > total-n {
			return n, ErrDamaged
		}
		if d.Source == 0 {
			n += count
			continue
		}
		d.Strand = r.byte()
		seq, number, at := r.uint32(), r.uint32(), int64(0)
		for range count {
			flags := r.byte()
			d.SetFlags(flags)
			if d.Seq, d.Number = seq, number; flags&flagGap != 0 {
				d.Seq += r.uint32()
				d.Number = uint32(int64(number) + r.signed()) //nolint:gosec // written from 32 bits
			}
			d.Words = r.uint32()
			d.Time = at + r.signed()
			each(n, &d)
			seq, number, at = d.Seq+1, d.Number+1, d.Time
			n++
		}
	}
	if d := total - n; d != 0 || r.bad || len(r.data) > 0 {
		return n, ErrDamaged
	}
	return n, nil
}

// CountHeads is how many passages heads are of.
func CountHeads(data []byte) int {
	r := decoder{data: data}
	return r.int()
}

// DecodeHeads reads the heads of all passages of a segment, holes too.
func DecodeHeads(blob []byte, n int) ([]Passage, error) {
	data, err := Unseal(blob)
	if err != nil {
		return nil, err
	}
	docs := make([]Passage, n)
	got, err := EachHead(data, func(i int, d *Passage) {
		if i < n {
			docs[i] = *d
		}
	})
	if err == nil && got != n {
		err = ErrDamaged
	}
	return docs, err
}

// PurgeHeads makes holes of dead passages.
func PurgeHeads(blob []byte, gone []bool) ([]byte, error) {
	docs, err := DecodeHeads(blob, len(gone))
	if err != nil {
		return nil, err
	}
	for doc := range docs {
		if gone[doc] {
			docs[doc] = Passage{}
		}
	}
	return Seal(AppendHeads(nil, docs)), nil
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

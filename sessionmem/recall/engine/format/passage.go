package format

import (
	"encoding/binary"
	"time"

	"mac-stats/sessionmem/recall/analysis"
)

// Passage is a chunk in the index, without its terms.
type Passage struct {
	Number    uint32 // never reused; identifies the vector
	Source    int64
	Strand    uint8
	Seq       uint32 // in the strand
	Words     uint32
	Marks     analysis.Marks
	Kind      Role
	Untrusted bool
	Continues bool  // not the first part of its message
	Time      int64 // seconds since 1970; 0: none

	// The fields below are only for answers.
	Block  string
	Part   int
	Turn   int
	Agent  string
	File   int // index of the source's file
	Offset int64
	Size   int64
	Bare   bool
	Hash   uint32
}

// Role is what a passage is part of.
type Role uint8

// The roles, with their numbers in the index. RoleOther is everything else.
const (
	RoleOther Role = iota
	RoleUser
	RoleAssistant
	RoleAgent
	RoleTool
	RoleSummary
	RoleMemory
)

// A source's passages form two ordered strands: the conversation, and the work for it (agents,
// tools) with text that repeats it (summaries). Neighbours belong to the same strand.
const (
	StrandTalk = iota
	StrandWork
	Strands
)

// When returns the time of the passage.
func (d *Passage) When() time.Time {
	if d.Time == 0 {
		return time.Time{}
	}
	return time.Unix(d.Time, 0)
}

// The bits of a passage's flags: marks, kind, whether others wrote it, and whether its
// message began in an earlier passage.
const (
	flagKind      = 2
	flagUntrusted = 1 << 5
	flagGap       = 1 << 6 // only in heads: its place in the strand, or its number, doesn't follow the preceding one
	FlagContinues = 1 << 7
)

// Flags packs the marks, the role and the position in the message into one byte.
func (d *Passage) Flags() byte {
	f := byte(d.Marks&3) | byte(d.Kind)<<flagKind
	if d.Untrusted {
		f |= flagUntrusted
	}
	if d.Continues {
		f |= FlagContinues
	}
	return f
}

// SetFlags is the reverse of Flags.
func (d *Passage) SetFlags(f byte) {
	d.Marks, d.Kind, d.Untrusted = MarksOf(f), RoleOf(f), f&flagUntrusted != 0
	d.Continues = f&FlagContinues != 0
}

// RoleOf returns the role in a flags byte.
func RoleOf(flags byte) Role { return Role(flags >> flagKind & 7) }

// MarksOf returns the marks in a flags byte.
func MarksOf(flags byte) analysis.Marks { return analysis.Marks(flags & 3) }

// A list of passages is encoded as two blobs: heads, which ranking needs for all passages,
// and details, which an answer needs for a few. Heads come in runs of one strand.

// AppendHeads encodes the heads of passages. Source 0 marks a hole: an erased passage.
func AppendHeads(out []byte, docs []Passage) []byte {
	out = appendInt(out, len(docs))
	for i := 0; i < len(docs); {
		n := runLength(docs[i:])
		out = appendRun(out, docs[i:i+n])
		i += n
	}
	return out
}

// runLength returns how many of the first passages belong to one strand and are in order.
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

// EachHead decodes the result of AppendHeads; i is the index of the passage.
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

// CountHeads returns the number of passages in heads.
func CountHeads(data []byte) int {
	r := decoder{data: data}
	return r.int()
}

// DecodeHeads decodes the heads of all passages of a segment, including holes.
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

// PurgeHeads turns dead passages into holes.
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

// packedID is the encoded size of an ID of packedLen characters from a–z and 2–7, as
// sessionmem makes them.
const (
	packedID  = 5
	packedLen = 8
)

// packID returns the packed form of an ID; false if it has none.
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

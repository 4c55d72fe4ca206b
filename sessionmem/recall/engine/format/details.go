package format

import "encoding/binary"

// DetailBlock is the number of passages whose details share a row.
const DetailBlock = 32

// The bits of the first byte of a passage's details.
const (
	detailSame = 1 << iota // the next part of the preceding block
	detailBare
	detailTurn // the turn isn't the preceding one plus one
	detailFile // the file differs from the preceding one
	detailAgent
	detailNext // the block doesn't begin at the end of the preceding one
	detailLong // the block ID can't be packed
	detailPart // not the first part of its block
)

// detailHole marks an erased passage: no other has both of these bits.
const detailHole = detailSame | detailTurn

// AppendDetails encodes the details of up to DetailBlock passages; a hole has none.
func AppendDetails(out []byte, docs []Passage) []byte {
	prev := Passage{Turn: -1}
	for i := range docs {
		d := &docs[i]
		if d.Source == 0 {
			out = append(out, detailHole)
			continue
		}
		out = d.appendDetail(out, &prev)
		prev = *d
	}
	return out
}

func (d *Passage) appendDetail(out []byte, prev *Passage) []byte {
	var bits byte
	set := func(bit byte, on bool) {
		if on {
			bits |= bit
		}
	}
	same := d.Part == prev.Part+1 && d.Block == prev.Block && d.Source == prev.Source && d.Offset == prev.Offset && d.Turn == prev.Turn
	set(detailSame, same)
	set(detailBare, d.Bare)
	set(detailTurn, d.Turn != prev.Turn+1 && !same)
	set(detailFile, d.File != prev.File)
	set(detailAgent, d.Agent != prev.Agent)
	set(detailNext, d.Offset != prev.Offset+prev.Size && !same)
	set(detailPart, d.Part > 0 && !same)
	packed, short := packID(d.Block)
	set(detailLong, !short && !same)
	out = append(out, bits)
	if !same {
		if short {
			out = append(out, packed[:]...)
		} else {
			out = appendText(out, d.Block)
		}
		if d.Part > 0 {
			out = appendInt(out, d.Part)
		}
		if bits&detailTurn != 0 {
			out = binary.AppendVarint(out, int64(d.Turn))
		}
		if bits&detailNext != 0 {
			out = binary.AppendVarint(out, d.Offset-prev.Offset-prev.Size)
		}
		out = binary.AppendVarint(out, d.Size)
	}
	if bits&detailFile != 0 {
		out = appendInt(out, d.File)
	}
	if bits&detailAgent != 0 {
		out = appendText(out, d.Agent)
	}
	return append(out, byte(d.Hash), byte(d.Hash>>8), byte(d.Hash>>16)) //nolint:gosec // 24 bits, see corpus.HashText
}

// readDetails decodes the details of passages.
func readDetails(data []byte, docs []Passage) error {
	r := newDetailReader(data)
	for i := range docs {
		if r.next() {
			r.fill(&docs[i])
		}
	}
	if len(r.data) > 0 {
		r.bad = true
	}
	return r.err()
}

// detailReader reads the details of a row in order. It creates strings only for passages
// that are asked for.
type detailReader struct {
	decoder
	doc    Passage // the last one that isn't a hole, without its block and agent
	id     []byte  // of the block, as encoded
	packed bool
	agent  []byte
	read   int // passages read, including holes
}

func newDetailReader(data []byte) detailReader {
	return detailReader{decoder: decoder{data: data}, doc: Passage{Turn: -1}}
}

// next reads the next passage; false means that it is a hole.
func (r *detailReader) next() bool {
	r.read++
	bits := r.byte()
	if bits == detailHole {
		return false
	}
	d := &r.doc
	d.Bare = bits&detailBare != 0
	if bits&detailSame != 0 {
		d.Part++
	} else {
		r.block(bits)
	}
	if bits&detailFile != 0 {
		d.File = r.int()
	}
	if bits&detailAgent != 0 {
		r.agent = r.bytes(r.uint())
	}
	if b := r.bytes(3); !r.bad {
		d.Hash = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	}
	return true
}

// block reads what all parts of a block have in common.
func (r *detailReader) block(bits byte) {
	d := &r.doc
	if r.packed = bits&detailLong == 0; r.packed {
		r.id = r.bytes(packedID)
	} else {
		r.id = r.bytes(r.uint())
	}
	if d.Part = 0; bits&detailPart != 0 {
		d.Part = r.int()
	}
	d.Turn++
	if bits&detailTurn != 0 {
		d.Turn = int(r.signed())
	}
	d.Offset += d.Size
	if bits&detailNext != 0 {
		d.Offset += r.signed()
	}
	d.Size = r.signed()
}

// fill copies the details read last to a passage.
func (r *detailReader) fill(doc *Passage) {
	doc.SetDetail(&r.doc)
	doc.Block, doc.Agent = string(r.id), string(r.agent)
	if r.packed && !r.bad {
		doc.Block = unpackID(r.id)
	}
}

// SetDetail copies the details of another passage.
func (d *Passage) SetDetail(from *Passage) {
	d.Block, d.Part, d.Turn, d.Agent = from.Block, from.Part, from.Turn, from.Agent
	d.File, d.Offset, d.Size, d.Bare, d.Hash = from.File, from.Offset, from.Size, from.Bare, from.Hash
}

// PurgeDetails turns dead passages in a row of details into holes.
func PurgeDetails(blob []byte, gone []bool) ([]byte, error) {
	data, err := Unseal(blob)
	if err != nil {
		return nil, err
	}
	docs := make([]Passage, len(gone))
	if err := readDetails(data, docs); err != nil {
		return nil, err
	}
	for i := range docs {
		docs[i].Source = 1 // not a hole
		if gone[i] || docs[i].Size == 0 && docs[i].Block == "" {
			docs[i] = Passage{}
		}
	}
	return Seal(AppendDetails(nil, docs)), nil
}

// DetailRow is a row of details with the reading position.
type DetailRow struct {
	data []byte
	r    detailReader
}

// NewDetailRow returns a reader for a row, without its checksum.
func NewDetailRow(data []byte) *DetailRow { return &DetailRow{data: data, r: newDetailReader(data)} }

// Read fills in the details of the n-th passage.
func (w *DetailRow) Read(n int, d *Passage) error {
	if w.r.read > n {
		w.r = newDetailReader(w.data)
	}
	there := false
	for w.r.read <= n {
		there = w.r.next()
	}
	if there {
		w.r.fill(d)
	}
	return w.r.err()
}

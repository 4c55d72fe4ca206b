package recall

import "encoding/binary"

// detailBlock is how many documents' details are one row.
const detailBlock = 32

// The bits of a document's first byte of details.
const (
	detailSame = 1 << iota // it is the next part of the block before it
	detailBare
	detailTurn // the turn is not the one before it plus one
	detailFile // the file is not the one before it
	detailAgent
	detailNext // the block does not begin where the one before it ends
	detailLong // the block's id is none of those that take packedID bytes
	detailPart // it is not the first part of its block
)

// detailHole are the details of a document that was erased: no other has these bits.
const detailHole = detailSame | detailTurn

// appendDetails adds the details of up to detailBlock documents; of a hole nothing.
func appendDetails(out []byte, docs []document) []byte {
	prev := document{turn: -1}
	for i := range docs {
		d := &docs[i]
		if d.source == 0 {
			out = append(out, detailHole)
			continue
		}
		out = d.appendDetail(out, &prev)
		prev = *d
	}
	return out
}

func (d *document) appendDetail(out []byte, prev *document) []byte {
	var bits byte
	set := func(bit byte, on bool) {
		if on {
			bits |= bit
		}
	}
	same := d.part == prev.part+1 && d.block == prev.block && d.source == prev.source && d.offset == prev.offset && d.turn == prev.turn
	set(detailSame, same)
	set(detailBare, d.bare)
	set(detailTurn, d.turn != prev.turn+1 && !same)
	set(detailFile, d.file != prev.file)
	set(detailAgent, d.agent != prev.agent)
	set(detailNext, d.offset != prev.offset+prev.size && !same)
	set(detailPart, d.part > 0 && !same)
	packed, short := packID(d.block)
	set(detailLong, !short && !same)
	out = append(out, bits)
	if !same {
		if short {
			out = append(out, packed[:]...)
		} else {
			out = appendText(out, d.block)
		}
		if d.part > 0 {
			out = appendInt(out, d.part)
		}
		if bits&detailTurn != 0 {
			out = binary.AppendVarint(out, int64(d.turn))
		}
		if bits&detailNext != 0 {
			out = binary.AppendVarint(out, d.offset-prev.offset-prev.size)
		}
		out = binary.AppendVarint(out, d.size)
	}
	if bits&detailFile != 0 {
		out = appendInt(out, d.file)
	}
	if bits&detailAgent != 0 {
		out = appendText(out, d.agent)
	}
	return append(out, byte(d.hash), byte(d.hash>>8), byte(d.hash>>16)) //nolint:gosec // see hashText
}

// readDetails fills in the details of documents.
func readDetails(data []byte, docs []document) error {
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

// detailReader reads the details of a row one after the other. Words are made of what
// stands there for those documents alone that are asked for.
type detailReader struct {
	decoder
	doc    document // the last one that is no hole, without its block and agent
	id     []byte   // of the block, as it is written
	packed bool
	agent  []byte
	read   int // documents, holes too
}

func newDetailReader(data []byte) detailReader {
	return detailReader{decoder: decoder{data: data}, doc: document{turn: -1}}
}

// next reads the next document; false: it is a hole.
func (r *detailReader) next() bool {
	r.read++
	bits := r.byte()
	if bits == detailHole {
		return false
	}
	d := &r.doc
	d.bare = bits&detailBare != 0
	if bits&detailSame != 0 {
		d.part++
	} else {
		r.block(bits)
	}
	if bits&detailFile != 0 {
		d.file = r.int()
	}
	if bits&detailAgent != 0 {
		r.agent = r.bytes(r.uint())
	}
	if b := r.bytes(3); !r.bad {
		d.hash = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	}
	return true
}

// block reads what the parts of a block have in common.
func (r *detailReader) block(bits byte) {
	d := &r.doc
	if r.packed = bits&detailLong == 0; r.packed {
		r.id = r.bytes(packedID)
	} else {
		r.id = r.bytes(r.uint())
	}
	if d.part = 0; bits&detailPart != 0 {
		d.part = r.int()
	}
	d.turn++
	if bits&detailTurn != 0 {
		d.turn = int(r.signed())
	}
	d.offset += d.size
	if bits&detailNext != 0 {
		d.offset += r.signed()
	}
	d.size = r.signed()
}

// fill takes the details over that were read last.
func (r *detailReader) fill(doc *document) {
	doc.setDetail(&r.doc)
	doc.block, doc.agent = string(r.id), string(r.agent)
	if r.packed && !r.bad {
		doc.block = unpackID(r.id)
	}
}

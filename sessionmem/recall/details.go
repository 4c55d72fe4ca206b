package recall

import "encoding/binary"

// detailBlock is how many documents' details are one row.
const detailBlock = 16

// The bits of a document's first byte of details.
const (
	detailSame = 1 << iota // it is the next part of the block before it
	detailBare
	detailTurn // the turn is not the one before it plus one
	detailFile // the file is not the one before it
	detailAgent
	detailNext // the block does not begin where the one before it ends
	detailHole // it was erased
	detailPart // it is not the first part of its block
)

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
	out = append(out, bits)
	if !same {
		if out = appendID(out, d.block); d.part > 0 {
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
	r := decoder{data: data}
	prev := document{turn: -1}
	for i := range docs {
		if len(r.data) > 0 && r.data[0] == detailHole {
			r.byte()
			continue
		}
		r.detail(&docs[i], &prev)
		prev = docs[i]
	}
	if len(r.data) > 0 {
		r.bad = true
	}
	return r.err()
}

func (d *decoder) detail(doc, prev *document) {
	bits := d.byte()
	doc.file, doc.agent, doc.bare = prev.file, prev.agent, bits&detailBare != 0
	if bits&detailSame != 0 {
		doc.block, doc.part, doc.turn, doc.offset, doc.size = prev.block, prev.part+1, prev.turn, prev.offset, prev.size
	} else {
		if doc.block = d.id(); bits&detailPart != 0 {
			doc.part = d.int()
		}
		doc.turn, doc.offset = prev.turn+1, prev.offset+prev.size
		if bits&detailTurn != 0 {
			doc.turn = int(d.signed())
		}
		if bits&detailNext != 0 {
			doc.offset += d.signed()
		}
		doc.size = d.signed()
	}
	if bits&detailFile != 0 {
		doc.file = d.int()
	}
	if bits&detailAgent != 0 {
		doc.agent = d.text()
	}
	if b := d.bytes(3); !d.bad {
		doc.hash = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	}
}

package format

import (
	"cmp"
	"slices"
)

// Dead holds the dead passages of a segment.
type Dead struct {
	docs        []bool
	first, last uint32
}

// NewDead returns the set of dead passages, which must not be empty.
func NewDead(docs []bool) Dead {
	d := Dead{docs: docs, first: uint32(slices.Index(docs, true)), last: uint32(len(docs) - 1)} //nolint:gosec // a segment is small
	for !docs[d.last] {
		d.last--
	}
	return d
}

func (d *Dead) has(p Posting) bool { return int(p.Doc) < len(d.docs) && d.docs[p.Doc] }

// in reports whether a list holds dead passages, or is damaged.
func (d *Dead) in(list ListReader) bool {
	var some [ListBatch]Posting
	for batch := list.Read(some[:]); len(batch) > 0 && batch[0].Doc <= d.last; batch = list.Read(some[:]) {
		if batch[len(batch)-1].Doc < d.first {
			continue
		}
		for _, p := range batch {
			if d.has(p) {
				return true
			}
		}
	}
	return list.Bad
}

// inBlock reports whether a dictionary block, without its checksum, holds dead passages. For
// most blocks the answer is no, found without decoding their terms.
func (d *Dead) inBlock(data []byte) (holds bool, err error) {
	r := newBlockReader(data)
	for e := (entry{}); !holds && r.next(&e); {
		holds = d.in(e.postings(r.width))
	}
	return holds, r.err()
}

// Purge returns a dictionary block without dead passages, and its first term; a nil block
// means that nothing changes. Lists without dead passages are copied as they are.
func (d *Dead) Purge(blob []byte) (block []byte, first string, err error) {
	data, err := Unseal(blob)
	if err != nil {
		return nil, "", err
	}
	if holds, err := d.inBlock(data); !holds || err != nil {
		return nil, "", err
	}
	block = Seal(nil)
	w := DictWriter{docs: len(d.docs), whole: true, emit: func(term string, data []byte) error {
		first, block = term, data
		return nil
	}}
	r := newBlockReader(data)
	var term []byte
	for e := (entry{}); r.next(&e); {
		if e.shared > len(term) {
			return nil, "", ErrDamaged
		}
		term = append(term[:e.shared], e.rest...)
		list := e.postings(r.width)
		if !d.in(list) {
			w.addEncoded(string(term), e.tail)
			continue
		}
		postings, err := list.all(nil)
		if err == nil {
			err = w.Add(string(term), slices.DeleteFunc(postings, d.has))
		}
		if err != nil {
			return nil, "", err
		}
	}
	if err := cmp.Or(r.err(), w.Flush()); err != nil {
		return nil, "", err
	}
	return block, first, nil
}

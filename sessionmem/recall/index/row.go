package index

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"

	"mac-stats/sessionmem/recall/analysis"
)

// Hash returns the hash by which a text is recognised; never 0.
func Hash(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return max(1, binary.BigEndian.Uint64(sum[:]))
}

// seal appends a checksum to a row's data. It also covers what else identifies the row, so that
// damage is noticed whenever the row is read.
func seal(data []byte, of ...string) []byte {
	return binary.LittleEndian.AppendUint32(data, checksum(data, of))
}

// unseal verifies and removes the checksum.
func unseal(data []byte, of ...string) ([]byte, error) {
	n := len(data) - 4
	if n < 0 || checksum(data[:n], of) != binary.LittleEndian.Uint32(data[n:]) {
		return nil, ErrDamaged
	}
	return data[:n], nil
}

func checksum(data []byte, of []string) uint32 {
	castagnoli := crc32.MakeTable(crc32.Castagnoli) // processors have an instruction for it
	sum := crc32.Checksum(data, castagnoli)
	for _, s := range of {
		sum = crc32.Update(sum, castagnoli, []byte(s))
	}
	return sum
}

// decoder reads numbers and strings from a row. After an error, or past the end, it returns
// zeros, and bad is set.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.data, d.bad = nil, true
		return 0
	}
	d.data = d.data[size:]
	return n
}

// int reads a number that counts something.
func (d *decoder) int() int {
	n := d.uint()
	if n > math.MaxInt32 {
		d.data, d.bad = nil, true
		return 0
	}
	return int(n)
}

func (d *decoder) signed() int64 {
	n, size := binary.Varint(d.data)
	if size <= 0 {
		d.data, d.bad = nil, true
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.data) {
		d.data, d.bad = nil, true
		return nil
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *decoder) string() string { return string(d.bytes(d.int())) }

func appendString(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

// posting says how often a term occurs in a passage. A strand has the number of its source,
// doubled, plus its own.
type posting struct{ strand, passage, n int }

// list reads the postings of a row, in order. For each strand it holds the difference from the
// preceding one, doubled, plus one if only one passage follows, else their number; then for each
// passage the difference from the preceding one, doubled, plus one if the count, which then
// follows, isn't one.
type list struct {
	decoder
	strand int // of the current posting
	left   int // passages of the strand still to read
	last   int // the passage read last
}

// newList returns the list of a row.
func newList(bucket int, term string, data []byte) list {
	l := list{strand: bucket * bucketStrands}
	var err error
	l.data, err = unseal(data, term)
	l.bad = err != nil
	return l
}

// next reads the next posting; false at the end, or if the list is bad.
func (l *list) next() (p posting, ok bool) {
	if l.left == 0 {
		if len(l.data) == 0 || l.bad {
			return p, false
		}
		head := l.int()
		l.strand += head >> 1
		l.last = 0
		if l.left = 1; head&1 == 0 {
			l.left = l.int()
		}
	}
	l.left--
	head, n := l.int(), 1
	if head&1 != 0 {
		n = l.int()
	}
	l.last += head >> 1
	l.bad = l.bad || l.left < 0
	return posting{l.strand, l.last, n}, !l.bad
}

// encodeList encodes the postings of a row, which are in order.
func encodeList(bucket int, term string, all []posting) []byte {
	out := make([]byte, 0, 2*len(all)+8)
	before := bucket * bucketStrands
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n].strand == all[i].strand {
			n++
		}
		head := uint64(all[i].strand-before) << 1 //nolint:gosec // in order
		before = all[i].strand
		if n == 1 {
			out = binary.AppendUvarint(out, head|1)
		} else {
			out = binary.AppendUvarint(binary.AppendUvarint(out, head), uint64(n))
		}
		last := 0
		for _, p := range all[i : i+n] {
			if head := uint64(p.passage-last) << 1; p.n == 1 { //nolint:gosec // in order
				out = binary.AppendUvarint(out, head)
			} else {
				out = binary.AppendUvarint(binary.AppendUvarint(out, head|1), uint64(p.n)) //nolint:gosec // counted
			}
			last = p.passage
		}
		i += n
	}
	return seal(out, term)
}

// seconds returns a time in seconds since 1970; 0 for none.
func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// The bits of a head's flags, above the two marks.
const (
	flagKind      = 2 // shift of three bits
	flagUntrusted = 1 << 5
	flagGone      = 1 << 6 // nothing to find: the head ends here
	flagContinues = 1 << 7
)

// head is the part of a passage that ranking needs for all of them.
type head struct {
	time   int64
	hash   uint64  // of its text; 0: there is nothing to find
	around float32 // its words plus a share of its neighbours'
	words  uint16
	flags  byte
	parts  uint8 // number of parts of its message, at most 255
}

func (h *head) gone() bool { return h.hash == 0 }

func (h *head) continues() bool { return h.flags&flagContinues != 0 }

// passages holds the passages of a source, by strand.
type passages [Strands][]Passage

// each calls do with the passages of all strands.
func (p *passages) each(do func(s Strand, number int, p *Passage)) {
	for s := range p {
		for i := range p[s] {
			do(Strand(s), i, &p[s][i]) //nolint:gosec // two of them
		}
	}
}

// encode returns the columns heads and details of a source. They hold the same passages, strand
// by strand; a passage that is gone has no details.
func (p *passages) encode() (heads, details []byte) {
	for s := range p {
		heads = binary.AppendUvarint(heads, uint64(len(p[s])))
		at, offset, block := int64(0), int64(0), ""
		for i := range p[s] {
			d := &p[s][i]
			if d.Hash == 0 {
				heads = append(heads, flagGone)
				continue
			}
			flags := byte(d.Marks&3) | byte(d.Kind)<<flagKind
			if d.Untrusted {
				flags |= flagUntrusted
			}
			if d.Continues {
				flags |= flagContinues
			}
			heads = binary.BigEndian.AppendUint64(append(heads, flags), d.Hash)
			heads = binary.AppendUvarint(heads, uint64(d.Words)) //nolint:gosec // counted
			now := seconds(d.Time)
			heads = binary.AppendVarint(heads, now-at)
			at = now

			part := uint64(d.Part) << 2 //nolint:gosec // counted
			if d.Bare {
				part |= 1
			}
			if d.Block == block { // most often a further part of the same message
				details = binary.AppendUvarint(details, part|2)
			} else {
				details = appendString(binary.AppendUvarint(details, part), d.Block)
				block = d.Block
			}
			details = binary.AppendVarint(details, int64(d.Turn))
			details = appendString(details, d.Agent)
			details = binary.AppendUvarint(details, uint64(d.File)) //nolint:gosec // counted
			details = binary.AppendVarint(details, d.Offset-offset)
			details = binary.AppendUvarint(details, uint64(d.Size)) //nolint:gosec // counted
			offset = d.Offset
		}
	}
	return heads, details
}

// decodeHeads decodes the column heads.
func decodeHeads(data []byte) (all [Strands][]head, err error) {
	r := decoder{data: data}
	for s := range all {
		n, at := r.int(), int64(0)
		if n > len(r.data) { // each has a byte at least
			return all, ErrDamaged
		}
		all[s] = make([]head, n)
		for i := range all[s] {
			h := &all[s][i]
			if b := r.bytes(1); len(b) == 1 {
				h.flags = b[0]
			}
			if h.flags&flagGone != 0 {
				continue
			}
			if b := r.bytes(8); len(b) == 8 {
				h.hash = binary.BigEndian.Uint64(b)
			}
			h.words = uint16(min(r.int(), math.MaxUint16)) //nolint:gosec // cut
			at += r.signed()
			h.time = at
		}
	}
	if r.bad || len(r.data) > 0 {
		return all, ErrDamaged
	}
	return all, nil
}

// encode returns the column about.
func (k *Source) encode() []byte {
	out := appendString(appendString(nil, k.Session), k.From)
	out = binary.AppendVarint(out, k.Bytes)
	for _, f := range k.Files {
		out = appendString(out, f)
	}
	return seal(out, k.Key, k.Stamp)
}

// decode reads the column about of a source with a key and a stamp.
func (k *Source) decode(about []byte) error {
	data, err := unseal(about, k.Key, k.Stamp)
	if err != nil {
		return err
	}
	r := decoder{data: data}
	k.Session, k.From, k.Bytes = r.string(), r.string(), r.signed()
	for len(r.data) > 0 {
		k.Files = append(k.Files, r.string())
	}
	if r.bad {
		return ErrDamaged
	}
	return nil
}

// decodePassages is the reverse of encode for a source with a key, without the texts.
func decodePassages(key string, heads [Strands][]head, details []byte) (p passages, err error) {
	details, err = unseal(details, key)
	if err != nil {
		return p, err
	}
	r := detailReader{decoder: decoder{data: details}}
	for s := range heads {
		p[s] = make([]Passage, len(heads[s]))
		for i := range heads[s] {
			p[s][i] = r.read(Strand(s), &heads[s][i]) //nolint:gosec // two of them
		}
	}
	if r.bad || len(r.data) > 0 {
		return p, ErrDamaged
	}
	return p, nil
}

// detailReader reads the column details.
type detailReader struct {
	decoder
	strand Strand
	offset int64
	block  string
}

// read returns the next passage, given its head.
func (r *detailReader) read(s Strand, h *head) Passage {
	if s != r.strand {
		r.strand, r.offset, r.block = s, 0, ""
	}
	d := Passage{Strand: s, Hash: h.hash}
	if h.gone() {
		return d
	}
	d.Marks, d.Kind, d.Words = analysis.Marks(h.flags&3), Kind(h.flags>>flagKind&7), int(h.words)
	d.Untrusted, d.Continues = h.flags&flagUntrusted != 0, h.continues()
	if h.time != 0 {
		d.Time = time.Unix(h.time, 0)
	}
	part := r.int()
	if d.Part, d.Bare = part>>2, part&1 != 0; part&2 == 0 {
		r.block = r.string()
	}
	d.Block = r.block
	d.Turn, d.Agent, d.File = int(r.signed()), r.string(), r.int()
	r.offset += r.signed()
	d.Offset, d.Size = r.offset, int64(r.uint()) //nolint:gosec // written from an int64
	return d
}

package vectors

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"mac-stats/sessionmem/recall/engine/format"
)

// A vector is stored as one byte per dimension with a scale of its own, in pages of the index
// file that hold pageVectors consecutive passage numbers. In memory each vector also has its
// signs, one bit per dimension, which rule out most distant vectors at a tenth of the cost.
// If there are many vectors, only the signs stay in memory, and the promising vectors are
// read.

const (
	pageBits    = 4
	pageVectors = 1 << pageBits
	// maxDims limits the dimensions of a vector from a server.
	maxDims = 16 << 10
)

// vectorPage is a page of vectors.
type vectorPage struct {
	dims   int
	slots  []byte // numbers of the passages within the page, ascending
	scales []float32
	data   []byte // dims bytes per vector, each an int8
	signs  []uint64
	index  [pageVectors]int8 // by slot: index of its vector; -1: none
}

// newVectorPage returns an empty page.
func newVectorPage(dims int) *vectorPage {
	p := &vectorPage{dims: dims}
	p.reindex()
	return p
}

// signWords returns how many words the signs of a vector take.
func (p *vectorPage) signWords() int { return (p.dims + 63) / 64 }

// reindex computes index and signs.
func (p *vectorPage) reindex() {
	p.place()
	p.signs = make([]uint64, len(p.slots)*p.signWords())
	for i := range p.slots {
		takeSigns(p.signs[i*p.signWords():(i+1)*p.signWords()], p.vector(i))
	}
}

// place computes index.
func (p *vectorPage) place() {
	for i := range p.index {
		p.index[i] = -1
	}
	for i, slot := range p.slots {
		p.index[slot&(pageVectors-1)] = int8(i) //nolint:gosec // at most pageVectors
	}
}

// keepSigns drops everything but the signs, and with it the blob that the page was read from.
func (p *vectorPage) keepSigns() {
	p.slots = slices.Clone(p.slots)
	p.scales, p.data = nil, nil
}

func (p *vectorPage) vector(i int) []byte { return p.data[i*p.dims : (i+1)*p.dims] }

// takeSigns sets the bits of negative dimensions.
func takeSigns(out []uint64, v []byte) {
	i := 0
	for ; i+8 <= len(v); i += 8 {
		eight := binary.LittleEndian.Uint64(v[i:]) >> 7 & 0x0101010101010101
		out[i>>6] |= eight * 0x0102040810204080 >> 56 << (i & 63)
	}
	for ; i < len(v); i++ {
		out[i>>6] |= uint64(v[i]>>7) << (i & 63)
	}
}

// put adds a vector or replaces the passage's old one.
func (p *vectorPage) put(slot byte, scale float32, v []byte) {
	at := 0
	for at < len(p.slots) && p.slots[at] < slot {
		at++
	}
	if at == len(p.slots) || p.slots[at] != slot {
		p.slots = append(p.slots[:at:at], append([]byte{slot}, p.slots[at:]...)...)
		p.scales = append(p.scales[:at:at], append([]float32{scale}, p.scales[at:]...)...)
		p.data = append(p.data[:at*p.dims:at*p.dims], append(append([]byte{}, v...), p.data[at*p.dims:]...)...)
		return
	}
	p.scales[at] = scale
	copy(p.vector(at), v)
}

// remove removes the vector of a passage; false if there is none.
func (p *vectorPage) remove(slot byte) bool {
	for at, s := range p.slots {
		if s == slot {
			p.slots = append(p.slots[:at:at], p.slots[at+1:]...)
			p.scales = append(p.scales[:at:at], p.scales[at+1:]...)
			p.data = append(p.data[:at*p.dims:at*p.dims], p.data[(at+1)*p.dims:]...)
			return true
		}
	}
	return false
}

// encode encodes the page; without vectors the result is empty.
func (p *vectorPage) encode() []byte {
	n := len(p.slots)
	if n == 0 {
		return []byte{}
	}
	out := make([]byte, 0, 1+n*(5+p.dims)+4)
	out = append(append(out, byte(n)), p.slots...) //nolint:gosec // at most pageVectors
	for _, s := range p.scales {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(s))
	}
	return format.Seal(append(out, p.data...))
}

// decodeVectorPage decodes the result of encode, without computing the signs.
func decodeVectorPage(blob []byte, dims int) (*vectorPage, error) {
	p := newVectorPage(dims)
	if len(blob) == 0 {
		return p, nil
	}
	data, err := format.Unseal(blob)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 || dims <= 0 {
		return nil, format.ErrDamaged
	}
	n := int(data[0])
	if n > pageVectors || len(data) != 1+n*(5+dims) {
		return nil, format.ErrDamaged
	}
	p.slots = data[1 : 1+n]
	for i, slot := range p.slots {
		if slot >= pageVectors || i > 0 && slot <= p.slots[i-1] {
			return nil, format.ErrDamaged
		}
	}
	for i := range n {
		p.scales = append(p.scales, math.Float32frombits(binary.LittleEndian.Uint32(data[1+n+4*i:])))
	}
	p.data = data[1+5*n:]
	p.place()
	return p, nil
}

// Direction is a vector prepared for comparison with others.
type Direction struct {
	scale float32
	data  []byte
	wide  []int32 // data, widened
	signs []uint64
}

// quantize normalises a vector to one byte per dimension and a scale; false if the vector has
// no direction.
func quantize(v []float32) (scale float32, out []byte, ok bool) {
	var sum float64
	most := float32(0)
	for _, x := range v {
		sum += float64(x) * float64(x)
		most = max(most, float32(math.Abs(float64(x))))
	}
	if len(v) == 0 || len(v) > maxDims || most == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, nil, false
	}
	out = make([]byte, len(v))
	for i, x := range v {
		out[i] = byte(int8(math.Round(float64(x) / float64(most) * math.MaxInt8))) //nolint:gosec // within -127 … 127
	}
	return most / math.MaxInt8 / float32(math.Sqrt(sum)), out, true
}

// NewDirection prepares a vector for comparison with others.
func NewDirection(v []float32) (*Direction, bool) {
	scale, data, ok := quantize(v)
	if !ok {
		return nil, false
	}
	d := &Direction{scale: scale, data: data, wide: make([]int32, len(v)), signs: make([]uint64, (len(v)+63)/64)}
	for i, c := range data {
		d.wide[i] = int32(int8(c)) //nolint:gosec // keeps the sign
	}
	takeSigns(d.signs, data)
	return d, true
}

// cosine returns the cosine of the angle to a vector of a page.
func (d *Direction) cosine(p *vectorPage, i int) float32 {
	return float32(dot(p.vector(i), d.wide)) * d.scale * p.scales[i]
}

// signDistance returns the number of dimensions with different signs.
func (d *Direction) signDistance(p *vectorPage, i int) int {
	n, words := 0, p.signs[i*len(d.signs):(i+1)*len(d.signs)]
	for j, w := range words {
		n += bits.OnesCount64(w ^ d.signs[j])
	}
	return n
}

// dot returns the dot product, computed eight elements at a time.
func dot(a []byte, b []int32) int32 {
	var s0, s1, s2, s3 int32
	for len(a) >= 8 && len(b) >= 8 {
		s0 += int32(int8(a[0]))*b[0] + int32(int8(a[4]))*b[4] //nolint:gosec // the sign is meant
		s1 += int32(int8(a[1]))*b[1] + int32(int8(a[5]))*b[5] //nolint:gosec // the sign is meant
		s2 += int32(int8(a[2]))*b[2] + int32(int8(a[6]))*b[6] //nolint:gosec // the sign is meant
		s3 += int32(int8(a[3]))*b[3] + int32(int8(a[7]))*b[7] //nolint:gosec // the sign is meant
		a, b = a[8:], b[8:]
	}
	for i, c := range a {
		s0 += int32(int8(c)) * b[i] //nolint:gosec // the sign is meant
	}
	return s0 + s1 + s2 + s3
}

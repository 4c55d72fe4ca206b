package format

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// ErrDamaged means that data of the index differs from what was written.
var ErrDamaged = errors.New("the search index is damaged")

// Seal appends a checksum to a blob, so that damage is detected.
func Seal(data []byte) []byte { return sealWith(data, "") }

// Unseal verifies and removes the checksum.
func Unseal(data []byte) ([]byte, error) { return unsealWith(data, "") }

// sealWith is like Seal, with a checksum that also covers words.
func sealWith(data []byte, words string) []byte {
	return binary.LittleEndian.AppendUint32(data, sumOf(data, words))
}

// unsealWith verifies and removes that checksum.
func unsealWith(data []byte, words string) ([]byte, error) {
	n := len(data) - 4
	if n < 0 || sumOf(data[:n], words) != binary.LittleEndian.Uint32(data[n:]) {
		return nil, ErrDamaged
	}
	return data[:n], nil
}

func sumOf(data []byte, words string) uint32 {
	castagnoli := crc32.MakeTable(crc32.Castagnoli) // processors have an instruction for it
	return crc32.Update(crc32.Checksum(data, castagnoli), castagnoli, []byte(words))
}

// decoder decodes a blob. After an error it is bad and returns zeros.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) uint() uint64 {
	if len(d.data) > 0 && d.data[0] < 0x80 {
		n := d.data[0]
		d.data = d.data[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.bad, d.data = true, nil
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *decoder) uint32() uint32 { return uint32(d.uint()) } //nolint:gosec // written from 32 bits

func (d *decoder) int() int { return int(d.uint()) } //nolint:gosec // written from an int

func (d *decoder) signed() int64 {
	n := d.uint()
	return int64(n>>1) ^ -int64(n&1) //nolint:gosec // as in encoding/binary
}

func (d *decoder) byte() byte {
	if len(d.data) == 0 {
		d.bad = true
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return b
}

// bytes returns the next n bytes without copying them.
func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.data)) {
		d.bad, d.data = true, nil
		return nil
	}
	out := d.data[:n]
	d.data = d.data[n:]
	return out
}

func (d *decoder) text() string { return string(d.bytes(d.uint())) }

// err returns ErrDamaged if anything couldn't be decoded.
func (d *decoder) err() error {
	if d.bad {
		return ErrDamaged
	}
	return nil
}

func appendText(out []byte, s string) []byte {
	out = binary.AppendUvarint(out, uint64(len(s)))
	return append(out, s...)
}

func appendInt(out []byte, n int) []byte { return binary.AppendUvarint(out, uint64(n)) } //nolint:gosec // never negative

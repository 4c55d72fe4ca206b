package clipimage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/color"
	"image/png"
	"testing"
)

// bitmap returns a clipboard bitmap of 2 × 2 pixels, blue and green above red and white,
// with a header of this size.
func bitmap(size uint32, bitsOf uint16, compression uint32, down bool) []byte {
	height := int32(2)
	if down {
		height = -2
	}
	var b bytes.Buffer
	for _, v := range []any{size, int32(2), height, uint16(1), bitsOf, compression, [5]uint32{}} {
		_ = binary.Write(&b, binary.LittleEndian, v) // a buffer never fails
	}
	masks := []uint32{0xff0000, 0xff00, 0xff, 0xff000000}
	switch {
	case compression == withMasks && size == shortHead:
		_ = binary.Write(&b, binary.LittleEndian, masks[:3])
	case size > shortHead:
		_ = binary.Write(&b, binary.LittleEndian, masks)
		b.Write(make([]byte, int(size)-b.Len()))
	}
	rows := [][][]byte{{{0xff, 0, 0}, {0, 0xff, 0}}, {{0, 0, 0xff}, {0xff, 0xff, 0xff}}} // blue first
	if !down {
		rows[0], rows[1] = rows[1], rows[0]
	}
	for _, row := range rows {
		for _, pixel := range row {
			b.Write(pixel)
			if bitsOf == 32 {
				b.WriteByte(0x80)
			}
		}
		if bitsOf == 24 {
			b.Write([]byte{0, 0}) // a row is padded to a multiple of four bytes
		}
	}
	return b.Bytes()
}

func TestBitmapsOfTheClipboard(t *testing.T) {
	for name, c := range map[string]struct {
		dib   []byte
		alpha uint8
	}{
		"24 bits":                    {bitmap(40, 24, plain, false), 0xff},
		"24 bits, from the top":      {bitmap(40, 24, plain, true), 0xff},
		"32 bits":                    {bitmap(40, 32, plain, false), 0x80},
		"masks behind the head":      {bitmap(40, 32, withMasks, false), 0x80},
		"version 4":                  {bitmap(108, 32, withMasks, false), 0x80},
		"version 5, from the top":    {bitmap(124, 32, withMasks, true), 0x80},
		"32 bits, nothing is opaque": {bytes.ReplaceAll(bitmap(40, 32, plain, false), []byte{0x80}, []byte{0}), 0xff},
	} {
		data, err := pngOf(c.dib)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		want := [2][2]color.NRGBA{
			{{0, 0, 0xff, c.alpha}, {0, 0xff, 0, c.alpha}}, {{0xff, 0, 0, c.alpha}, {0xff, 0xff, 0xff, c.alpha}},
		}
		for y := range 2 {
			for x := range 2 {
				if got := color.NRGBAModel.Convert(picture.At(x, y)); got != want[y][x] {
					t.Errorf("%s: at %d, %d is %v, want %v", name, x, y, got, want[y][x])
				}
			}
		}
	}
}

func TestInvalidBitmaps(t *testing.T) {
	whole := bitmap(40, 32, plain, false)
	for n := range len(whole) {
		if _, err := pngOf(whole[:n]); !errors.Is(err, ErrNone) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	if _, err := pngOf(bitmap(40, 8, plain, false)); !errors.Is(err, ErrNone) {
		t.Errorf("8 bits: %v", err)
	}
}

func FuzzBitmaps(f *testing.F) {
	f.Add(bitmap(40, 24, plain, true))
	f.Add(bitmap(124, 32, withMasks, false))
	f.Fuzz(func(t *testing.T, dib []byte) {
		if data, err := pngOf(dib); err == nil {
			if _, err := png.Decode(bytes.NewReader(data)); err != nil {
				t.Error(err)
			}
		}
	})
}

package clipimage

// Windows programs offer an image as a PNG or as a device-independent bitmap, which is
// converted here. It supports bitmaps with 24 and 32 bits per pixel, the kinds that
// screenshots and browsers produce.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/bits"
)

// ErrNone means that the clipboard has no image, or none of a supported kind.
var ErrNone = errors.New("there is no image on the clipboard")

// maxPixels is the largest supported image: eight 4K screens.
const maxPixels = 8 * 3840 * 2160

// head holds the fields of BITMAPINFOHEADER that matter; longer headers begin the same way.
type head struct {
	Size          uint32
	Width, Height int32 // negative: the first row is at the top
	Planes, Bits  uint16
	Compression   uint32
	_             [5]uint32
}

// The compressions.
const (
	plain      = 0 // BI_RGB
	withMasks  = 3 // BI_BITFIELDS
	shortHead  = 40
	withColors = 52 // headers of at least this size contain the masks
)

// pngOf converts a clipboard bitmap to a PNG.
func pngOf(dib []byte) ([]byte, error) {
	var h head
	if err := binary.Read(bytes.NewReader(dib), binary.LittleEndian, &h); err != nil {
		return nil, fmt.Errorf("%w: its bitmap is cut off", ErrNone)
	}
	down := h.Height < 0
	width, height := int(h.Width), int(max(h.Height, -h.Height))
	stride := (width*int(h.Bits) + 31) / 32 * 4
	switch {
	case h.Size < shortHead || int64(h.Size) > int64(len(dib)) || width <= 0 || height <= 0 || width > maxPixels/height:
		return nil, fmt.Errorf("%w: its bitmap has an impossible size", ErrNone)
	case h.Bits != 24 && h.Bits != 32 || h.Compression != plain && h.Compression != withMasks:
		return nil, fmt.Errorf("%w: its bitmap is of a kind that isn't read (%d bits a pixel, compression %d)", ErrNone, h.Bits, h.Compression)
	}
	masks, start := masksOf(h, dib)
	if start > len(dib) || len(dib)-start < stride*height {
		return nil, fmt.Errorf("%w: its bitmap is cut off", ErrNone)
	}
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	step, clear := int(h.Bits)/8, true
	for y := range height {
		from := height - 1 - y
		if down {
			from = y
		}
		row := dib[start+from*stride:]
		for x := range width {
			pixel := uint32(row[x*step]) | uint32(row[x*step+1])<<8 | uint32(row[x*step+2])<<16
			if step == 4 {
				pixel |= uint32(row[x*step+3]) << 24
			}
			c := color.NRGBA{part(pixel, masks[0]), part(pixel, masks[1]), part(pixel, masks[2]), part(pixel, masks[3])}
			clear = clear && c.A == 0
			picture.SetNRGBA(x, y, c)
		}
	}
	if clear { // many programs leave the fourth byte zero but mean an opaque image
		for i := 3; i < len(picture.Pix); i += 4 {
			picture.Pix[i] = 0xff
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		return nil, fmt.Errorf("turn the bitmap into a PNG: %w", err)
	}
	return out.Bytes(), nil
}

// masksOf returns the bits of a pixel that are red, green, blue and alpha, and the offset
// of the pixels.
func masksOf(h head, dib []byte) (masks [4]uint32, start int) {
	masks, start = [4]uint32{0xff0000, 0xff00, 0xff, 0}, int(h.Size)
	if h.Bits == 32 {
		masks[3] = 0xff000000
	}
	if h.Compression != withMasks {
		return masks, start
	}
	n := 4 // in the header, which has room for them
	if h.Size < withColors {
		n, start = 3, start+12 // after the header
	}
	if h.Size == withColors {
		n = 3
	}
	for i := range n {
		if at := shortHead + 4*i; at+4 <= len(dib) {
			masks[i] = binary.LittleEndian.Uint32(dib[at:])
		}
	}
	return masks, start
}

// part returns the bits under a mask, scaled to a byte; opaque without a mask.
func part(pixel, mask uint32) uint8 {
	if mask == 0 {
		return 0xff
	}
	value := uint64(pixel&mask) >> bits.TrailingZeros32(mask)
	most := uint64(mask) >> bits.TrailingZeros32(mask)
	return uint8(value * 0xff / most)
}

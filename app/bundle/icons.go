package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
)

// readIcon reads the square picture that all icons are made from.
func readIcon(path string) (*image.NRGBA, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the icon: %w", err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("read the icon %s: %w", path, err)
	}
	size := picture.Bounds().Size()
	if size.X != size.Y || size.X < 512 {
		return nil, fmt.Errorf("the icon %s is %d × %d pixels: it must be a square of 512 or more", path, size.X, size.Y)
	}
	flat := image.NewNRGBA(image.Rect(0, 0, size.X, size.Y))
	draw.Draw(flat, flat.Bounds(), picture, picture.Bounds().Min, draw.Src)
	return flat, nil
}

// iconPNG returns the icon at a size: each pixel is the mean of those it replaces, weighted by
// their opacity.
func iconPNG(from *image.NRGBA, size int) ([]byte, error) {
	out := image.NewNRGBA(image.Rect(0, 0, size, size))
	n := from.Bounds().Dx()
	for y := range size {
		for x := range size {
			area := image.Rect(x*n/size, y*n/size, max((x+1)*n/size, x*n/size+1), max((y+1)*n/size, y*n/size+1))
			out.SetNRGBA(x, y, mean(from, area))
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out); err != nil {
		return nil, fmt.Errorf("write the icon at %d pixels: %w", size, err)
	}
	return b.Bytes(), nil
}

func mean(from *image.NRGBA, area image.Rectangle) color.NRGBA {
	var r, g, b, a, pixels uint64
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := from.NRGBAAt(x, y)
			w := uint64(c.A)
			r, g, b, a = r+uint64(c.R)*w, g+uint64(c.G)*w, b+uint64(c.B)*w, a+w
			pixels++
		}
	}
	if a == 0 {
		return color.NRGBA{}
	}
	return color.NRGBA{uint8((r + a/2) / a), uint8((g + a/2) / a), uint8((b + a/2) / a), uint8((a + pixels/2) / pixels)}
}

// icnsKinds lists the pictures of an .icns: their names in it and their sizes in pixels. ic10
// to ic14 are for screens with two pixels per point.
var icnsKinds = []struct {
	kind string
	size int
}{
	{"icp4", 16}, {"ic11", 32}, {"icp5", 32}, {"ic12", 64}, {"ic07", 128}, {"ic13", 256}, {"ic08", 256}, {"ic14", 512}, {"ic09", 512}, {"ic10", 1024},
}

// icns returns the icon in Apple's format: a header, then each PNG after its kind and length.
// All lengths include the eight bytes of kind and length.
func icns(from *image.NRGBA) ([]byte, error) {
	var body bytes.Buffer
	for _, k := range icnsKinds {
		picture, err := iconPNG(from, k.size)
		if err != nil {
			return nil, err
		}
		body.Write(icnsBlock(k.kind, picture))
	}
	return icnsBlock("icns", body.Bytes()), nil
}

func icnsBlock(kind string, data []byte) []byte {
	block := binary.BigEndian.AppendUint32([]byte(kind), uint32(8+len(data)))
	return append(block, data...)
}

package chat

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

func TestAThumbnailAveragesPixels(t *testing.T) {
	src := image.NewNRGBA(image.Rect(0, 0, 1000, 1000))
	for i := range 1000 * 1000 {
		c := color.NRGBA{R: 200, G: 100, A: 255}
		if i%2 == 0 {
			c = color.NRGBA{R: 100, B: 100, A: 255}
		}
		src.SetNRGBA(i%1000, i/1000, c)
	}
	var data bytes.Buffer
	if err := png.Encode(&data, src); err != nil {
		t.Fatal(err)
	}
	img, err := makeThumb(data.Bytes())
	if err != nil || img.Bounds().Dy() != 2*thumbHeight || img.Bounds().Dx() != 2*thumbHeight {
		t.Fatalf("%v, %v", img.Bounds(), err)
	}
	r, _, _, a := img.At(100, 100).RGBA()
	if r>>8 < 100 || r>>8 > 200 || a>>8 != 255 {
		t.Errorf("a pixel has red %d, alpha %d", r>>8, a>>8)
	}
	if _, err := makeThumb([]byte("no image")); err == nil {
		t.Error("no image gives a picture")
	}
}

// pngOf returns a picture of a size.
func pngOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

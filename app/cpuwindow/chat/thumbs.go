package chat

import (
	"bytes"
	"cmp"
	"errors"
	"image"
	"image/draw"
	_ "image/jpeg" // the formats of attachments
	_ "image/png"
	"sync"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/sessionmem/transcript"
)

const (
	thumbWidth  = 240 // points; twice as many pixels, for sharp screens
	thumbHeight = 160
	thumbsKept  = 24 // thumbnails; at most 0.6 MB each
)

// Thumbs caches the newest thumbnails of attached images.
type Thumbs struct {
	mu    sync.Mutex
	known map[string]image.Image
	order []string
}

// NewThumbs returns an empty cache.
func NewThumbs() *Thumbs { return &Thumbs{known: map[string]image.Image{}} }

// Get returns a cached thumbnail.
func (t *Thumbs) Get(file string) (image.Image, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	img, ok := t.known[file]
	return img, ok
}

func (t *Thumbs) put(file string, img image.Image) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.known[file]; !ok {
		t.order = append(t.order, file)
	}
	t.known[file] = img
	if len(t.order) > thumbsKept {
		delete(t.known, t.order[0])
		t.order = t.order[1:]
	}
}

// Forget empties the cache, when the window is hidden.
func (t *Thumbs) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.order = map[string]image.Image{}, nil
}

// Remember makes the thumbnail of an image that isn't on disk yet, in the background.
func (t *Thumbs) Remember(p conversation.File) {
	if p.Stored != nil || !p.Upload.Image {
		return
	}
	go func() {
		if img, err := makeThumb(p.Upload.Data); err == nil {
			t.put(p.Attachment().File, img)
		}
	}()
}

// Load calls done at once with a cached thumbnail, else reads the image in the background.
func (t *Thumbs) Load(read func() ([]byte, error), a transcript.Attachment, done func(image.Image, error)) {
	if img, ok := t.Get(a.File); ok {
		done(img, nil)
		return
	}
	go func() {
		data, err := read()
		if err != nil {
			done(nil, err)
			return
		}
		img, err := makeThumb(data)
		if err == nil {
			t.put(a.File, img)
		}
		done(img, err)
	}()
}

// largeSide is the longest side of an image shown large, in pixels: some graphics cards
// take no larger ones.
const largeSide = 4096

// DecodeLarge decodes an image for display at large size.
func DecodeLarge(data []byte) (image.Image, error) { return decodeWithin(data, largeSide, largeSide) }

// makeThumb decodes an image and shrinks it to a thumbnail.
func makeThumb(data []byte) (image.Image, error) {
	return decodeWithin(data, 2*thumbWidth, 2*thumbHeight)
}

// maxPixels is the number of pixels an image may have: a file of a few kB can claim more
// than fit in memory.
const maxPixels = 100 << 20

// decodeWithin decodes an image and shrinks it to fit a size in pixels.
func decodeWithin(data []byte, mostWidth, mostHeight int) (image.Image, error) {
	if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil || c.Width > maxPixels/max(c.Height, 1) {
		return nil, cmp.Or(err, errors.New("it has too many pixels"))
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	w, h := thumbSize(b.Dx(), b.Dy(), mostWidth, mostHeight)
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	if w == b.Dx() && h == b.Dy() {
		draw.Draw(out, out.Bounds(), img, b.Min, draw.Src)
		return out, nil
	}
	shrink(out, img)
	return out, nil
}

// thumbSize shrinks a size to fit a box; it never enlarges.
func thumbSize(w, h, boxW, boxH int) (int, int) {
	if w > boxW {
		w, h = boxW, max(1, h*boxW/w)
	}
	if h > boxH {
		w, h = max(1, w*boxH/h), boxH
	}
	return w, h
}

// shrink averages up to 4 × 4 samples of the source for each pixel.
func shrink(dst *image.NRGBA, src image.Image) {
	const samples = 4
	b, d := src.Bounds(), dst.Bounds()
	for y := range d.Dy() {
		for x := range d.Dx() {
			var r, g, bl, a uint32
			for i := range samples * samples {
				sx := b.Min.X + (x*samples+i%samples)*b.Dx()/(d.Dx()*samples)
				sy := b.Min.Y + (y*samples+i/samples)*b.Dy()/(d.Dy()*samples)
				pr, pg, pb, pa := src.At(sx, sy).RGBA()
				r, g, bl, a = r+pr, g+pg, bl+pb, a+pa
			}
			setPixel(dst, x, y, r, g, bl, a, samples*samples)
		}
	}
}

// setPixel writes the mean of n premultiplied samples.
func setPixel(dst *image.NRGBA, x, y int, r, g, b, a, n uint32) {
	at := dst.PixOffset(x, y)
	if a == 0 {
		return
	}
	dst.Pix[at], dst.Pix[at+1], dst.Pix[at+2] = uint8(r*255/a), uint8(g*255/a), uint8(b*255/a)
	dst.Pix[at+3] = uint8(a / n >> 8)
}

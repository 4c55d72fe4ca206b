package chat

import (
	"bytes"
	"cmp"
	"errors"
	"image"
	"image/draw"
	_ "image/jpeg" // what attachments come as
	_ "image/png"
	"sync"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/sessionmem/transcript"
)

const (
	thumbWidth  = 240 // points; twice as many pixels, for sharp screens
	thumbHeight = 160
	thumbsKept  = 24 // pictures; at most 0.6 MB each
)

// Thumbs are the small pictures of attached images, the newest ones kept.
type Thumbs struct {
	mu    sync.Mutex
	known map[string]image.Image
	order []string
}

// NewThumbs is a cache in which nothing is.
func NewThumbs() *Thumbs { return &Thumbs{known: map[string]image.Image{}} }

// Get gives a picture that is kept.
func (t *Thumbs) Get(file string) (image.Image, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	img, ok := t.known[file]
	return img, ok
}

func (t *Thumbs) put(file string, img image.Image) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, there := t.known[file]; !there {
		t.order = append(t.order, file)
	}
	t.known[file] = img
	if len(t.order) > thumbsKept {
		delete(t.known, t.order[0])
		t.order = t.order[1:]
	}
}

// Forget drops them all: the window is hidden.
func (t *Thumbs) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known, t.order = map[string]image.Image{}, nil
}

// Remember makes the picture of an image before it is on disk, in the background.
func (t *Thumbs) Remember(p conversation.File) {
	if p.Kept != nil || !p.Upload.Image {
		return
	}
	go func() {
		if img, err := makeThumb(p.Upload.Data); err == nil {
			t.put(p.Attachment().File, img)
		}
	}()
}

// Load gives a picture at once where it is kept, else reads it in the background.
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

// largeSide is how many pixels an image that is shown large has on a side, at most:
// some graphics cards take no larger ones.
const largeSide = 4096

// Large decodes an image to be shown large.
func Large(data []byte) (image.Image, error) { return within(data, largeSide, largeSide) }

// makeThumb decodes an image and makes it small.
func makeThumb(data []byte) (image.Image, error) { return within(data, 2*thumbWidth, 2*thumbHeight) }

// mostPixels is how many pixels an image may have: a few kB can say that they are many
// more than memory holds.
const mostPixels = 100 << 20

// within decodes an image and fits it into so many pixels.
func within(data []byte, mostWidth, mostHeight int) (image.Image, error) {
	if c, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil || c.Width > mostPixels/max(c.Height, 1) {
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

// thumbSize fits a size into a box, never enlarging it.
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
			set(dst, x, y, r, g, bl, a, samples*samples)
		}
	}
}

// set writes the mean of n premultiplied samples.
func set(dst *image.NRGBA, x, y int, r, g, b, a, n uint32) {
	at := dst.PixOffset(x, y)
	if a == 0 {
		return
	}
	dst.Pix[at], dst.Pix[at+1], dst.Pix[at+2] = uint8(r*255/a), uint8(g*255/a), uint8(b*255/a)
	dst.Pix[at+3] = uint8(a / n >> 8)
}

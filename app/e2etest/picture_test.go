//go:build e2e

package e2etest

import (
	"bytes"
	wire "encoding/binary"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// camera takes pictures of a window.
type camera struct {
	screen *screen
	x      *xserver
	window string // xdotool's ID
	prefix string // prefix of the pictures' names
	count  int
}

func newCamera(t testing.TB, s *screen, prefix string) *camera {
	t.Helper()
	x, err := connectX(s.display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.close)
	return &camera{screen: s, x: x, prefix: prefix}
}

// aim waits for a process's window to have content, and gives it this size in the screen's
// upper left corner.
func (c *camera) aim(t testing.TB, pid, width, height int) {
	t.Helper()
	c.window = c.screen.waitWindow(t, pid)
	c.resize(t, width, height)
	waitFor(t, patience, "something in the window", func() bool { return colours(c.picture(t), notEmpty) == notEmpty })
}

// notEmpty is the number of colours in a window with content.
const notEmpty = 60

// resize gives the window a size in pixels and waits for it. A window that has just opened
// may still take its last size, so the request is repeated.
func (c *camera) resize(t testing.TB, width, height int) {
	t.Helper()
	var asked time.Time
	waitFor(t, patience, fmt.Sprintf("a window of %d × %d pixels", width, height), func() bool {
		if b := c.picture(t).Bounds(); b.Dx() == width && b.Dy() == height {
			return true
		}
		if time.Since(asked) > time.Second {
			c.screen.run(t, "xdotool", "windowmove", c.window, "0", "0", "windowsize", c.window, fmt.Sprint(width), fmt.Sprint(height))
			asked = time.Now()
		}
		return false
	})
}

// picture returns the window as it is on the screen now.
func (c *camera) picture(t testing.TB) *image.RGBA {
	t.Helper()
	var id uint32
	if _, err := fmt.Sscan(c.window, &id); err != nil {
		t.Fatalf("the window's id %q: %v", c.window, err)
	}
	p, err := c.x.picture(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	stillFor   = 250 * time.Millisecond  // a picture without a change for this long is complete
	stillAfter = 1500 * time.Millisecond // a picture that keeps changing is used as it is
)

// still waits until the window stops changing and returns its picture. Changes of the
// vitals don't count.
func (c *camera) still(t testing.TB) *image.RGBA {
	t.Helper()
	return untilStill(func() *image.RGBA { return c.picture(t) })
}

func untilStill(picture func() *image.RGBA) *image.RGBA {
	deadline := time.Now().Add(stillAfter)
	before := picture()
	for since := time.Now(); time.Since(since) < stillFor && time.Now().Before(deadline); {
		time.Sleep(40 * time.Millisecond)
		now := picture()
		if now.Bounds() != before.Bounds() || !bytes.Equal(belowVitals(now), belowVitals(before)) {
			since = time.Now()
		}
		before = now
	}
	return before
}

// belowVitals returns the pixels of a picture below the strip of vitals.
func belowVitals(p *image.RGBA) []byte {
	return p.Pix[min(len(p.Pix), p.Stride*p.Bounds().Dy()/4):]
}

// shot saves a picture of the window among the artifacts and returns it. An empty window
// fails the test.
func (c *camera) shot(t testing.TB, name string) *image.RGBA {
	t.Helper()
	p := c.still(t)
	c.count++
	path := filepath.Join(artifacts(t), fmt.Sprintf("%s-%02d-%s.png", c.prefix, c.count, name))
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(f, p); err != nil {
		t.Fatal(err)
	}
	if n := colours(p, notEmpty); n < notEmpty {
		t.Errorf("%s shows %d colours; it looks empty", path, n)
	}
	return p
}

// waitChange waits until the window differs from its picture by this many pixels below the
// vitals.
func (c *camera) waitChange(t testing.TB, from *image.RGBA, pixels int, what string) {
	t.Helper()
	waitFor(t, patience, what+" on the screen", func() bool {
		now := c.picture(t)
		return now.Bounds() != from.Bounds() || differing(lower(now), lower(from)) >= pixels
	})
}

// lower returns the part of a picture below the vitals.
func lower(p *image.RGBA) image.Image {
	b := p.Bounds()
	return p.SubImage(image.Rect(0, b.Dy()/4, b.Dx(), b.Dy()))
}

// picture reads a window's pixels.
func (x *xserver) picture(window uint32) (*image.RGBA, error) {
	shape, err := x.ask(xGetGeometry, 0, window)
	if err != nil || shape == nil {
		return nil, fmt.Errorf("the window is gone: %w", err)
	}
	width, height := wire.LittleEndian.Uint16(shape[16:]), wire.LittleEndian.Uint16(shape[18:])
	const zPixmap, allPlanes = 2, ^uint32(0)
	data, err := x.ask(xGetImage, zPixmap, window, int16(0), int16(0), width, height, allPlanes)
	if err != nil {
		return nil, err
	}
	p := image.NewRGBA(image.Rect(0, 0, int(width), int(height)))
	if data == nil { // partly off the screen for a moment
		return p, nil
	}
	for i, from := 0, data[32:]; i+4 <= len(p.Pix) && i+4 <= len(from); i += 4 {
		p.Pix[i], p.Pix[i+1], p.Pix[i+2], p.Pix[i+3] = from[i+2], from[i+1], from[i], 0xff
	}
	return p, nil
}

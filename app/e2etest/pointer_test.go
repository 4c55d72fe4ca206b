//go:build e2e

package e2etest

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"testing"
	"time"
)

// click clicks a place in the window, in pixels.
func (c *camera) click(t testing.TB, x, y int) {
	t.Helper()
	c.screen.run(t, "xdotool", "mousemove", "--window", c.window, fmt.Sprint(x), fmt.Sprint(y), "click", "1")
	c.screen.run(t, "xdotool", "mousemove", "--window", c.window, "2", fmt.Sprint(c.picture(t).Bounds().Dy()-2)) // nothing is hovered
}

// turns does something until much of the window has changed: a page or a sheet opens or
// closes. A button may still be moving or disabled, so do is repeated after enough time for
// a busy machine to draw.
func (c *camera) turns(t testing.TB, what string, do func()) {
	t.Helper()
	before := c.still(t)
	waitFor(t, patience, what, func() bool {
		do()
		for until := time.Now().Add(5 * time.Second); time.Now().Before(until); time.Sleep(40 * time.Millisecond) {
			if differing(lower(c.picture(t)), lower(before)) >= 40_000 {
				return true
			}
		}
		return false
	})
	c.still(t)
}

// warnings returns the colours of warnings, dark and light.
func warnings() []color.RGBA {
	return []color.RGBA{{0xE0, 0xA8, 0x4A, 0xff}, {0x8A, 0x5A, 0x12, 0xff}}
}

// accents returns the colours of primary buttons and of the focus, dark and light.
func accents() []color.RGBA {
	return []color.RGBA{{0x3C, 0xC2, 0x9B, 0xff}, {0x0A, 0x7A, 0x5F, 0xff}}
}

// clickColour clicks the topmost thing below the vitals in one of the colours, as soon as
// it is there; least is the minimum number of its pixels.
func (c *camera) clickColour(t testing.TB, of []color.RGBA, least int) {
	t.Helper()
	var at image.Point
	waitFor(t, patience, fmt.Sprintf("something in %v", of), func() bool {
		found := false
		at, found = coloured(c.still(t), of, least)
		return found
	})
	c.click(t, at.X, at.Y)
}

// near reports whether a pixel has a colour: small letters are blended with their
// background.
func near(a, b color.RGBA) bool {
	within := func(a, b uint8) bool { return max(a, b)-min(a, b) < 40 }
	return within(a.R, b.R) && within(a.G, b.G) && within(a.B, b.B)
}

// coloured finds the first thing in a colour: consecutive lines with such pixels.
func coloured(p *image.RGBA, of []color.RGBA, least int) (image.Point, bool) {
	var box image.Rectangle
	n := 0
	for y := p.Bounds().Dy() / 8; y < p.Bounds().Dy(); y++ {
		inLine := 0
		for x := range p.Bounds().Dx() {
			if slices.ContainsFunc(of, func(c color.RGBA) bool { return near(p.RGBAAt(x, y), c) }) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
				inLine++
			}
		}
		if n += inLine; inLine > 0 {
			continue
		}
		if n >= least {
			break
		}
		box, n = image.Rectangle{}, 0
	}
	return box.Min.Add(box.Size().Div(2)), n >= least
}

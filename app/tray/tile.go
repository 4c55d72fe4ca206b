package tray

import (
	"image"
	"image/color"
	"math"
)

// drawTile draws the metrics into the picture, because hosts on Linux draw no title. One
// metric fills the tile; two are stacked; three and four get a quarter each.
func drawTile(s state) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, iconSize, iconSize))
	d, n := s.display.normal(), s.n
	if s.paused || n == 0 {
		n = 1
	}
	if d.Graph && !d.Numbers && !s.paused {
		drawColumns(img, s.cells[:n])
		return img
	}
	mask := image.NewAlpha(img.Bounds())
	for i := range n {
		area := areaOf(i, n)
		if d.Graph {
			area.Max.Y = barOf(area).Min.Y
		}
		text := s.cells[i].text
		if s.paused {
			text = "‖"
		}
		drawText(mask, text, area)
	}
	paint(img, mask)
	if d.Graph {
		for i := range n {
			c := s.cells[i]
			if s.paused {
				c.fill = unknown
			}
			drawBar(img, barOf(areaOf(i, n)), c)
		}
	}
	return img
}

// areaOf returns the area of metric i of n.
func areaOf(i, n int) image.Rectangle {
	const half = iconSize / 2
	switch n {
	case 1:
		return image.Rect(0, 0, iconSize, iconSize)
	case 2:
		return image.Rect(0, i*half, iconSize, (i+1)*half)
	}
	x, y := (i%2)*(half+1), (i/2)*half
	return image.Rect(x, y, x+half-1, y+half)
}

// barOf returns the area of the bar: at the bottom, over the whole width.
func barOf(area image.Rectangle) image.Rectangle {
	height, below := 4, 1
	if area.Dy() == iconSize {
		height = 8
	}
	bottom := area.Max.Y - below
	return image.Rect(area.Min.X, bottom-height, area.Max.X, bottom)
}

// tint returns the colour of a bar.
func tint(w warmth) color.NRGBA {
	c := colors()
	switch w {
	case hot:
		return c.hot
	case warm:
		return c.warm
	}
	return c.calm
}

// drawBar draws a bar that fills from the left.
func drawBar(img *image.NRGBA, r image.Rectangle, c cell) {
	filled := 0
	if c.fill != unknown {
		filled = int(math.Round(float64(c.fill) / 100 * float64(r.Dx())))
	}
	fillRect(img, r, func(x, _ int) bool { return x-r.Min.X < filled }, c)
}

// drawColumns draws a bar for each metric that fills from the bottom.
func drawColumns(img *image.NRGBA, cells []cell) {
	const gap = 4
	width := (iconSize - gap*(len(cells)-1)) / len(cells)
	width = min(width, 24) // a single bar stays narrow
	left := (iconSize - width*len(cells) - gap*(len(cells)-1)) / 2
	for i, c := range cells {
		r := image.Rect(left+i*(width+gap), 1, left+i*(width+gap)+width, iconSize-1)
		filled := 0
		if c.fill != unknown {
			filled = int(math.Round(float64(c.fill) / 100 * float64(r.Dy())))
		}
		fillRect(img, r, func(_, y int) bool { return r.Max.Y-1-y < filled }, c)
	}
}

// fillRect draws a rectangle without its corners, filled at the points that full accepts.
func fillRect(img *image.NRGBA, r image.Rectangle, full func(x, y int) bool, c cell) {
	fill, track := tint(c.tone), colors().track
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			corner := (x == r.Min.X || x == r.Max.X-1) && (y == r.Min.Y || y == r.Max.Y-1)
			switch {
			case corner:
			case full(x, y):
				img.SetNRGBA(x, y, fill)
			default:
				img.SetNRGBA(x, y, track)
			}
		}
	}
}

// drawText draws the glyphs into a mask, as large as they fit and centred in an area.
func drawText(mask *image.Alpha, text string, area image.Rectangle) {
	runes := []rune(text)
	scale, gap := 4, 4
	measure := func() int { return len(runes)*(glyphWidth*scale+gap) - gap }
	for scale > 1 && (measure() > area.Dx()-2 || glyphHeight*scale > area.Dy()-2) {
		scale--
		gap = min(2, scale)
	}
	top := area.Min.Y + (area.Dy()-glyphHeight*scale)/2
	left := area.Min.X + (area.Dx()-measure())/2
	for i, r := range runes {
		drawGlyph(mask, glyph(r), left+i*(glyphWidth*scale+gap), top, scale)
	}
}

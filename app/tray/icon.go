package tray

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
)

// iconSize is the icon's edge in pixels: 22 at twice the density, which hosts scale for
// their panel.
const iconSize = 44

// ringSize is the edge of the macOS icon: systray shows it at 16 points, so its pixels
// match the screen's.
const ringSize = 32

// Buckets of the CPU load: the icon shows steps of bucketStep percent and is redrawn only
// when the step changes. Drawing is four fifths of a monitor's cost.
const (
	bucketStep = 5
	unknown    = -1
)

// bucketOf rounds a load in percent (0 to 100) to a step of the icon.
func bucketOf(percent float64) int {
	if math.IsNaN(percent) || percent < 0 {
		return unknown
	}
	return int(math.Round(min(percent, 100)/bucketStep)) * bucketStep
}

// maxDrawn is how many pictures are cached; four metrics have many more.
const maxDrawn = 64

// icons draws icons and caches each picture. Not safe for concurrent use.
type icons struct {
	template bool // macOS: black and transparent, tinted by the system
	ico      bool // Windows needs its own container
	drawn    map[state][]byte
}

func newIcons(template, ico bool) icons {
	return icons{template: template, ico: ico, drawn: map[state][]byte{}}
}

// of returns the encoded icon for a state; the state's line doesn't matter.
func (i icons) of(s state) []byte {
	s.line = ""
	if data, ok := i.drawn[s]; ok {
		return data
	}
	if len(i.drawn) >= maxDrawn {
		clear(i.drawn)
	}
	img := drawTile(s)
	if i.template {
		img = drawRing(s)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(fmt.Sprintf("tray: encoding an icon of ours: %v", err)) // a bytes.Buffer never fails
	}
	data := b.Bytes()
	if i.ico {
		data = icoOf(data)
	}
	i.drawn[s] = data
	return data
}

// icoHead is the size of a Windows icon's header, in bytes.
const icoHead = 22

// icoOf wraps a PNG into a Windows icon with one picture.
func icoOf(png []byte) []byte {
	head := []byte{0, 0, 1, 0, 1, 0, iconSize, iconSize, 0, 0, 1, 0, 32, 0}
	head = binary.LittleEndian.AppendUint32(head, uint32(len(png)))
	head = binary.LittleEndian.AppendUint32(head, icoHead)
	return append(head, png...)
}

// palette holds the icon's colours. The number is white with a dark outline, so that it is
// readable on light and dark panels; the bar uses the window's accent, amber and red.
type palette struct{ number, outline, track, calm, warm, hot color.NRGBA }

func colors() palette {
	return palette{
		number:  color.NRGBA{0xff, 0xff, 0xff, 0xff},
		outline: color.NRGBA{A: 0xc8},
		track:   color.NRGBA{A: 0x78},
		calm:    color.NRGBA{0x3c, 0xc2, 0x9b, 0xff},
		warm:    color.NRGBA{0xe0, 0xa8, 0x4a, 0xff},
		hot:     color.NRGBA{0xef, 0x7a, 0x65, 0xff},
	}
}

// glyph returns a character of our own font, 4 cells wide and 7 high; empty for characters
// that we don't draw.
func glyph(r rune) [glyphHeight]string {
	switch r {
	case '0':
		return [...]string{".##.", "#..#", "#..#", "#..#", "#..#", "#..#", ".##."}
	case '1':
		return [...]string{"..#.", ".##.", "..#.", "..#.", "..#.", "..#.", ".###"}
	case '2':
		return [...]string{".##.", "#..#", "...#", "..#.", ".#..", "#...", "####"}
	case '3':
		return [...]string{"###.", "...#", "...#", ".##.", "...#", "...#", "###."}
	case '4':
		return [...]string{"#..#", "#..#", "#..#", "####", "...#", "...#", "...#"}
	case '5':
		return [...]string{"####", "#...", "###.", "...#", "...#", "#..#", ".##."}
	case '6':
		return [...]string{".##.", "#...", "#...", "###.", "#..#", "#..#", ".##."}
	case '7':
		return [...]string{"####", "...#", "..#.", "..#.", ".#..", ".#..", ".#.."}
	case '8':
		return [...]string{".##.", "#..#", "#..#", ".##.", "#..#", "#..#", ".##."}
	case '9':
		return [...]string{".##.", "#..#", "#..#", ".###", "...#", "...#", ".##."}
	case '.':
		return [...]string{"....", "....", "....", "....", "....", ".##.", ".##."}
	case '–':
		return [...]string{"....", "....", "....", "####", "....", "....", "...."}
	case '‖':
		return [...]string{"#..#", "#..#", "#..#", "#..#", "#..#", "#..#", "#..#"}
	default:
		return [glyphHeight]string{}
	}
}

// The cells of a glyph.
const (
	glyphWidth  = 4
	glyphHeight = 7
)

func drawGlyph(mask *image.Alpha, g [glyphHeight]string, left, top, scale int) {
	for row, cells := range g {
		for col, cell := range cells {
			if cell != '#' {
				continue
			}
			for dy := range scale {
				for dx := range scale {
					mask.SetAlpha(left+col*scale+dx, top+row*scale+dy, color.Alpha{0xff})
				}
			}
		}
	}
}

// paint colours the pixels of the mask, and two pixels around it as the outline.
func paint(img *image.NRGBA, mask *image.Alpha) {
	const outline = 2
	c := colors()
	for y := range iconSize {
		for x := range iconSize {
			switch {
			case mask.AlphaAt(x, y).A > 0:
				img.SetNRGBA(x, y, c.number)
			case near(mask, x, y, outline):
				img.SetNRGBA(x, y, c.outline)
			}
		}
	}
}

func near(mask *image.Alpha, x, y, distance int) bool {
	for dy := -distance; dy <= distance; dy++ {
		for dx := -distance; dx <= distance; dx++ {
			if dx*dx+dy*dy <= distance*distance+1 && mask.AlphaAt(x+dx, y+dy).A > 0 {
				return true
			}
		}
	}
	return false
}

// drawRing draws the first metric as an arc from twelve o'clock, in black and transparent,
// for menu bars that tint the icon themselves. Paused is two bars in the ring; unknown is
// the empty ring.
func drawRing(s state) image.Image {
	const (
		centre = ringSize / 2
		radius = 12.0
		half   = 2.5 // of the line's width
	)
	img := image.NewNRGBA(image.Rect(0, 0, ringSize, ringSize))
	share := 0.0
	if !s.paused && s.cells[0].fill != unknown && s.display.normal().Graph {
		share = float64(s.cells[0].fill) / 100
	}
	for y := range ringSize {
		for x := range ringSize {
			dx, dy := float64(x)+0.5-centre, float64(y)+0.5-centre
			cover := min(1, max(0, half+0.5-math.Abs(math.Hypot(dx, dy)-radius)))
			angle := math.Atan2(dx, -dy) / (2 * math.Pi) // 0 at the top, clockwise
			if angle < 0 {
				angle++
			}
			strength := 0.3
			if angle < share || share == 1 {
				strength = 1
			}
			if s.paused && math.Abs(dy) < 5 && math.Abs(dx) > 1 && math.Abs(dx) < 4 {
				cover, strength = 1, 1
			}
			img.SetNRGBA(x, y, color.NRGBA{A: uint8(math.Round(255 * cover * strength))})
		}
	}
	return img
}

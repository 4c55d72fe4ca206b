package vitals

import (
	"image"
	"image/color"
	"math"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
)

// chart draws the history of a metric as a line over a filled area: the means and, faintly, the
// maxima. It has a gap where nothing was measured. It is one image, which is drawn again only
// when it changes.
type chart struct {
	widget.BaseWidget
	points []monitor.Point
	full   float64 // the value at the upper edge; 0 for the largest value
	peaks  bool    // the maxima are drawn
	min    fyne.Size
	drawn  []int16 // the looks of the drawn points
}

func newChart(w, h float32, peaks bool) *chart {
	c := &chart{min: fyne.NewSize(w, h), peaks: peaks}
	c.ExtendBaseWidget(c)
	return c
}

func (c *chart) set(points []monitor.Point, full float64) {
	c.points, c.full = points, full
	looks := c.looks()
	if slices.Equal(looks, c.drawn) {
		return
	}
	c.drawn = looks
	c.Refresh()
}

// looks returns the points in half pixels of height: values that differ by less look the same.
// Repainting the window is most of the cost of an open window.
func (c *chart) looks() []int16 {
	top, height := c.top(), float64(2*c.min.Height)
	out := make([]int16, 0, 2*len(c.points))
	place := func(v float64) int16 { return int16(math.Round(height * min(max(v/top, 0), 1))) }
	for _, p := range c.points {
		switch {
		case !p.OK:
			out = append(out, -1)
		case c.peaks:
			out = append(out, place(p.Mean), place(p.Max))
		default:
			out = append(out, place(p.Mean))
		}
	}
	return out
}

// top returns the value at the upper edge.
func (c *chart) top() float64 {
	if c.full > 0 {
		return c.full
	}
	top := 0.0
	for _, p := range c.points {
		v := p.Mean
		if c.peaks {
			v = p.Max
		}
		if p.OK {
			top = max(top, v)
		}
	}
	if top <= 0 {
		return 1
	}
	return top
}

// CreateRenderer implements fyne.Widget.
func (c *chart) CreateRenderer() fyne.WidgetRenderer {
	r := &chartRenderer{c: c}
	r.raster = canvas.NewRaster(r.draw)
	return r
}

type chartRenderer struct {
	c      *chart
	raster *canvas.Raster
}

func (r *chartRenderer) Layout(s fyne.Size)           { r.raster.Resize(s) }
func (r *chartRenderer) MinSize() fyne.Size           { return r.c.min }
func (r *chartRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.raster} }
func (r *chartRenderer) Destroy()                     {}
func (r *chartRenderer) Refresh()                     { r.raster.Refresh() }

// draw paints the chart in w × h pixels of the screen.
func (r *chartRenderer) draw(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	if r.c.peaks { // a large chart has a base line
		floor := color.NRGBAModel.Convert(kit.Color(kit.RoleLine)).(color.NRGBA) //nolint:forcetypeassert // this model always returns it
		for x := range w {
			img.SetNRGBA(x, h-1, floor)
		}
	}
	if w < 2 || h < 2 || len(r.c.points) < 2 || !r.c.peaks && lone(r.c.points) {
		return img
	}
	scale := 1.0
	if s := r.c.Size(); s.Height > 0 {
		scale = float64(h) / float64(s.Height)
	}
	p := plot{img: img, points: r.c.points, top: r.c.top(), half: 0.7 * scale}
	accent := color.NRGBAModel.Convert(kit.Color(kit.RoleAccent)).(color.NRGBA) //nolint:forcetypeassert // this model always returns it
	if r.c.peaks {
		p.trace(func(p monitor.Point) float64 { return p.Max }, accent, 0x50, 0)
	}
	p.trace(func(p monitor.Point) float64 { return p.Mean }, accent, 0xff, 0x24)
	return img
}

// lone reports whether there is only one reading, which is a speck in a chart without a base
// line.
func lone(points []monitor.Point) bool {
	n := 0
	for _, p := range points {
		if p.OK {
			n++
		}
	}
	return n == 1
}

// plot draws lines into an image, column by column.
type plot struct {
	img    *image.NRGBA
	points []monitor.Point
	top    float64
	half   float64 // half the thickness of the line, in pixels
}

// trace draws a line through the values and fills the area below it.
func (p plot) trace(value func(monitor.Point) float64, c color.NRGBA, strength, ground uint8) {
	w := p.img.Bounds().Dx()
	step := float64(w-1) / float64(len(p.points)-1)
	for x := range w {
		at := float64(x) / step
		i := min(int(at), len(p.points)-1)
		next := min(i+1, len(p.points)-1)
		a, b := p.points[i], p.points[next]
		switch {
		case a.OK && b.OK:
			slope := (value(b) - value(a)) / step
			v := value(a) + (at-float64(i))*(value(b)-value(a))
			p.column(x, v, slope, c, strength, ground)
		case a.OK && at-float64(i) < 0.5:
			p.column(x, value(a), 0, c, strength, ground)
		case b.OK && at-float64(i) >= 0.5:
			p.column(x, value(b), 0, c, strength, ground)
		}
	}
}

// column draws one column of the line, at value v and with a slope per column.
func (p plot) column(x int, v, slope float64, c color.NRGBA, strength, ground uint8) {
	h := float64(p.img.Bounds().Dy())
	room := h - 2*p.half
	y := p.half + room*(1-min(max(v/p.top, 0), 1))
	rise := slope * room / p.top // in rows per column; a steep line covers more rows
	reach := min(p.half*math.Hypot(1, rise), p.half+math.Abs(rise)/2+0.5)
	end := int(h)
	if ground == 0 {
		end = min(end, int(y+reach)+2)
	}
	for row := max(0, int(y-reach)-1); row < end; row++ {
		centre := float64(row) + 0.5
		cover := min(1, max(0, reach+0.5-math.Abs(centre-y)))
		below := 0.0
		if centre > y {
			below = 1
		}
		alpha := max(cover*float64(strength), below*float64(ground))
		if old := p.img.NRGBAAt(x, row); alpha > float64(old.A) || row == int(h)-1 && alpha >= float64(strength)/2 {
			c.A = uint8(alpha)
			p.img.SetNRGBA(x, row, c)
		}
	}
}

package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// FlowRow places objects side by side, centred vertically, and continues on the next line
// if they don't fit. Text that wraps is wrapped to the row's width; any other object wider than
// the row is squeezed into it.
type FlowRow struct {
	widget.BaseWidget
	Objects []fyne.CanvasObject
	Right   bool // aligns each line with the right edge
	gap     float32
}

// wrapped is text that wraps. WidestLine returns the width it needs since Measure.
type wrapped interface {
	Row
	WidestLine() float32
}

// NewFlowRow returns a row of objects with a gap between them.
func NewFlowRow(gap float32, objects ...fyne.CanvasObject) *FlowRow {
	f := &FlowRow{Objects: objects, gap: gap}
	f.ExtendBaseWidget(f)
	return f
}

// flow computes the place of each visible object and returns the height.
func (f *FlowRow) flow(width float32, put func(o fyne.CanvasObject, at fyne.Position, s fyne.Size)) float32 {
	var line []fyne.CanvasObject
	var used, y, tallest float32
	size := func(o fyne.CanvasObject) fyne.Size {
		if text, ok := o.(wrapped); ok {
			height := text.Measure(width)
			return fyne.NewSize(text.WidestLine(), height)
		}
		m := o.MinSize()
		return fyne.NewSize(min(m.Width, width), m.Height)
	}
	flush := func() {
		x := float32(0)
		if f.Right {
			x = max(0, width-used)
		}
		for _, o := range line {
			m := size(o)
			put(o, fyne.NewPos(x, y+(tallest-m.Height)/2), m)
			x += m.Width + f.gap
		}
		line = line[:0]
	}
	for _, o := range f.Objects {
		if !o.Visible() {
			continue
		}
		m := size(o)
		if len(line) > 0 && used+f.gap+m.Width > width {
			flush()
			y, tallest = y+tallest+Gap8, 0
		}
		if used += m.Width + f.gap; len(line) == 0 {
			used = m.Width
		}
		line = append(line, o)
		tallest = max(tallest, m.Height)
	}
	flush()
	return y + tallest
}

// Measure implements Row.
func (f *FlowRow) Measure(width float32) float32 {
	return f.flow(width, func(fyne.CanvasObject, fyne.Position, fyne.Size) {})
}

// CreateRenderer implements fyne.Widget.
func (f *FlowRow) CreateRenderer() fyne.WidgetRenderer {
	return &Renderer{Widget: f, LayOut: f.layOut, Parts: func() []fyne.CanvasObject { return f.Objects }}
}

func (f *FlowRow) layOut(s fyne.Size) {
	f.flow(s.Width, func(o fyne.CanvasObject, at fyne.Position, size fyne.Size) {
		o.Move(at)
		o.Resize(size)
	})
}

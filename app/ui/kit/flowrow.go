package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// FlowRow puts objects side by side and goes on in the next line where they don't
// fit.
type FlowRow struct {
	widget.BaseWidget
	objects []fyne.CanvasObject
	gap     float32
}

// NewFlowRow is a row of objects with a gap between them.
func NewFlowRow(gap float32, objects ...fyne.CanvasObject) *FlowRow {
	f := &FlowRow{objects: objects, gap: gap}
	f.ExtendBaseWidget(f)
	return f
}

// flow gives each visible object its place; it returns the height.
func (f *FlowRow) flow(width float32, put func(o fyne.CanvasObject, at fyne.Position, s fyne.Size)) float32 {
	var x, y, tallest float32
	for _, o := range f.objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		if x > 0 && x+m.Width > width {
			x, y, tallest = 0, y+tallest+Gap8, 0
		}
		put(o, fyne.NewPos(x, y), m)
		x += m.Width + f.gap
		tallest = max(tallest, m.Height)
	}
	return y + tallest
}

// Measure implements Row.
func (f *FlowRow) Measure(width float32) float32 {
	return f.flow(width, func(fyne.CanvasObject, fyne.Position, fyne.Size) {})
}

// CreateRenderer implements fyne.Widget.
func (f *FlowRow) CreateRenderer() fyne.WidgetRenderer { return &flowRenderer{f} }

type flowRenderer struct{ f *FlowRow }

func (r *flowRenderer) Layout(s fyne.Size) {
	r.f.flow(s.Width, func(o fyne.CanvasObject, at fyne.Position, size fyne.Size) {
		o.Move(at)
		o.Resize(size)
	})
}
func (r *flowRenderer) MinSize() fyne.Size           { return fyne.NewSize(0, 0) }
func (r *flowRenderer) Objects() []fyne.CanvasObject { return r.f.objects }
func (r *flowRenderer) Destroy()                     {}
func (r *flowRenderer) Refresh() {
	r.Layout(r.f.Size())
	for _, o := range r.f.objects {
		o.Refresh()
	}
}

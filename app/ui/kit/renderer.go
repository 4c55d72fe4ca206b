package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// NewRenderer returns a renderer that draws a widget from fixed parts. layOut places the
// parts for a size of the widget. The widget has no minimum size: a Row is as high as
// its Measure returns, and an overlay covers its window.
func NewRenderer(w fyne.Widget, layOut func(fyne.Size), parts ...fyne.CanvasObject) *Renderer {
	return &Renderer{Widget: w, LayOut: layOut, Parts: func() []fyne.CanvasObject { return parts }}
}

// Renderer draws a widget from its parts, which may change. All fields but Min are required.
type Renderer struct {
	Widget fyne.Widget
	LayOut func(fyne.Size) // places the parts for a size of the widget
	Parts  func() []fyne.CanvasObject
	Min    func() fyne.Size // nil for no minimum size
}

// Layout implements fyne.WidgetRenderer.
func (r *Renderer) Layout(s fyne.Size) { r.LayOut(s) }

// MinSize implements fyne.WidgetRenderer.
func (r *Renderer) MinSize() fyne.Size {
	if r.Min == nil {
		return fyne.Size{}
	}
	return r.Min()
}

// Objects implements fyne.WidgetRenderer.
func (r *Renderer) Objects() []fyne.CanvasObject { return r.Parts() }

// Destroy implements fyne.WidgetRenderer.
func (r *Renderer) Destroy() {}

// Refresh implements fyne.WidgetRenderer.
func (r *Renderer) Refresh() {
	r.LayOut(r.Widget.Size())
	for _, o := range r.Parts() {
		o.Refresh()
	}
	canvas.Refresh(r.Widget)
}

package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// NewRenderer returns a renderer that draws a widget from fixed parts. layOut places the
// parts for a size of the widget. The widget has no minimum size: a Row is as high as
// its Measure returns, and an overlay covers its window.
func NewRenderer(w fyne.Widget, layOut func(fyne.Size), parts ...fyne.CanvasObject) fyne.WidgetRenderer {
	return &partsRenderer{w, layOut, parts}
}

type partsRenderer struct {
	widget fyne.Widget
	layOut func(fyne.Size)
	parts  []fyne.CanvasObject
}

func (r *partsRenderer) Layout(s fyne.Size)           { r.layOut(s) }
func (r *partsRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *partsRenderer) Objects() []fyne.CanvasObject { return r.parts }
func (r *partsRenderer) Destroy()                     {}
func (r *partsRenderer) Refresh() {
	r.layOut(r.widget.Size())
	for _, o := range r.parts {
		o.Refresh()
	}
	canvas.Refresh(r.widget)
}

package kit

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// Surface is a rectangle in a role's colour with an optional hairline.
type Surface struct {
	widget.BaseWidget
	Fill, Stroke fyne.ThemeColorName
	radius       float32
}

// NewSurface returns a rectangle; RoleNone means no fill or no line.
func NewSurface(fill, stroke fyne.ThemeColorName, radius float32) *Surface {
	s := &Surface{Fill: fill, Stroke: stroke, radius: radius}
	s.ExtendBaseWidget(s)
	return s
}

// Set changes the colours.
func (s *Surface) Set(fill, stroke fyne.ThemeColorName) {
	if s.Fill == fill && s.Stroke == stroke {
		return
	}
	s.Fill, s.Stroke = fill, stroke
	s.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (s *Surface) CreateRenderer() fyne.WidgetRenderer {
	r := &surfaceRenderer{s: s, rect: canvas.NewRectangle(color.Transparent)}
	r.apply()
	return r
}

type surfaceRenderer struct {
	s    *Surface
	rect *canvas.Rectangle
}

func (r *surfaceRenderer) apply() {
	r.rect.FillColor = Color(r.s.Fill)
	r.rect.CornerRadius = r.s.radius
	r.rect.StrokeWidth = 0
	if r.s.Stroke != RoleNone {
		r.rect.StrokeWidth, r.rect.StrokeColor = 1, Color(r.s.Stroke)
	}
}

func (r *surfaceRenderer) Layout(s fyne.Size) { r.rect.Resize(s) }

func (r *surfaceRenderer) MinSize() fyne.Size { return fyne.Size{} }

func (r *surfaceRenderer) Refresh() { r.apply(); r.rect.Refresh() }

func (r *surfaceRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.rect} }

func (r *surfaceRenderer) Destroy() {}

// Hairline returns a one-pixel line as long as its container makes it.
func Hairline() fyne.CanvasObject { return Sized(NewSurface(RoleLine, RoleNone, 0), 1, 1) }

// NewDot returns the dot that marks a row as live, done or failed.
func NewDot(role fyne.ThemeColorName) *Surface { return NewSurface(role, RoleNone, 4) }

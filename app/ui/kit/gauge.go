package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// Gauge is a thin bar filled to a fraction.
type Gauge struct {
	widget.BaseWidget
	Fraction float64
	role     fyne.ThemeColorName
	width    float32
}

// NewGauge returns a gauge of a width.
func NewGauge(width float32) *Gauge {
	g := &Gauge{role: RoleAccent, width: width}
	g.ExtendBaseWidget(g)
	return g
}

// Set sets the filled fraction, from 0 to 1, and the role of its colour.
func (g *Gauge) Set(fraction float64, role fyne.ThemeColorName) {
	fraction = min(max(fraction, 0), 1)
	if g.Fraction == fraction && g.role == role {
		return
	}
	g.Fraction, g.role = fraction, role
	g.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (g *Gauge) CreateRenderer() fyne.WidgetRenderer {
	r := &gaugeRenderer{g: g, back: canvas.NewRectangle(Color(RoleAccentSoft)), bar: canvas.NewRectangle(Color(g.role))}
	r.back.CornerRadius, r.bar.CornerRadius = 2, 2
	return r
}

type gaugeRenderer struct {
	g         *Gauge
	back, bar *canvas.Rectangle
}

func (r *gaugeRenderer) Layout(s fyne.Size) {
	y := (s.Height - 4) / 2
	r.back.Move(fyne.NewPos(0, y))
	r.back.Resize(fyne.NewSize(s.Width, 4))
	r.bar.Move(fyne.NewPos(0, y))
	r.bar.Resize(fyne.NewSize(s.Width*float32(r.g.Fraction), 4))
}

func (r *gaugeRenderer) MinSize() fyne.Size { return fyne.NewSize(r.g.width, 4) }

func (r *gaugeRenderer) Refresh() {
	r.back.FillColor, r.bar.FillColor = Color(RoleAccentSoft), Color(r.g.role)
	r.Layout(r.g.Size())
	r.back.Refresh()
	r.bar.Refresh()
}

func (r *gaugeRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.back, r.bar} }

func (r *gaugeRenderer) Destroy() {}

package kit

import (
	"image/color"

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
	back, bar := canvas.NewRectangle(color.Transparent), canvas.NewRectangle(color.Transparent)
	back.CornerRadius, bar.CornerRadius = 2, 2
	r := NewRenderer(g, func(s fyne.Size) {
		back.FillColor, bar.FillColor = Color(RoleAccentSoft), Color(g.role)
		y := (s.Height - 4) / 2
		back.Move(fyne.NewPos(0, y))
		back.Resize(fyne.NewSize(s.Width, 4))
		bar.Move(fyne.NewPos(0, y))
		bar.Resize(fyne.NewSize(s.Width*float32(g.Fraction), 4))
	}, back, bar)
	r.Min = func() fyne.Size { return fyne.NewSize(g.width, 4) }
	return r
}

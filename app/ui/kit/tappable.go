package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// Tappable makes any content pressable; its surface shows the focus.
type Tappable struct {
	widget.BaseWidget
	Bg      *Surface
	line    fyne.ThemeColorName // of the surface without the focus
	content fyne.CanvasObject
	OnTap   func()
}

// NewTappable returns content on a surface that can be pressed.
func NewTappable(bg *Surface, o fyne.CanvasObject, onTap func()) *Tappable {
	t := &Tappable{Bg: bg, line: bg.Stroke, content: o, OnTap: onTap}
	t.ExtendBaseWidget(t)
	return t
}

// Tapped implements fyne.Tappable.
func (t *Tappable) Tapped(*fyne.PointEvent) { t.OnTap() }

// FocusGained implements fyne.Focusable.
func (t *Tappable) FocusGained() {
	t.Bg.Set(t.Bg.Fill, RoleAccent)
	HostOf(t).Reveal(t)
}

// FocusLost implements fyne.Focusable.
func (t *Tappable) FocusLost() { t.Bg.Set(t.Bg.Fill, t.line) }

// TypedRune implements fyne.Focusable.
func (t *Tappable) TypedRune(r rune) { HostOf(t).Typed(r) }

// TypedKey implements fyne.Focusable.
func (t *Tappable) TypedKey(ev *fyne.KeyEvent) { HandlePress(t, ev, t.OnTap) }

// CreateRenderer implements fyne.Widget.
func (t *Tappable) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewStack(t.Bg, t.content))
}

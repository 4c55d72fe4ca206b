package column

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/kit"
)

// thumb is the scroll bar: it shows the visible part of the column.
type thumb struct {
	widget.BaseWidget
	v *Viewport
	s *kit.Surface
}

func newThumb(v *Viewport) *thumb {
	t := &thumb{v: v, s: kit.NewSurface(kit.RoleLine, kit.RoleNone, 3)}
	t.ExtendBaseWidget(t)
	return t
}

func (t *thumb) place() {
	h := t.v.Size().Height
	if t.v.Total <= h+1 || h < 40 {
		t.Resize(fyne.NewSize(0, 0))
		return
	}
	size := max(28, h*h/t.v.Total)
	y := (h - size) * t.v.Offset / t.v.MaxOffset()
	t.Move(fyne.NewPos(t.v.Size().Width-10, y))
	t.Resize(fyne.NewSize(8, size))
}

// Dragged implements fyne.Draggable.
func (t *thumb) Dragged(ev *fyne.DragEvent) {
	room := t.v.Size().Height - t.Size().Height
	if room > 0 {
		t.v.ScrollTo(t.v.Offset + ev.Dragged.DY*t.v.MaxOffset()/room)
	}
}

// DragEnd implements fyne.Draggable.
func (t *thumb) DragEnd() {}

// MouseIn implements desktop.Hoverable.
func (t *thumb) MouseIn(*desktop.MouseEvent) { t.s.Set(kit.RoleFaint, kit.RoleNone) }

// MouseMoved implements desktop.Hoverable.
func (t *thumb) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (t *thumb) MouseOut() { t.s.Set(kit.RoleLine, kit.RoleNone) }

// CreateRenderer implements fyne.Widget.
func (t *thumb) CreateRenderer() fyne.WidgetRenderer {
	return kit.NewRenderer(t, func(size fyne.Size) {
		t.s.Move(fyne.NewPos(2, 2))
		t.s.Resize(fyne.NewSize(max(0, size.Width-4), max(0, size.Height-4)))
	}, t.s)
}

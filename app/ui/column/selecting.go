package column

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// MouseDown implements desktop.Mouseable. It begins a selection.
func (v *Viewport) MouseDown(ev *desktop.MouseEvent) {
	if ev.Button == desktop.MouseButtonSecondary {
		return
	}
	v.begin(ev.Position)
	if c := fyne.CurrentApp().Driver().CanvasForObject(v); c != nil {
		v.byMouse = true
		c.Focus(v)
		v.byMouse = false
	}
}

// MouseUp implements desktop.Mouseable.
func (v *Viewport) MouseUp(*desktop.MouseEvent) { v.drag = false }

// Dragged implements fyne.Draggable.
func (v *Viewport) Dragged(ev *fyne.DragEvent) {
	if !v.drag {
		return
	}
	if ev.Position.Y < 0 {
		v.ScrollTo(v.Offset - 12)
	} else if ev.Position.Y > v.Size().Height {
		v.ScrollTo(v.Offset + 12)
	}
	v.selectTo(ev.Position)
}

// DragEnd implements fyne.Draggable.
func (v *Viewport) DragEnd() { v.drag = false }

// DoubleTapped implements fyne.DoubleTappable. It selects a word.
func (v *Viewport) DoubleTapped(ev *fyne.PointEvent) { v.selectWord(ev.Position) }

// TappedSecondary implements fyne.SecondaryTappable.
func (v *Viewport) TappedSecondary(ev *fyne.PointEvent) {
	c := fyne.CurrentApp().Driver().CanvasForObject(v)
	if c == nil || v.OnMenu == nil && !slices.ContainsFunc(v.Rows, func(p *Placed) bool { _, ok := p.Row.(selectable); return ok }) {
		return // a list of buttons has no text to copy
	}
	cp := fyne.NewMenuItem(i18n.T("Copy"), v.copySelection)
	cp.Disabled = !v.active
	items := []*fyne.MenuItem{cp, fyne.NewMenuItem(i18n.T("Select all"), v.selectAll)}
	if v.OnMenu != nil {
		items = append(items, v.OnMenu(v.SelectedText(), v.rowUnder(ev.Position))...)
	}
	kit.ShowMenuAt(fyne.NewMenu("", items...), ev.AbsolutePosition, c)
}

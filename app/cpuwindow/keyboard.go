package cpuwindow

import (
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
)

// The way through the window by keyboard: Tab goes on, Shift+Tab back, Enter or
// Space presses. Only what is in sight is an object of the screen, so what gets the
// focus is brought into sight, with some of what comes next.

// Reveal implements host: scrolls the view an object is in, so that all of it is seen.
func (w rootHost) Reveal(o fyne.CanvasObject) {
	drv := fyne.CurrentApp().Driver()
	at, size := drv.AbsolutePositionForObject(o), o.Size()
	for _, v := range w.viewports() {
		from := drv.AbsolutePositionForObject(v)
		beside := at.X < from.X || at.X >= from.X+v.Size().Width
		apart := at.Y+size.Height <= from.Y || at.Y >= from.Y+v.Size().Height
		if f, ok := o.(fyne.Focusable); ok && apart && v != w.side.Port && v != w.chat.View.Port && slices.Contains(column.RowControls(v.Rows), f) {
			apart = false // below the edge: Tab is ahead of what is in sight
		}
		if !v.Visible() || beside || apart || o == fyne.CanvasObject(w.chat.View.Latest) {
			continue
		}
		top := at.Y - from.Y + v.Offset
		if v == w.side.Port || v == w.chat.View.Port {
			v.Reveal(top, top+size.Height)
		} else {
			v.RevealFocus(top, top+size.Height)
		}
	}
}

// viewports are the scrolled views that are shown.
func (w *Window) viewports() []*column.Viewport {
	if m := overlay.OpenModal(w.win.Canvas()); m != nil {
		return []*column.Viewport{m.Port}
	}
	ports := []*column.Viewport{w.side.Port}
	if v, there := w.made.views[w.page]; there {
		ports = append(ports, v.ports()...)
	}
	return ports
}

// RunShortcut implements host.
func (w rootHost) RunShortcut(s fyne.Shortcut) bool { return w.keys.Run(s) }

// RunKey implements host.
func (w rootHost) RunKey(k *fyne.KeyEvent) bool { return w.keys.RunKey(k) }

// Remeasure implements host.
func (w rootHost) Remeasure(r kit.Row) {
	for _, v := range w.viewports() {
		if v.Holds(r) {
			v.Remeasure(r)
		}
	}
}

// Typed implements host: takes a letter that was typed where nothing takes text: who types means the
// message. Space presses things, and begins none.
func (w rootHost) Typed(r rune) {
	if w.page == pageChat && r != ' ' && w.win.Canvas().Overlays().Top() == nil {
		w.chat.Type(r)
	}
}

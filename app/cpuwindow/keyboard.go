package cpuwindow

import (
	"slices"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
)

// Keyboard navigation: Tab moves forward, Shift+Tab back, Enter and Space press. Only visible
// rows are objects of the canvas, so a row that gets the focus is scrolled into view together
// with part of the next one.

// Reveal implements kit.Host. It scrolls the view that holds an object until all of it is
// visible.
func (w rootHost) Reveal(o fyne.CanvasObject) {
	drv := fyne.CurrentApp().Driver()
	at, size := drv.AbsolutePositionForObject(o), o.Size()
	for _, v := range w.viewports() {
		from := drv.AbsolutePositionForObject(v)
		beside := at.X < from.X || at.X >= from.X+v.Size().Width
		apart := at.Y+size.Height <= from.Y || at.Y >= from.Y+v.Size().Height
		if f, ok := o.(fyne.Focusable); ok && apart && v != w.side.Port && v != w.chat.View.Port && slices.Contains(column.RowControls(v.Rows), f) {
			apart = false // below the edge: Tab has moved past the visible rows
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
	if s := w.side.scroll; slices.Contains(w.side.stops, o) {
		top := at.Y - drv.AbsolutePositionForObject(s).Y
		if over := max(min(0, top), top+size.Height-s.Size().Height); over != 0 {
			s.ScrollToOffset(s.Offset.AddXY(0, over))
		}
	}
}

// viewports returns the scrolled views that are shown.
func (w rootHost) viewports() []*column.Viewport {
	if m := overlay.OpenModal(w.win.Canvas()); m != nil {
		return []*column.Viewport{m.Port}
	}
	ports := []*column.Viewport{w.side.Port}
	if v, made := w.panes.views[w.panes.page]; made {
		ports = append(ports, v.ports()...)
	}
	return ports
}

// RunShortcut implements kit.Host.
func (w rootHost) RunShortcut(s fyne.Shortcut) bool { return w.commands.keys.Run(s) }

// RunKey implements kit.Host.
func (w rootHost) RunKey(k *fyne.KeyEvent) bool { return w.commands.keys.RunKey(k) }

// Remeasure implements kit.Host.
func (w rootHost) Remeasure(r kit.Row) {
	for _, v := range w.viewports() {
		if v.Holds(r) {
			v.Remeasure(r)
		}
	}
}

// Typed implements kit.Host. A letter typed outside any field goes into the message. Space
// presses buttons, so it doesn't start a message.
func (w rootHost) Typed(r rune) {
	if w.panes.page == pageChat && r != ' ' && w.win.Canvas().Overlays().Top() == nil {
		w.chat.Type(r)
	}
}

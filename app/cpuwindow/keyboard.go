package cpuwindow

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// The way through the window by keyboard: Tab goes on, Shift+Tab back, Enter or
// Space presses. Only what is in sight is an object of the screen, so what gets the
// focus is brought into sight, with some of what comes next.

// focusMargin is how much of its surroundings is shown with what has the focus: a
// row of the session list, so that Tab finds the next one.
const focusMargin float32 = 56

// windowOf is the window an object is in; nil where it is in none, or in a pop-up's.
func windowOf(o fyne.CanvasObject) *Window {
	c := fyne.CurrentApp().Driver().CanvasForObject(o)
	if c == nil {
		return nil
	}
	content, ok := c.Content().(*fyne.Container)
	if !ok {
		return nil
	}
	root, ok := content.Layout.(*rootLayout)
	if !ok {
		return nil
	}
	return root.w
}

// bringIntoSight scrolls the view an object is in, so that all of it is seen.
func bringIntoSight(o fyne.CanvasObject) {
	w := windowOf(o)
	if w == nil {
		return
	}
	drv := fyne.CurrentApp().Driver()
	at, size := drv.AbsolutePositionForObject(o), o.Size()
	for _, v := range w.viewports() {
		from := drv.AbsolutePositionForObject(v)
		beside := at.X < from.X || at.X >= from.X+v.Size().Width
		apart := at.Y+size.Height <= from.Y || at.Y >= from.Y+v.Size().Height
		if b, ok := o.(*button); ok && apart && v == w.pageView && slices.Contains(rowButtons(v.rows), b) {
			apart = false // below the edge: Tab is ahead of what is in sight
		}
		if !v.Visible() || beside || apart || o == fyne.CanvasObject(w.chat.latest) {
			continue
		}
		top := at.Y - from.Y + v.offset
		v.reveal(top, top+size.Height)
	}
}

// viewports are the scrolled views that are shown.
func (w *Window) viewports() []*viewport {
	switch w.page {
	case pageChat:
		return []*viewport{w.side.port, w.chat.port}
	case pageMemory:
		return []*viewport{w.side.port, w.memory.split.list, w.memory.view}
	case pageAgents:
		return []*viewport{w.side.port, w.roster.split.list, w.roster.view}
	case pageVitals:
		return []*viewport{w.side.port, w.details.view}
	case pageTranscript:
		return []*viewport{w.side.port, w.reader.rows.port}
	}
	return []*viewport{w.side.port, w.pageView}
}

// pressed handles the keys of anything that can be pressed.
func pressed(o fyne.CanvasObject, ev *fyne.KeyEvent, press func()) {
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		afterLetter(o, ev, press)
	case fyne.KeyEscape:
		if w := windowOf(o); w != nil {
			w.escape()
		}
	default:
		boundKey(o, ev)
	}
}

// typed takes a letter that was typed where nothing takes text: who types means the
// message. Space presses things, and begins none.
func (w *Window) typed(r rune) {
	if w.page == pageChat && r != ' ' && w.win.Canvas().Overlays().Top() == nil {
		w.typeInto(r)
	}
}

// typeInto writes a letter into the message, from whatever page.
func (w *Window) typeInto(r rune) {
	w.root.closeDrawer()
	w.focusChat()
	w.compose.entry.TypedRune(r)
}

// typedAt hands a letter that an object can't use to its window.
func typedAt(o fyne.CanvasObject, r rune) {
	if w := windowOf(o); w != nil {
		w.typed(r)
	}
}

// afterLetter does what a key is for. Space is a letter too, which comes right behind
// the key, to what has the focus then: a field that the key opens must not get it.
func afterLetter(o fyne.CanvasObject, ev *fyne.KeyEvent, do func()) {
	if w := windowOf(o); w != nil && ev.Name == fyne.KeySpace {
		w.p.Do(do)
		return
	}
	do()
}

// boundKey runs what a key without modifiers is bound to, from the object that has
// the focus; it reports whether there was something.
func boundKey(o fyne.CanvasObject, ev *fyne.KeyEvent) bool {
	w := windowOf(o)
	return w != nil && w.runKey(ev)
}

// boundShortcut runs a shortcut that what has the focus can't use: instead takes it,
// and where there is none, the window does.
func boundShortcut(o fyne.CanvasObject, s fyne.Shortcut, instead func(fyne.Shortcut) bool) {
	if instead != nil {
		instead(s)
	} else if w := windowOf(o); w != nil {
		w.runShortcut(s)
	}
}

// reveal scrolls as little as shows the column between two heights.
func (v *viewport) reveal(top, bottom float32) {
	h := v.Size().Height
	margin := min(focusMargin, max(0, (h-(bottom-top))/2))
	switch {
	case h <= 0:
	case top-margin < v.offset:
		v.scrollTo(top - margin)
	case bottom+margin > v.offset+h:
		v.scrollTo(bottom + margin - h)
	}
}

// revealRow brings a row into sight.
func (v *viewport) revealRow(r row) {
	for _, p := range v.rows {
		if p.row == r {
			v.reveal(p.top, p.top+p.height)
		}
	}
}

// tappable makes any content one thing to press; its surface shows the focus.
type tappable struct {
	widget.BaseWidget
	bg      *surface
	line    fyne.ThemeColorName // of the surface, without the focus
	content fyne.CanvasObject
	onTap   func()
}

func newTappable(bg *surface, o fyne.CanvasObject, onTap func()) *tappable {
	t := &tappable{bg: bg, line: bg.stroke, content: o, onTap: onTap}
	t.ExtendBaseWidget(t)
	return t
}

// Tapped implements fyne.Tappable.
func (t *tappable) Tapped(*fyne.PointEvent) { t.onTap() }

// FocusGained implements fyne.Focusable.
func (t *tappable) FocusGained() {
	t.bg.set(t.bg.fill, roleAccent)
	bringIntoSight(t)
}

// FocusLost implements fyne.Focusable.
func (t *tappable) FocusLost() { t.bg.set(t.bg.fill, t.line) }

// TypedRune implements fyne.Focusable.
func (t *tappable) TypedRune(r rune) { typedAt(t, r) }

// TypedKey implements fyne.Focusable.
func (t *tappable) TypedKey(ev *fyne.KeyEvent) { pressed(t, ev, t.onTap) }

// CreateRenderer implements fyne.Widget.
func (t *tappable) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewStack(t.bg, t.content))
}

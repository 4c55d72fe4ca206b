package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
)

// findBar is the line in which one looks for words in what is shown: a field, how
// many there are, back, forth, close.
type findBar struct {
	widget.BaseWidget
	entry *findEntry
	count *words
	prev  *button
	next  *button
	box   fyne.CanvasObject
}

func newFindBar(onChange func(phrase string), step func(by int), leave func(), shortcut func(fyne.Shortcut) bool) *findBar {
	f := &findBar{count: smallWords("")}
	f.entry = &findEntry{step: step, leave: leave, shortcut: shortcut}
	f.entry.PlaceHolder = i18n.T("Find in this conversation")
	f.entry.OnChanged = onChange
	f.entry.ExtendBaseWidget(f.entry)
	f.prev = newButton(buttonQuiet, i18n.T("Previous"), func() { step(-1) })
	f.next = newButton(buttonQuiet, i18n.T("Next"), func() { step(1) })
	done := newButton(buttonQuiet, i18n.T("Done"), leave)
	field := container.NewStack(newSurface(roleCard, roleLine, radiusRow), f.entry)
	f.box = container.New(tightLayout{}, inset(6, 6, gap20, gap20, line(gap12, 0, field, f.count, f.prev, f.next, done)), hairline())
	f.ExtendBaseWidget(f)
	f.Hide()
	return f
}

// say words how many places there are and which of them is looked at, from 0.
func (f *findBar) say(at, n int) {
	switch {
	case f.entry.Text == "":
		f.count.SetText("")
	case n == 0:
		f.count.SetText(i18n.T("not found"))
	default:
		f.count.SetText(i18n.With("{{.N}} of {{.All}}", i18n.Places{"N": at + 1, "All": n}))
	}
	f.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (f *findBar) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(f.box) }

// findEntry is the field: Enter goes on, Shift+Enter back, Esc leaves.
type findEntry struct {
	widget.Entry
	step     func(by int)
	leave    func()
	shortcut func(fyne.Shortcut) bool
	shift    bool
}

// TappedSecondary implements fyne.SecondaryTappable.
func (e *findEntry) TappedSecondary(ev *fyne.PointEvent) { showFieldMenu(e, ev.AbsolutePosition) }

// KeyDown implements desktop.Keyable: Shift is remembered for Enter.
func (e *findEntry) KeyDown(k *fyne.KeyEvent) {
	e.shift = e.shift || isShift(k)
	e.Entry.KeyDown(k)
}

// KeyUp implements desktop.Keyable.
func (e *findEntry) KeyUp(k *fyne.KeyEvent) {
	if isShift(k) {
		e.shift = false
	}
	e.Entry.KeyUp(k)
}

// FocusLost implements fyne.Focusable; a Shift let go elsewhere is let go.
func (e *findEntry) FocusLost() {
	e.shift = false
	e.Entry.FocusLost()
}

// TypedKey implements fyne.Focusable.
func (e *findEntry) TypedKey(k *fyne.KeyEvent) {
	switch k.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if e.shift {
			e.step(-1)
		} else {
			e.step(1)
		}
	case fyne.KeyUp:
		e.step(-1)
	case fyne.KeyDown:
		e.step(1)
	case fyne.KeyEscape:
		e.leave()
	default:
		e.Entry.TypedKey(k)
	}
}

// TypedShortcut implements fyne.Shortcutable.
func (e *findEntry) TypedShortcut(s fyne.Shortcut) {
	if !e.shortcut(s) {
		e.Entry.TypedShortcut(s)
	}
}

func isShift(k *fyne.KeyEvent) bool {
	return k.Name == desktop.KeyShiftLeft || k.Name == desktop.KeyShiftRight
}

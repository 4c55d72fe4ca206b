package cpuwindow

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// lineField is one line to be typed, with a button beside it; Enter presses it.
type lineField struct {
	widget.BaseWidget
	box      *surface
	entry    *shortEntry
	button   *button
	onSubmit func(text string)
}

// withoutBar shows a field of one line without the scroll bar that Fyne lays over
// its text: the cursor moves a long text along.
func withoutBar(e fyne.CanvasObject) fyne.CanvasObject {
	return container.NewThemeOverride(e, barlessTheme{})
}

type barlessTheme struct{ themeNow }

// Color implements fyne.Theme.
func (t barlessTheme) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	if name == theme.ColorNameScrollBar {
		return color.Transparent
	}
	return t.themeNow.Color(name, v)
}

// shortEntry is a text field of one line.
type shortEntry struct {
	widget.Entry
	onFocus func(on bool)
	onKey   func(fyne.Shortcut) bool
	onTyped func(*fyne.KeyEvent) bool // optional, before the field itself; reports whether it took the key
	byMouse bool                      // the focus comes from a press: what is pressed must not move
}

// TappedSecondary implements fyne.SecondaryTappable.
func (e *shortEntry) TappedSecondary(ev *fyne.PointEvent) { showFieldMenu(e, ev.AbsolutePosition) }

// MouseDown implements desktop.Mouseable.
func (e *shortEntry) MouseDown(ev *desktop.MouseEvent) {
	e.byMouse = true
	e.Entry.MouseDown(ev)
	e.byMouse = false
}

// FocusGained implements fyne.Focusable.
func (e *shortEntry) FocusGained() {
	e.onFocus(true)
	e.Entry.FocusGained()
	if !e.byMouse {
		bringIntoSight(e)
	}
}

// FocusLost implements fyne.Focusable.
func (e *shortEntry) FocusLost() {
	e.onFocus(false)
	e.Entry.FocusLost()
}

// TypedKey implements fyne.Focusable.
func (e *shortEntry) TypedKey(k *fyne.KeyEvent) {
	if e.onTyped != nil && e.onTyped(k) || boundKey(e, k) {
		return
	}
	e.Entry.TypedKey(k)
}

// TypedShortcut implements fyne.Shortcutable.
func (e *shortEntry) TypedShortcut(s fyne.Shortcut) {
	if !e.onKey(s) {
		e.Entry.TypedShortcut(s)
	}
}

func newLineField(hint, label string, shortcut func(fyne.Shortcut) bool) *lineField {
	f := &lineField{box: newSurface(roleCard, roleLine, radiusCard), entry: &shortEntry{onKey: shortcut}}
	f.entry.ExtendBaseWidget(f.entry)
	f.entry.PlaceHolder = hint
	f.button = newButton(buttonPlain, label, f.submit)
	f.button.Disable()
	f.entry.onFocus = func(on bool) {
		role := roleLine
		if on {
			role = roleAccent
		}
		f.box.set(roleCard, role)
	}
	f.entry.OnChanged = func(t string) { setEnabled(f.button, strings.TrimSpace(t) != "") }
	f.entry.OnSubmitted = func(string) { f.submit() }
	f.ExtendBaseWidget(f)
	return f
}

func (f *lineField) submit() {
	if t := strings.TrimSpace(f.entry.Text); t != "" && f.onSubmit != nil {
		f.onSubmit(t)
	}
}

// clear empties the field, unless something else was typed since.
func (f *lineField) clear(text string) {
	if strings.TrimSpace(f.entry.Text) == text {
		f.entry.SetText("")
	}
}

func (f *lineField) measure(float32) float32 { return f.entry.MinSize().Height + gap4 }

// CreateRenderer implements fyne.Widget.
func (f *lineField) CreateRenderer() fyne.WidgetRenderer {
	return &fieldRenderer{f.box, withoutBar(f.entry), f.button, f}
}

// fieldRenderer draws a box with a text field and, where there is one, a button.
type fieldRenderer struct {
	box    *surface
	entry  fyne.CanvasObject
	button *button
	whole  fyne.CanvasObject
}

func (r *fieldRenderer) Layout(s fyne.Size) {
	r.box.Resize(s)
	room := float32(0)
	if r.button != nil {
		m := r.button.MinSize()
		room = m.Width + gap8
		r.button.Resize(m)
		r.button.Move(fyne.NewPos(s.Width-room, (s.Height-m.Height)/2))
	}
	r.entry.Move(fyne.NewPos(2, 2))
	r.entry.Resize(fyne.NewSize(max(0, s.Width-room-4), s.Height-4))
}

func (r *fieldRenderer) MinSize() fyne.Size { return fyne.NewSize(120, r.entry.MinSize().Height+gap4) }

func (r *fieldRenderer) Objects() []fyne.CanvasObject {
	if r.button == nil {
		return []fyne.CanvasObject{r.box, r.entry}
	}
	return []fyne.CanvasObject{r.box, r.entry, r.button}
}
func (r *fieldRenderer) Destroy() {}
func (r *fieldRenderer) Refresh() {
	for _, o := range r.Objects() {
		o.Refresh()
	}
	canvas.Refresh(r.whole)
}

// textBox is a text of a few lines to be typed.
type textBox struct {
	widget.BaseWidget
	box   *surface
	entry *fileEntry
}

func newTextBox(text string, shortcut func(fyne.Shortcut) bool) *textBox {
	b := &textBox{box: newSurface(roleCode, roleLine, radiusCard), entry: newFileEntry()}
	b.entry.TextStyle = fyne.TextStyle{}
	b.entry.SetMinRowsVisible(3)
	b.entry.SetText(text)
	b.entry.onSave, b.entry.onEscape, b.entry.onKey = func() {}, func() {}, shortcut
	b.entry.onFocus = func(on bool) {
		role := roleLine
		if on {
			role = roleAccent
			if !b.entry.byMouse {
				bringIntoSight(b)
			}
		}
		b.box.set(roleCode, role)
	}
	b.ExtendBaseWidget(b)
	return b
}

func (b *textBox) measure(float32) float32 { return b.entry.MinSize().Height + gap4 }

// CreateRenderer implements fyne.Widget.
func (b *textBox) CreateRenderer() fyne.WidgetRenderer { return &fieldRenderer{b.box, b.entry, nil, b} }

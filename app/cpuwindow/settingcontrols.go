package cpuwindow

import (
	"runtime"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/config"
	"mac-stats/app/i18n"
)

// newSettingControl is the control of a setting's kind. change gets what was chosen
// or typed, unchecked.
func newSettingControl(s config.Setting, change func(value string), shortcut func(fyne.Shortcut) bool) settingControl {
	switch s.Kind {
	case config.KindSwitch:
		return newSwitch(change)
	case config.KindChoice:
		return newSegments(s.Choices, change)
	case config.KindShortcut:
		return newShortcutField(change)
	}
	return newValueField(s.Default, change, shortcut)
}

// toggle is a switch.
type toggle struct {
	widget.DisableableWidget
	on      bool
	focused bool
	change  func(value string)
}

const (
	switchWidth  float32 = 36
	switchHeight float32 = 20
)

func newSwitch(change func(string)) *toggle {
	s := &toggle{change: change}
	s.ExtendBaseWidget(s)
	return s
}

func (s *toggle) show(value string, locked bool) {
	s.on = value == "true"
	if locked {
		s.Disable()
	} else {
		s.Enable()
	}
	s.Refresh()
}

// Tapped implements fyne.Tappable.
func (s *toggle) Tapped(*fyne.PointEvent) {
	if s.Disabled() {
		return
	}
	if s.on {
		s.change("false")
		return
	}
	s.change("true")
}

// FocusGained implements fyne.Focusable.
func (s *toggle) FocusGained() { s.focused = true; s.Refresh(); bringIntoSight(s) }

// FocusLost implements fyne.Focusable.
func (s *toggle) FocusLost() { s.focused = false; s.Refresh() }

// TypedRune implements fyne.Focusable.
func (s *toggle) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (s *toggle) TypedKey(ev *fyne.KeyEvent) { pressed(s, ev, func() { s.Tapped(nil) }) }

// Cursor implements desktop.Cursorable.
func (s *toggle) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer implements fyne.Widget.
func (s *toggle) CreateRenderer() fyne.WidgetRenderer {
	r := &switchRenderer{s: s, track: canvas.NewRectangle(ink(roleLine)), knob: canvas.NewCircle(ink(roleCard))}
	r.Refresh()
	return r
}

type switchRenderer struct {
	s     *toggle
	track *canvas.Rectangle
	knob  *canvas.Circle
}

func (r *switchRenderer) Layout(fyne.Size) {
	r.track.CornerRadius = switchHeight / 2
	r.track.Resize(fyne.NewSize(switchWidth, switchHeight))
	x := float32(3)
	if r.s.on {
		x = switchWidth - switchHeight + 3
	}
	r.knob.Move(fyne.NewPos(x, 3))
	r.knob.Resize(fyne.NewSize(switchHeight-6, switchHeight-6))
}
func (r *switchRenderer) MinSize() fyne.Size { return fyne.NewSize(switchWidth, switchHeight) }
func (r *switchRenderer) Refresh() {
	fill, line, knob := rolePanel, roleFaint, roleMuted
	if r.s.on {
		fill, line, knob = roleAccent, roleAccent, roleOnAccent
	}
	if r.s.Disabled() {
		fill, line = rolePanel, roleLine
	}
	r.track.StrokeWidth = 1
	if r.s.focused {
		line, r.track.StrokeWidth = roleText, 2
	}
	r.track.FillColor, r.track.StrokeColor, r.knob.FillColor = ink(fill), ink(line), ink(knob)
	r.Layout(fyne.Size{})
	r.track.Refresh()
	r.knob.Refresh()
}

func (r *switchRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.track, r.knob} }
func (r *switchRenderer) Destroy()                     {}

// segments are a few choices beside each other.
type segments struct {
	widget.BaseWidget
	row     *fyne.Container
	buttons []*button
	values  []string
}

func newSegments(values []string, change func(string)) *segments {
	s := &segments{values: values}
	var objects []fyne.CanvasObject
	for _, v := range values {
		b := newButton(buttonPlain, choiceWords(v), func() { change(v) })
		b.padX, b.padY = gap8, gap4
		s.buttons = append(s.buttons, b)
		objects = append(objects, b)
	}
	s.row = line(gap4, -1, objects...)
	s.ExtendBaseWidget(s)
	return s
}

// CreateRenderer implements fyne.Widget.
func (s *segments) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(s.row) }

func (s *segments) show(value string, locked bool) {
	for i, b := range s.buttons {
		b.setSelected(s.values[i] == value)
		setEnabled(b, !locked)
	}
}

func choiceWords(v string) string { return strings.ReplaceAll(v, "-", " ") }

// valueField is a number, a time or a text; Enter and leaving it take it over, Esc
// takes it back.
type valueField struct {
	widget.BaseWidget
	box      *surface
	entry    *shortEntry
	value    string
	onChange func(text string) // at every key; optional
}

func newValueField(hint string, commit func(string), shortcut func(fyne.Shortcut) bool) *valueField {
	f := &valueField{box: newSurface(roleCard, roleLine, radiusRow), entry: &shortEntry{onKey: shortcut}}
	f.entry.ExtendBaseWidget(f.entry)
	f.entry.PlaceHolder = hint
	take := func() {
		if text := strings.TrimSpace(f.entry.Text); text != f.value {
			commit(text)
		}
	}
	f.entry.onFocus = func(on bool) {
		role := roleLine
		if on {
			role = roleAccent
		} else {
			take()
		}
		f.box.set(roleCard, role)
	}
	f.entry.onTyped = func(k *fyne.KeyEvent) bool {
		if k.Name != fyne.KeyEscape {
			return false
		}
		f.entry.SetText(f.value)
		return true
	}
	f.entry.OnSubmitted = func(string) { take() }
	f.entry.OnChanged = func(text string) {
		if f.onChange != nil {
			f.onChange(text)
		}
	}
	f.ExtendBaseWidget(f)
	return f
}

// show takes a new value over, unless another one is being typed.
func (f *valueField) show(value string, locked bool) {
	typed := f.entry.Text != f.value
	same := value == f.value
	f.value = value
	if !typed || !same {
		f.entry.SetText(value)
	}
	if locked {
		f.entry.Disable()
	} else {
		f.entry.Enable()
	}
}

// CreateRenderer implements fyne.Widget.
func (f *valueField) CreateRenderer() fyne.WidgetRenderer {
	return &fieldRenderer{f.box, f.entry, nil, f}
}

// fieldRow is a field over the whole width.
type fieldRow struct {
	*boxRow
	field *valueField
}

func newFieldRow(hint, text string, shortcut func(fyne.Shortcut) bool) *fieldRow {
	f := newValueField(hint, func(string) {}, shortcut)
	f.show(text, false)
	f.entry.onTyped = func(k *fyne.KeyEvent) bool {
		if k.Name == fyne.KeyEscape && f.entry.Text != "" {
			f.entry.SetText("")
			return true
		}
		return false
	}
	return &fieldRow{boxRow: newBoxRow(container.NewStack(f)), field: f}
}

// shortcutField shows an action's shortcuts; pressed, it takes the next keys as the
// new one. Backspace takes all away, Esc leaves it as it was.
type shortcutField struct {
	button
	value   string
	waiting bool
	change  func(value string)
}

func newShortcutField(change func(string)) *shortcutField {
	f := &shortcutField{change: change}
	f.button = button{kind: buttonPlain, size: sizeText, padX: gap12, padY: gap4}
	f.onTap = func() { f.listen(!f.waiting) }
	f.ExtendBaseWidget(f)
	return f
}

func (f *shortcutField) show(value string, locked bool) {
	f.value = value
	setEnabled(&f.button, !locked)
	f.listen(false)
}

func (f *shortcutField) listen(on bool) {
	f.waiting = on
	f.setSelected(on)
	switch {
	case on:
		f.SetText(i18n.T("Press the keys…"))
		if c := fyne.CurrentApp().Driver().CanvasForObject(f); c != nil && !f.focused {
			c.Focus(f)
		}
	case f.value == "":
		f.SetText(i18n.T("none"))
	default:
		f.SetText(config.ShortcutWords(f.value))
	}
}

// FocusLost implements fyne.Focusable.
func (f *shortcutField) FocusLost() {
	f.button.FocusLost()
	if f.waiting {
		f.listen(false)
	}
}

// TypedKey implements fyne.Focusable.
func (f *shortcutField) TypedKey(k *fyne.KeyEvent) {
	if !f.waiting {
		f.button.TypedKey(k)
		return
	}
	switch k.Name {
	case fyne.KeyEscape:
		f.listen(false)
	case fyne.KeyBackspace, fyne.KeyDelete:
		f.take("")
	default:
		f.press(k.Name, 0)
	}
}

// TypedShortcut implements fyne.Shortcutable.
func (f *shortcutField) TypedShortcut(s fyne.Shortcut) {
	k, ok := s.(fyne.KeyboardShortcut)
	switch {
	case f.waiting && ok:
		f.press(k.Key(), k.Mod())
	case !f.waiting:
		if w := windowOf(f); w != nil {
			w.runShortcut(s)
		}
	}
}

// press takes keys as the shortcut; keys that can't be one are waited over.
func (f *shortcutField) press(key fyne.KeyName, m fyne.KeyModifier) {
	if s, ok := shortcutOf(key, m, runtime.GOOS); ok {
		f.take(s.String())
	}
}

func (f *shortcutField) take(value string) {
	f.listen(false)
	f.change(value)
}

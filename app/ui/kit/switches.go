package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// Switch is a switch, on or off.
type Switch struct {
	widget.DisableableWidget
	On      bool
	focused bool
	Change  func(value string)
}

const (
	switchWidth  float32 = 36
	switchHeight float32 = 20
)

// NewSwitch returns a switch that calls change with "true" or "false".
func NewSwitch(change func(string)) *Switch {
	s := &Switch{Change: change}
	s.ExtendBaseWidget(s)
	return s
}

// SetValue shows a value; a locked one can't be changed.
func (s *Switch) SetValue(value string, locked bool) {
	s.On = value == "true"
	if locked {
		s.Disable()
	} else {
		s.Enable()
	}
	s.Refresh()
}

// Tapped implements fyne.Tappable.
func (s *Switch) Tapped(*fyne.PointEvent) {
	if s.Disabled() {
		return
	}
	if s.On {
		s.Change("false")
		return
	}
	s.Change("true")
}

// FocusGained implements fyne.Focusable.
func (s *Switch) FocusGained() { s.focused = true; s.Refresh(); HostOf(s).Reveal(s) }

// FocusLost implements fyne.Focusable.
func (s *Switch) FocusLost() { s.focused = false; s.Refresh() }

// TypedRune implements fyne.Focusable.
func (s *Switch) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (s *Switch) TypedKey(ev *fyne.KeyEvent) { HandlePress(s, ev, func() { s.Tapped(nil) }) }

// Cursor implements desktop.Cursorable.
func (s *Switch) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer implements fyne.Widget.
func (s *Switch) CreateRenderer() fyne.WidgetRenderer {
	r := &switchRenderer{s: s, track: canvas.NewRectangle(Color(RoleLine)), knob: canvas.NewCircle(Color(RoleCard))}
	r.layOut(fyne.Size{})
	parts := NewRenderer(s, r.layOut, r.track, r.knob)
	parts.Min = func() fyne.Size { return fyne.NewSize(switchWidth, switchHeight) }
	return parts
}

type switchRenderer struct {
	s     *Switch
	track *canvas.Rectangle
	knob  *canvas.Circle
}

func (r *switchRenderer) layOut(fyne.Size) {
	fill, line, knob := RolePanel, RoleFaint, RoleMuted
	if r.s.On {
		fill, line, knob = RoleAccent, RoleAccent, RoleOnAccent
	}
	if r.s.Disabled() {
		fill, line = RolePanel, RoleLine
	}
	r.track.StrokeWidth = 1
	if r.s.focused {
		line, r.track.StrokeWidth = RoleText, 2
	}
	r.track.FillColor, r.track.StrokeColor, r.knob.FillColor = Color(fill), Color(line), Color(knob)
	r.track.CornerRadius = switchHeight / 2
	r.track.Resize(fyne.NewSize(switchWidth, switchHeight))
	x := float32(3)
	if r.s.On {
		x = switchWidth - switchHeight + 3
	}
	r.knob.Move(fyne.NewPos(x, 3))
	r.knob.Resize(fyne.NewSize(switchHeight-6, switchHeight-6))
}

// Segments is a row of choices.
type Segments struct {
	widget.BaseWidget
	row     *fyne.Container
	buttons []*Button
	values  []string
}

// NewSegments returns a row of choices. words returns the label of a value; change is
// called with the pressed value.
func NewSegments(values []string, words func(value string) string, change func(string)) *Segments {
	s := &Segments{values: values}
	var objects []fyne.CanvasObject
	for _, v := range values {
		b := NewButton(ButtonPlain, words(v), func() { change(v) })
		b.PadX, b.PadY = Gap8, Gap4
		s.buttons = append(s.buttons, b)
		objects = append(objects, b)
	}
	s.row = Line(Gap4, -1, objects...)
	s.ExtendBaseWidget(s)
	return s
}

// NewSwatches returns a row of accent colours, chosen by name.
func NewSwatches(names []string, change func(string)) *Segments {
	s := NewSegments(names, func(string) string { return "●" }, change)
	for i, b := range s.buttons {
		b.Tone = accentRole(names[i])
	}
	return s
}

// CreateRenderer implements fyne.Widget.
func (s *Segments) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(s.row) }

// SetValue shows the chosen value; locked choices can't be changed.
func (s *Segments) SetValue(value string, locked bool) {
	for i, b := range s.buttons {
		b.SetSelected(s.values[i] == value)
		SetEnabled(b, !locked)
	}
}

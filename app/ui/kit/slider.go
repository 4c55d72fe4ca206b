package kit

import (
	"math"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// Slider chooses a whole number from a range and shows it. The arrow keys move by a step,
// Home and End to the ends. Dragging takes effect when it ends.
type Slider struct {
	widget.DisableableWidget
	low, high, step int
	value           int
	focused         bool
	change          func(value string)
}

const (
	sliderWidth  float32 = 200
	sliderHeight float32 = 20
	sliderNumber float32 = 36 // to the right of the track
	sliderKnob   float32 = 14
)

// NewSlider returns a slider that calls change with each new value.
func NewSlider(low, high, step int, change func(string)) *Slider {
	s := &Slider{low: low, high: high, step: step, value: low, change: change}
	s.ExtendBaseWidget(s)
	return s
}

// SetValue shows a value; a locked one can't be changed.
func (s *Slider) SetValue(value string, locked bool) {
	if n, err := strconv.Atoi(value); err == nil {
		s.value = n
	}
	if locked {
		s.Disable()
	} else {
		s.Enable()
	}
	s.Refresh()
}

func (s *Slider) track() float32 { return s.Size().Width - sliderNumber }

// moveTo sets the value from a position on the track.
func (s *Slider) moveTo(x float32) {
	share := min(max((x-sliderKnob/2)/(s.track()-sliderKnob), 0), 1)
	n := float64(s.low) + float64(share)*float64(s.high-s.low)
	s.value = min(max(int(math.Round(n/float64(s.step)))*s.step, s.low), s.high)
	s.Refresh()
}

func (s *Slider) choose() { s.change(strconv.Itoa(s.value)) }

// Tapped implements fyne.Tappable.
func (s *Slider) Tapped(ev *fyne.PointEvent) {
	if !s.Disabled() {
		s.moveTo(ev.Position.X)
		s.choose()
	}
}

// Dragged implements fyne.Draggable.
func (s *Slider) Dragged(ev *fyne.DragEvent) {
	if !s.Disabled() {
		s.moveTo(ev.Position.X)
	}
}

// DragEnd implements fyne.Draggable.
func (s *Slider) DragEnd() {
	if !s.Disabled() {
		s.choose()
	}
}

// FocusGained implements fyne.Focusable.
func (s *Slider) FocusGained() { s.focused = true; s.Refresh(); HostOf(s).Reveal(s) }

// FocusLost implements fyne.Focusable.
func (s *Slider) FocusLost() { s.focused = false; s.Refresh() }

// TypedRune implements fyne.Focusable.
func (s *Slider) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (s *Slider) TypedKey(ev *fyne.KeyEvent) {
	to := s.value
	switch ev.Name {
	case fyne.KeyLeft:
		to -= s.step
	case fyne.KeyRight:
		to += s.step
	case fyne.KeyHome:
		to = s.low
	case fyne.KeyEnd:
		to = s.high
	default:
		HandlePress(s, ev, func() {})
		return
	}
	if to = min(max(to, s.low), s.high); to != s.value && !s.Disabled() {
		s.value = to
		s.Refresh()
		s.choose()
	}
}

// Cursor implements desktop.Cursorable.
func (s *Slider) Cursor() desktop.Cursor { return desktop.PointerCursor }

// CreateRenderer implements fyne.Widget.
func (s *Slider) CreateRenderer() fyne.WidgetRenderer {
	r := &sliderRenderer{s: s, back: canvas.NewRectangle(Color(RoleLine)), bar: canvas.NewRectangle(Color(RoleAccent)), knob: canvas.NewCircle(Color(RoleCard)), number: canvas.NewText("", Color(RoleText))}
	r.back.CornerRadius, r.bar.CornerRadius = 2, 2
	r.number.Alignment = fyne.TextAlignTrailing
	r.layOut(s.Size())
	parts := NewRenderer(s, r.layOut, r.back, r.bar, r.knob, r.number)
	parts.Min = func() fyne.Size { return fyne.NewSize(sliderWidth, sliderHeight) }
	return parts
}

type sliderRenderer struct {
	s         *Slider
	back, bar *canvas.Rectangle
	knob      *canvas.Circle
	number    *canvas.Text
}

func (r *sliderRenderer) layOut(size fyne.Size) {
	s := r.s
	bar, line, width := RoleAccent, RoleAccent, float32(2)
	if s.Disabled() {
		bar, line = RoleFaint, RoleFaint
	}
	if s.focused {
		line, width = RoleText, 3
	}
	r.back.FillColor, r.bar.FillColor = Color(RoleLine), Color(bar)
	r.knob.FillColor, r.knob.StrokeColor, r.knob.StrokeWidth = Color(RoleCard), Color(line), width
	r.number.Text, r.number.TextSize, r.number.Color = strconv.Itoa(s.value), SizeText, Color(RoleText)
	track, y := s.track(), size.Height/2
	x := (track - sliderKnob) * float32(s.value-s.low) / float32(max(s.high-s.low, 1))
	r.back.Move(fyne.NewPos(0, y-2))
	r.back.Resize(fyne.NewSize(track, 4))
	r.bar.Move(fyne.NewPos(0, y-2))
	r.bar.Resize(fyne.NewSize(max(0, x+sliderKnob/2), 4))
	r.knob.Move(fyne.NewPos(x, y-sliderKnob/2))
	r.knob.Resize(fyne.NewSquareSize(sliderKnob))
	h := r.number.MinSize().Height
	r.number.Move(fyne.NewPos(track, (size.Height-h)/2))
	r.number.Resize(fyne.NewSize(sliderNumber, h))
}

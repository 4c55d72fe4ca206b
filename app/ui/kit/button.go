package kit

import (
	"image/color"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
)

// HoverGroup is a group of buttons that are shown together.
type HoverGroup struct {
	buttons []*Button
	hovered bool // the pointer is on what the buttons belong to
	Pinned  bool // always shown, for the newest message
}

// Add creates a text button in the group.
func (g *HoverGroup) Add(label string, onTap func()) *Button {
	return g.AddButton(NewButton(ButtonQuiet, label, onTap))
}

// AddButton adds a button to the group.
func (g *HoverGroup) AddButton(b *Button) *Button {
	b.Group = g
	g.buttons = append(g.buttons, b)
	return b
}

// Show sets whether the pointer is on what the buttons belong to.
func (g *HoverGroup) Show(hot bool) {
	if g == nil || g.hovered == hot {
		return
	}
	g.hovered = hot
	g.Refresh()
}

// Refresh redraws the buttons.
func (g *HoverGroup) Refresh() {
	for _, b := range g.buttons {
		b.Refresh()
	}
}

// Visible reports whether the buttons' text is drawn.
func (g *HoverGroup) Visible() bool {
	return g == nil || g.hovered || g.Pinned || slices.ContainsFunc(g.buttons, func(b *Button) bool { return b.Focused || b.hovered })
}

// ButtonKind determines how a button looks.
type ButtonKind int

// The kinds of buttons.
const (
	ButtonPlain   ButtonKind = iota // a card with an outline
	ButtonPrimary                   // the main action
	ButtonPill                      // a choice that opens a menu
	ButtonLink                      // text only
	ButtonQuiet                     // text only, muted until hovered
	ButtonRow                       // a whole line of a list, left-aligned
	ButtonDanger                    // Stop
)

// Button is a button of any kind, pressed by mouse, Enter or Space.
type Button struct {
	widget.DisableableWidget
	Kind     ButtonKind
	Text     string
	Trailing string // muted text at the right end: a shortcut, a count
	TextSize float32
	PadX     float32
	PadY     float32
	Selected bool
	Tone     fyne.ThemeColorName // of the text, instead of the kind's
	Group    *HoverGroup         // the group it is shown with; nil if always shown
	confirms string              // replaces Text for a moment after a press; "" for nothing
	OnTap    func()

	hovered, Focused bool
	confirmed        int // number of presses whose confirmation is still shown
}

// confirmTime is how long a button confirms a press.
const confirmTime = 1500 * time.Millisecond

// NewCopy returns a button that copies, and confirms that it did.
func NewCopy(do func()) *Button {
	b := NewButton(ButtonQuiet, i18n.T("Copy"), do)
	b.confirms = i18n.T("Copied")
	return b
}

// NewButton returns a button of a kind.
func NewButton(kind ButtonKind, text string, onTap func()) *Button {
	b := &Button{Kind: kind, Text: text, OnTap: onTap, TextSize: SizeText, PadX: Gap12, PadY: Gap4}
	switch kind {
	case ButtonPill:
		b.TextSize, b.PadX = SizeSmall, 10
	case ButtonLink, ButtonQuiet:
		b.TextSize, b.PadX, b.PadY = SizeSmall, 0, 2
	case ButtonRow:
		b.PadX, b.PadY = Gap8, 5
	}
	b.ExtendBaseWidget(b)
	return b
}

// SetText changes the text.
func (b *Button) SetText(t string) {
	if b.Text != t {
		b.Text = t
		b.Refresh()
	}
}

// SetSelected sets whether the button is the chosen one.
func (b *Button) SetSelected(on bool) {
	if b.Selected != on {
		b.Selected = on
		b.Refresh()
	}
}

// Tapped implements fyne.Tappable.
func (b *Button) Tapped(*fyne.PointEvent) {
	if b.Disabled() || b.OnTap == nil {
		return
	}
	b.OnTap()
	if b.confirms != "" {
		b.confirm(1)
		host := HostOf(b)
		time.AfterFunc(confirmTime, func() { host.Do(func() { b.confirm(-1) }) })
	}
}

func (b *Button) confirm(presses int) {
	b.confirmed += presses
	b.Refresh()
}

// words returns the text to show now.
func (b *Button) words() string {
	if b.confirmed > 0 {
		return b.confirms
	}
	return b.Text
}

// MouseIn implements desktop.Hoverable.
func (b *Button) MouseIn(*desktop.MouseEvent) { b.hovered = true; b.redraw() }

// MouseMoved implements desktop.Hoverable.
func (b *Button) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (b *Button) MouseOut() { b.hovered = false; b.redraw() }

// redraw shows a change of hover or focus, also on the other buttons of the group.
func (b *Button) redraw() {
	if b.Group != nil {
		b.Group.Refresh()
		return
	}
	b.Refresh()
}

// Cursor implements desktop.Cursorable.
func (b *Button) Cursor() desktop.Cursor {
	if b.Disabled() {
		return desktop.DefaultCursor
	}
	return desktop.PointerCursor
}

// FocusGained implements fyne.Focusable.
func (b *Button) FocusGained() { b.Focused = true; b.redraw(); HostOf(b).Reveal(b) }

// FocusLost implements fyne.Focusable.
func (b *Button) FocusLost() { b.Focused = false; b.redraw() }

// TypedRune implements fyne.Focusable.
func (b *Button) TypedRune(r rune) { HostOf(b).Typed(r) }

// TypedKey implements fyne.Focusable.
func (b *Button) TypedKey(ev *fyne.KeyEvent) { HandlePress(b, ev, func() { b.Tapped(nil) }) }

// CreateRenderer implements fyne.Widget.
func (b *Button) CreateRenderer() fyne.WidgetRenderer {
	r := &buttonRenderer{b: b, bg: canvas.NewRectangle(color.Transparent), t: canvas.NewText("", color.Transparent), tail: canvas.NewText("", color.Transparent)}
	r.tail.TextSize = SizeSmall
	r.apply()
	return r
}

type buttonRenderer struct {
	b       *Button
	bg      *canvas.Rectangle
	t, tail *canvas.Text
}

// atRest returns the fill, line and text roles of a button that is neither hovered nor
// focused.
func (k ButtonKind) atRest() (fill, line, text fyne.ThemeColorName) {
	switch k {
	case ButtonPlain:
		return RoleCard, RoleLine, RoleText
	case ButtonPrimary:
		return RoleAccent, RoleNone, RoleOnAccent
	case ButtonDanger:
		return RoleCard, RoleLine, RoleHot
	case ButtonPill:
		return RoleWindow, RoleLine, RoleMuted // a line around no fill is drawn too dark
	case ButtonLink:
		return RoleNone, RoleNone, RoleAccent
	case ButtonQuiet, ButtonRow:
		return RoleNone, RoleNone, RoleMuted
	}
	return RoleNone, RoleNone, RoleText
}

// Roles returns the fill, line and text roles for the button's state.
func (b *Button) Roles() (fill, line, text fyne.ThemeColorName) {
	fill, line, text = b.Kind.atRest()
	if b.Tone != RoleNone {
		text = b.Tone
	}
	if b.hovered && (b.Kind == ButtonQuiet || b.Kind == ButtonPill || b.Kind == ButtonRow) {
		text = RoleText
	}
	if b.hovered && b.Kind == ButtonRow {
		fill = RoleHover
	}
	if b.confirmed > 0 {
		text = RoleAccent
	}
	if b.Selected {
		fill = RoleAccentSoft
		if b.Tone == RoleNone {
			text = RoleText
		}
	}
	if b.Disabled() {
		text = RoleFaint
		switch b.Kind {
		case ButtonPrimary:
			fill, line = RoleCard, RoleLine
		case ButtonQuiet:
			text = RoleDisabled // nothing but the text shows it
		}
	}
	if !b.Group.Visible() {
		text = RoleNone
	}
	if b.Focused {
		line = RoleAccent
		if b.Kind == ButtonPrimary {
			line = RoleText // accent on accent can't be seen
		}
	}
	return fill, line, text
}

func (b *Button) style() fyne.TextStyle { return fyne.TextStyle{Bold: b.Kind == ButtonPrimary} }

func (r *buttonRenderer) apply() {
	fill, line, text := r.b.Roles()
	r.bg.FillColor = Color(fill)
	r.bg.StrokeColor, r.bg.StrokeWidth = Color(line), 0
	if line != RoleNone {
		r.bg.StrokeWidth = 1
	}
	r.bg.CornerRadius = RadiusRow
	if r.b.Kind == ButtonPill {
		r.bg.CornerRadius = r.bg.Size().Height / 2
	}
	r.t.Color, r.t.TextSize = Color(text), r.b.TextSize
	r.tail.Color, r.tail.Text = Color(RoleMuted), r.b.Trailing
	if r.b.Kind == ButtonRow && r.b.Trailing != "" {
		r.tail.Color = Color(RoleAccent)
	}
	r.fit(r.b.Size())
}

// fit places the text; the text of a row is shortened to fit.
func (r *buttonRenderer) fit(s fyne.Size) {
	b := r.b
	tail := r.tail.MinSize()
	avail := s.Width - 2*b.PadX
	if b.Trailing != "" {
		avail -= tail.Width + Gap8
	}
	text := b.words()
	if avail > 0 {
		text = Ellipsize(text, avail, b.TextSize, b.style())
	}
	setText(r.t, text, b.style())
	ts := MeasureText(text, b.TextSize, b.style())
	x := (s.Width - ts.Width) / 2
	if b.Kind == ButtonRow || b.Trailing != "" || b.Kind == ButtonLink || b.Kind == ButtonQuiet {
		x = b.PadX
	}
	r.t.Move(fyne.NewPos(x, (s.Height-ts.Height)/2))
	r.t.Resize(ts)
	r.tail.Move(fyne.NewPos(s.Width-b.PadX-tail.Width, (s.Height-tail.Height)/2))
	r.tail.Resize(tail)
}

func (r *buttonRenderer) Layout(s fyne.Size) {
	r.bg.Resize(s)
	if r.b.PadX == 0 { // leaves room between the text and the focus line
		r.bg.Move(fyne.NewPos(-Gap4, 0))
		r.bg.Resize(s.AddWidthHeight(2*Gap4, 0))
	}
	if r.b.Kind == ButtonPill {
		r.bg.CornerRadius = s.Height / 2
	}
	r.fit(s)
	r.t.Refresh()
}

func (r *buttonRenderer) MinSize() fyne.Size {
	s := MeasureText(r.b.words(), r.b.TextSize, r.b.style())
	if r.b.Trailing != "" {
		s.Width += Gap16 + r.tail.MinSize().Width
	}
	if r.b.Kind == ButtonRow {
		s.Width = 0
	}
	return s.AddWidthHeight(2*r.b.PadX, 2*r.b.PadY)
}

func (r *buttonRenderer) Refresh() {
	r.apply()
	r.bg.Refresh()
	r.t.Refresh()
	r.tail.Refresh()
}

func (r *buttonRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.bg, r.t, r.tail}
}

func (r *buttonRenderer) Destroy() {}

// SetEnabled enables or disables a button.
func SetEnabled(b *Button, on bool) {
	if on {
		b.Enable()
	} else {
		b.Disable()
	}
}

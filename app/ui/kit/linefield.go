package kit

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// LineField is a field of one line with a button beside it, which Enter presses.
type LineField struct {
	widget.BaseWidget
	box      *Surface
	Entry    *Field
	Button   *Button
	OnSubmit func(text string)
}

// WithoutBar shows a field of one line without the scroll bar and the shadow that Fyne
// draws over its text; the cursor scrolls a long text.
func WithoutBar(e fyne.CanvasObject) fyne.CanvasObject {
	return container.NewThemeOverride(e, barlessTheme{})
}

type barlessTheme struct{ themeNow }

// Color implements fyne.Theme.
func (t barlessTheme) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	if name == theme.ColorNameScrollBar || name == theme.ColorNameShadow {
		return color.Transparent
	}
	return t.themeNow.Color(name, v)
}

// NewLineField returns a field with a placeholder and a button.
func NewLineField(hint, label string) *LineField {
	f := &LineField{box: NewSurface(RoleCard, RoleLine, RadiusCard), Entry: NewField()}
	f.Entry.reveals = true
	f.Entry.PlaceHolder = hint
	f.Button = NewButton(ButtonPlain, label, f.Submit)
	f.Button.Disable()
	f.Entry.OnFocus = func(on bool) {
		role := RoleLine
		if on {
			role = RoleAccent
		}
		f.box.Set(RoleCard, role)
	}
	f.Entry.OnChanged = func(t string) { SetEnabled(f.Button, strings.TrimSpace(t) != "") }
	f.Entry.OnSubmitted = func(string) { f.Submit() }
	f.ExtendBaseWidget(f)
	return f
}

// Submit submits the text, unless it is empty.
func (f *LineField) Submit() {
	if t := strings.TrimSpace(f.Entry.Text); t != "" && f.OnSubmit != nil {
		f.OnSubmit(t)
	}
}

// Clear empties the field, unless another text was typed since.
func (f *LineField) Clear(text string) {
	if strings.TrimSpace(f.Entry.Text) == text {
		f.Entry.SetText("")
	}
}

// Measure implements Row.
func (f *LineField) Measure(float32) float32 { return f.Entry.MinSize().Height + Gap4 }

// CreateRenderer implements fyne.Widget.
func (f *LineField) CreateRenderer() fyne.WidgetRenderer {
	return newFieldRenderer(f, f.box, WithoutBar(f.Entry), f.Button)
}

// newFieldRenderer draws a box with a text field and a button, which may be nil.
func newFieldRenderer(whole fyne.Widget, box *Surface, entry fyne.CanvasObject, button *Button) fyne.WidgetRenderer {
	parts := []fyne.CanvasObject{box, entry}
	if button != nil {
		parts = append(parts, button)
	}
	r := NewRenderer(whole, func(s fyne.Size) {
		box.Resize(s)
		room := float32(0)
		if button != nil {
			m := button.MinSize()
			room = m.Width + Gap8
			button.Resize(m)
			button.Move(fyne.NewPos(s.Width-room, (s.Height-m.Height)/2))
		}
		entry.Move(fyne.NewPos(2, 2))
		entry.Resize(fyne.NewSize(max(0, s.Width-room-4), s.Height-4))
	}, parts...)
	r.Min = func() fyne.Size { return fyne.NewSize(120, entry.MinSize().Height+Gap4) }
	return r
}

// TextBox is a field of a few lines.
type TextBox struct {
	widget.BaseWidget
	box   *Surface
	Entry *Field
}

// NewTextBox returns a box with a text to edit.
func NewTextBox(text string) *TextBox {
	b := &TextBox{box: NewSurface(RoleCode, RoleLine, RadiusCard), Entry: NewTextArea()}
	b.Entry.SetMinRowsVisible(3)
	b.Entry.SetText(text)
	b.Entry.OnFocus = func(on bool) {
		role := RoleLine
		if on {
			role = RoleAccent
			if !b.Entry.byMouse {
				HostOf(b).Reveal(b)
			}
		}
		b.box.Set(RoleCode, role)
	}
	b.ExtendBaseWidget(b)
	return b
}

// Measure implements Row.
func (b *TextBox) Measure(float32) float32 { return b.Entry.MinSize().Height + Gap4 }

// CreateRenderer implements fyne.Widget.
func (b *TextBox) CreateRenderer() fyne.WidgetRenderer {
	return newFieldRenderer(b, b.box, b.Entry, nil)
}

package kit

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// ValueField is a field for a number, a time or a text. Enter or leaving the field commits
// the text, Esc restores the value.
type ValueField struct {
	widget.BaseWidget
	box      *Surface
	Entry    *Field
	value    string
	OnChange func(text string) // called with every change; optional
}

// NewValueField returns a field that calls commit when the value changed.
func NewValueField(hint string, commit func(string)) *ValueField {
	f := &ValueField{box: NewSurface(RoleCard, RoleLine, RadiusRow), Entry: NewField()}
	f.Entry.reveals = true
	f.Entry.PlaceHolder = hint
	take := func() {
		if text := strings.TrimSpace(f.Entry.Text); text != f.value {
			commit(text)
		}
	}
	f.Entry.OnFocus = func(on bool) {
		role := RoleLine
		if on {
			role = RoleAccent
		} else {
			take()
		}
		f.box.Set(RoleCard, role)
	}
	f.Entry.OnKey = func(k *fyne.KeyEvent) bool {
		if k.Name != fyne.KeyEscape {
			return false
		}
		f.Entry.SetText(f.value)
		return true
	}
	f.Entry.OnSubmitted = func(string) { take() }
	f.Entry.OnChanged = func(text string) {
		if f.OnChange != nil {
			f.OnChange(text)
		}
	}
	f.ExtendBaseWidget(f)
	return f
}

// SetValue sets the value, unless another one is being typed.
func (f *ValueField) SetValue(value string, locked bool) {
	typed := f.Entry.Text != f.value
	same := value == f.value
	f.value = value
	if !typed || !same {
		f.Entry.SetText(value)
	}
	if locked {
		f.Entry.Disable()
	} else {
		f.Entry.Enable()
	}
}

// Measure implements Row.
func (f *ValueField) Measure(float32) float32 { return f.MinSize().Height }

// CreateRenderer implements fyne.Widget.
func (f *ValueField) CreateRenderer() fyne.WidgetRenderer {
	return newFieldRenderer(f, f.box, f.Entry, nil)
}

// NewFieldRow returns a field with a placeholder and a text, which Esc clears.
func NewFieldRow(hint, text string) *ValueField {
	f := NewValueField(hint, func(string) {})
	f.SetValue(text, false)
	f.Entry.OnKey = func(k *fyne.KeyEvent) bool {
		if k.Name == fyne.KeyEscape && f.Entry.Text != "" {
			f.Entry.SetText("")
			return true
		}
		return false
	}
	return f
}

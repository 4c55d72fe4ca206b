package settings

import (
	"runtime"

	"fyne.io/fyne/v2"

	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// A number in a range up to this wide is chosen with a slider, in steps of ten if the range
// is wider than fine.
const (
	widestSlider = 300
	fineSlider   = 120
)

// newControl returns the control for a setting's kind. It calls change with what was chosen
// or typed, unchecked.
func newControl(s config.Setting, change func(value string)) control {
	switch s.Kind {
	case config.KindSwitch:
		return kit.NewSwitch(change)
	case config.KindChoice:
		if s.Key == "window.accent" {
			return kit.NewSwatches(s.Choices, change)
		}
		return kit.NewSegments(s.Choices, func(v string) string { return i18n.T(valueName(v)) }, change)
	case config.KindShortcut:
		return newShortcutField(change)
	case config.KindNumber:
		if width := s.High - s.Low; width > 0 && width <= widestSlider {
			step := 1
			if width > fineSlider {
				step = 10
			}
			return kit.NewSlider(s.Low, s.High, step, change)
		}
	}
	return kit.NewValueField(s.Default, change)
}

// shortcutField shows an action's shortcuts. When pressed, it takes the next keys as the
// new shortcut; Backspace removes all shortcuts, and Esc changes nothing.
type shortcutField struct {
	kit.Button
	value   string
	waiting bool
	change  func(value string)
}

func newShortcutField(change func(string)) *shortcutField {
	f := &shortcutField{change: change}
	f.Button = kit.Button{Kind: kit.ButtonPlain, TextSize: kit.SizeText, PadX: kit.Gap12, PadY: kit.Gap4}
	f.OnTap = func() { f.listen(!f.waiting) }
	f.ExtendBaseWidget(f)
	return f
}

func (f *shortcutField) SetValue(value string, locked bool) {
	f.value = value
	kit.SetEnabled(&f.Button, !locked)
	f.listen(false)
}

func (f *shortcutField) listen(on bool) {
	f.waiting = on
	f.SetSelected(on)
	switch {
	case on:
		f.SetText(i18n.T("Press the keys…"))
		if c := fyne.CurrentApp().Driver().CanvasForObject(f); c != nil && !f.Focused {
			c.Focus(f)
		}
	case f.value == "":
		f.SetText(i18n.T("none"))
	default:
		f.SetText(shortcuts.Words(f.value))
	}
}

// FocusLost implements fyne.Focusable.
func (f *shortcutField) FocusLost() {
	f.Button.FocusLost()
	if f.waiting {
		f.listen(false)
	}
}

// TypedKey implements fyne.Focusable.
func (f *shortcutField) TypedKey(k *fyne.KeyEvent) {
	if !f.waiting {
		f.Button.TypedKey(k)
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
		kit.HostOf(f).RunShortcut(s)
	}
}

// press takes keys as the shortcut; it ignores keys that can't be one.
func (f *shortcutField) press(key fyne.KeyName, m fyne.KeyModifier) {
	if s, ok := shortcuts.From(key, m, runtime.GOOS); ok {
		f.take(s.String())
	}
}

func (f *shortcutField) take(value string) {
	f.listen(false)
	f.change(value)
}

package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// Field is the app's text field, of one line or of several. It passes what it can't use to
// its window: shortcuts, and the keys F1 to F12.
type Field struct {
	widget.Entry
	OnFocus    func(on bool)
	OnKey      func(*fyne.KeyEvent) bool // called before the field handles a key; reports whether it took the key
	OnShortcut func(fyne.Shortcut) bool  // the same for shortcuts
	reveals    bool                      // scrolls into view when it gets the focus
	byMouse    bool                      // the focus comes from a click: what was clicked must not move
	Shift      bool                      // Shift is held
	Tabs       bool                      // Tab types a tab instead of leaving the field
}

// NewField returns a field of one line; SetMinRowsVisible makes it higher.
func NewField() *Field {
	f := &Field{}
	f.ExtendBaseWidget(f)
	return f
}

// NewTextArea returns a field of several lines, which are wrapped.
func NewTextArea() *Field {
	f := &Field{}
	f.MultiLine, f.Wrapping = true, fyne.TextWrapWord
	f.ExtendBaseWidget(f)
	return f
}

// Put replaces the text without calling OnChanged.
func (f *Field) Put(text string) {
	tell := f.OnChanged
	f.OnChanged = nil
	f.SetText(text)
	f.OnChanged = tell
}

// SetEscape calls leave on Esc.
func (f *Field) SetEscape(leave func()) {
	f.OnKey = func(k *fyne.KeyEvent) bool {
		if k.Name == fyne.KeyEscape {
			leave()
		}
		return k.Name == fyne.KeyEscape
	}
}

// AcceptsTab implements fyne.Tabbable.
func (f *Field) AcceptsTab() bool { return f.Tabs }

// TappedSecondary implements fyne.SecondaryTappable.
func (f *Field) TappedSecondary(ev *fyne.PointEvent) { showFieldMenu(f, ev.AbsolutePosition) }

// MouseDown implements desktop.Mouseable.
func (f *Field) MouseDown(ev *desktop.MouseEvent) {
	f.byMouse = true
	f.Entry.MouseDown(ev)
	f.byMouse = false
}

// KeyDown implements desktop.Keyable. It remembers Shift for Enter.
func (f *Field) KeyDown(k *fyne.KeyEvent) {
	f.Shift = f.Shift || isShift(k)
	f.Entry.KeyDown(k)
}

// KeyUp implements desktop.Keyable.
func (f *Field) KeyUp(k *fyne.KeyEvent) {
	f.Shift = f.Shift && !isShift(k)
	f.Entry.KeyUp(k)
}

func isShift(k *fyne.KeyEvent) bool {
	return k.Name == desktop.KeyShiftLeft || k.Name == desktop.KeyShiftRight
}

// FocusGained implements fyne.Focusable.
func (f *Field) FocusGained() {
	if f.OnFocus != nil {
		f.OnFocus(true)
	}
	f.Entry.FocusGained()
	if f.reveals && !f.byMouse {
		HostOf(f).Reveal(f)
	}
}

// FocusLost implements fyne.Focusable. It forgets Shift, which may be released elsewhere.
func (f *Field) FocusLost() {
	f.Shift = false
	if f.OnFocus != nil {
		f.OnFocus(false)
	}
	f.Entry.FocusLost()
}

// TypedKey implements fyne.Focusable.
func (f *Field) TypedKey(k *fyne.KeyEvent) {
	if f.OnKey != nil && f.OnKey(k) || HostOf(f).RunKey(k) {
		return
	}
	f.Entry.TypedKey(k)
}

// TypedShortcut implements fyne.Shortcutable.
func (f *Field) TypedShortcut(s fyne.Shortcut) {
	if f.OnShortcut != nil && f.OnShortcut(s) || HostOf(f).RunShortcut(s) {
		return
	}
	if to := endOfText(s); to != "" {
		f.Entry.TypedKey(&fyne.KeyEvent{Name: to}) // with Shift it selects
		return
	}
	f.Entry.TypedShortcut(s)
}

// endOfText returns the key that moves to the beginning or the end of the text in Fyne's
// entry, for a shortcut that does so, or "" for any other shortcut.
func endOfText(s fyne.Shortcut) fyne.KeyName {
	c, ok := s.(*desktop.CustomShortcut)
	if !ok {
		return ""
	}
	switch (desktop.CustomShortcut{KeyName: c.KeyName, Modifier: c.Modifier &^ fyne.KeyModifierShift}) {
	case desktop.CustomShortcut{KeyName: fyne.KeyHome, Modifier: fyne.KeyModifierControl},
		desktop.CustomShortcut{KeyName: fyne.KeyHome, Modifier: fyne.KeyModifierSuper},
		desktop.CustomShortcut{KeyName: fyne.KeyUp, Modifier: fyne.KeyModifierSuper}:
		return fyne.KeyPageUp
	case desktop.CustomShortcut{KeyName: fyne.KeyEnd, Modifier: fyne.KeyModifierControl},
		desktop.CustomShortcut{KeyName: fyne.KeyEnd, Modifier: fyne.KeyModifierSuper},
		desktop.CustomShortcut{KeyName: fyne.KeyDown, Modifier: fyne.KeyModifierSuper}:
		return fyne.KeyPageDown
	}
	return ""
}

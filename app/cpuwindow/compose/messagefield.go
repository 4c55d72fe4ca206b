package compose

import (
	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
)

// Field is a field in which Enter sends and Shift+Enter starts a new line, the reverse of
// Fyne's.
type Field struct {
	*kit.Field
	OnSend   func()
	OnEscape func()
	OnUp     func()                       // called by Up in an empty field; optional
	OnMenu   func(ev *fyne.KeyEvent) bool // gets the keys first while a menu lies over the field; reports whether it took one; optional
	OnScroll func(ev *fyne.KeyEvent)

	OnLongPaste  func(text string) // optional, like the next
	OnPasteImage func()
	Pasted       bool // the text begins with a pasted one
}

// NewField returns an empty field.
func NewField() *Field {
	m := &Field{Field: kit.NewTextArea()}
	m.SetMinRowsVisible(1)
	m.OnKey, m.OnShortcut = m.key, m.paste
	return m
}

func (m *Field) key(k *fyne.KeyEvent) bool {
	if m.OnMenu != nil && m.OnMenu(k) {
		return true
	}
	switch k.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if m.Shift {
			m.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
			return true
		}
		m.OnSend()
	case fyne.KeyEscape:
		m.OnEscape()
	case fyne.KeyPageUp, fyne.KeyPageDown:
		m.OnScroll(k)
	case fyne.KeyUp:
		if m.Text != "" || m.OnUp == nil {
			return false
		}
		m.OnUp()
	default:
		return false
	}
	return true
}

// paste takes long texts and images, which become files.
func (m *Field) paste(s fyne.Shortcut) bool {
	p, ok := s.(*fyne.ShortcutPaste)
	if !ok {
		return false
	}
	switch text := p.Clipboard.Content(); {
	case text == "" && m.OnPasteImage != nil:
		m.OnPasteImage()
	case len(text) > pasteLimit && m.OnLongPaste != nil:
		m.OnLongPaste(text)
	default:
		m.Pasted = m.Pasted || m.CursorRow == 0 && m.CursorColumn == 0 || m.SelectedText() == m.Text
		return false
	}
	return true
}

// pasteLimit is the longest text to paste into the composer, in bytes. A longer one becomes
// a file, which keeps the field fast and the message readable.
const pasteLimit = 8 << 10

package compose

import (
	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
)

// Field is a field in which Enter sends and Shift+Enter makes a new line: the
// reverse of Fyne's.
type Field struct {
	*kit.Field
	OnSend   func()
	OnEscape func()
	OnUp     func()                       // Up in an empty field; optional
	OnMenu   func(ev *fyne.KeyEvent) bool // before the field: a menu lies over it; optional
	OnScroll func(ev *fyne.KeyEvent)

	OnLongPaste  func(text string) // optional, as the next
	OnPasteImage func()
	Pasted       bool // the text begins with what was pasted
}

// NewField is an empty field.
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

// paste takes a long text and an image, which become files.
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

// pasteLimit is the longest text that is pasted into the composer, in bytes: a
// longer one becomes a file, which keeps the field quick and the message readable.
const pasteLimit = 8 << 10

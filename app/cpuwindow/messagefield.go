package cpuwindow

import (
	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
)

// messageField is a field in which Enter sends and Shift+Enter makes a new line: the
// reverse of Fyne's.
type messageField struct {
	*kit.Field
	onSend   func()
	onEscape func()
	onUp     func() // Up in an empty field; optional
	onScroll func(ev *fyne.KeyEvent)

	onLongPaste  func(text string) // optional, as the next
	onPasteImage func()
}

func newMessageField() *messageField {
	m := &messageField{Field: kit.NewTextArea()}
	m.SetMinRowsVisible(1)
	m.OnKey, m.OnShortcut = m.key, m.paste
	return m
}

func (m *messageField) key(k *fyne.KeyEvent) bool {
	switch k.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if m.Shift {
			m.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
			return true
		}
		m.onSend()
	case fyne.KeyEscape:
		m.onEscape()
	case fyne.KeyPageUp, fyne.KeyPageDown:
		m.onScroll(k)
	case fyne.KeyUp:
		if m.Text != "" || m.onUp == nil {
			return false
		}
		m.onUp()
	default:
		return false
	}
	return true
}

// paste takes a long text and an image, which become files.
func (m *messageField) paste(s fyne.Shortcut) bool {
	p, ok := s.(*fyne.ShortcutPaste)
	if !ok {
		return false
	}
	switch text := p.Clipboard.Content(); {
	case text == "" && m.onPasteImage != nil:
		m.onPasteImage()
	case len(text) > pasteLimit && m.onLongPaste != nil:
		m.onLongPaste(text)
	default:
		return false
	}
	return true
}

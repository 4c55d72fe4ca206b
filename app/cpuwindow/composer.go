package cpuwindow

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// pasteLimit is how much may be pasted or kept in the composer, in bytes: beyond
// it a text field is slow and the model's context would not hold it.
const pasteLimit = 64 << 10

// chatEntry is a text field in which Enter sends and Shift+Enter makes a new line:
// the reverse of Fyne's.
type chatEntry struct {
	widget.Entry
	onSend   func()
	onEscape func()
	onRefuse func(words string)
	onScroll func(ev *fyne.KeyEvent)
	onKey    func(s fyne.Shortcut) bool
	onFocus  func(on bool)
	shift    bool
}

func newChatEntry() *chatEntry {
	e := &chatEntry{}
	e.MultiLine = true
	e.Wrapping = fyne.TextWrapWord
	e.ExtendBaseWidget(e)
	e.SetMinRowsVisible(1)
	return e
}

// KeyDown implements desktop.Keyable: Shift is remembered for Enter.
func (e *chatEntry) KeyDown(k *fyne.KeyEvent) {
	if k.Name == desktop.KeyShiftLeft || k.Name == desktop.KeyShiftRight {
		e.shift = true
	}
	e.Entry.KeyDown(k)
}

// KeyUp implements desktop.Keyable.
func (e *chatEntry) KeyUp(k *fyne.KeyEvent) {
	if k.Name == desktop.KeyShiftLeft || k.Name == desktop.KeyShiftRight {
		e.shift = false
	}
	e.Entry.KeyUp(k)
}

// AcceptsTab implements fyne.Tabbable: Tab leaves the field.
func (e *chatEntry) AcceptsTab() bool { return false }

// FocusGained implements fyne.Focusable.
func (e *chatEntry) FocusGained() {
	if e.onFocus != nil {
		e.onFocus(true)
	}
	e.Entry.FocusGained()
}

// FocusLost implements fyne.Focusable; a Shift let go elsewhere is let go.
func (e *chatEntry) FocusLost() {
	e.shift = false
	if e.onFocus != nil {
		e.onFocus(false)
	}
	e.Entry.FocusLost()
}

// TypedKey implements fyne.Focusable.
func (e *chatEntry) TypedKey(k *fyne.KeyEvent) {
	switch k.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if e.shift {
			e.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
			return
		}
		e.onSend()
	case fyne.KeyEscape:
		e.onEscape()
	case fyne.KeyPageUp, fyne.KeyPageDown:
		e.onScroll(k)
	default:
		e.Entry.TypedKey(k)
	}
}

// TypedShortcut implements fyne.Shortcutable: a paste too large is refused in words.
func (e *chatEntry) TypedShortcut(s fyne.Shortcut) {
	if p, ok := s.(*fyne.ShortcutPaste); ok {
		n := len(p.Clipboard.Content())
		if n+len(e.Text) > pasteLimit {
			e.onRefuse(fmt.Sprintf("%d KB is too much for one message (at most %d KB). Put it into a file and ask about a part of it.", n>>10, pasteLimit>>10))
			return
		}
	}
	if e.onKey != nil && e.onKey(s) {
		return
	}
	e.Entry.TypedShortcut(s)
}

// composer is where people write: it grows to eight lines, then scrolls.
type composer struct {
	widget.BaseWidget
	entry   *chatEntry
	box     *surface
	send    *button
	stop    *button
	hint    *words
	rows    int
	onSend  func(text string)
	onStop  func()
	onDraft func(text string)
	resized func()
	busy    bool
}

const (
	composerRows = 8
	fitBytes     = 2000 // longer texts need more than eight lines at any width
)

func newComposer(onSend func(string), onStop func(), onDraft func(string)) *composer {
	c := &composer{onSend: onSend, onStop: onStop, onDraft: onDraft, rows: 1}
	c.box = newSurface(roleCard, roleLine, radiusBubble)
	c.hint = newWords("", roleMuted, sizeSmall).squeezable()
	c.send = newButton(buttonPrimary, "Send", c.submit)
	c.stop = newButton(buttonDanger, "Stop", func() { c.onStop() })
	c.stop.Hide()
	e := newChatEntry()
	e.PlaceHolder = "Ask anything. Enter sends, Shift+Enter for a new line."
	e.onSend, e.onEscape = c.submit, func() { c.onStop() }
	e.onRefuse = func(w string) { c.say(w) }
	e.onFocus = c.ring
	e.OnChanged = func(t string) {
		c.say("")
		c.onDraft(t)
		c.fitRows()
	}
	c.entry = e
	c.ExtendBaseWidget(c)
	return c
}

// submit sends what is written. While an answer arrives the text stays.
func (c *composer) submit() {
	text := strings.TrimSpace(c.entry.Text)
	if text == "" {
		return
	}
	if c.busy {
		c.say("still answering… Stop (Esc) to send this now; it stays here")
		return
	}
	c.onSend(text)
}

// ring shows that the field has the focus.
func (c *composer) ring(on bool) {
	role := roleLine
	if on {
		role = roleAccent
	}
	c.box.set(roleCard, role)
}

func (c *composer) say(words string) {
	if c.hint.text != words {
		c.hint.SetText(words)
		c.Refresh()
	}
}

// setBusy shows Stop instead of Send.
func (c *composer) setBusy(busy bool) {
	if busy == c.busy {
		return
	}
	c.busy = busy
	c.send.Hidden, c.stop.Hidden = busy, !busy
	if !busy {
		c.say("")
	}
	c.Refresh()
}

// setText replaces the draft without telling of it.
func (c *composer) setText(t string) {
	if c.entry.Text == t {
		return
	}
	tell := c.entry.OnChanged
	c.entry.OnChanged = nil
	c.entry.SetText(t)
	c.entry.CursorRow, c.entry.CursorColumn = 0, 0
	c.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
	c.entry.OnChanged = tell
	c.fitRows()
}

func (c *composer) fitRows() {
	text := c.entry.Text
	if len(text) > fitBytes { // fills the eight lines in any case
		text = text[:runeFloor(text, fitBytes)]
	}
	p := newProse([]run{{text: text}}, sizeText, roleText)
	w := c.entry.Size().Width - 2*gap8
	if w < 40 {
		w = 400
	}
	n := int(p.measure(w) / p.leading)
	n = min(max(n, 1), composerRows)
	if len(c.entry.Text) > fitBytes {
		n = composerRows
	}
	if n == c.rows {
		return
	}
	c.rows = n
	c.entry.SetMinRowsVisible(n)
	if c.resized != nil {
		c.resized()
	}
}

// CreateRenderer implements fyne.Widget.
func (c *composer) CreateRenderer() fyne.WidgetRenderer { return &composerRenderer{c} }

type composerRenderer struct{ c *composer }

func (r *composerRenderer) height() float32 {
	h := r.c.entry.MinSize().Height + gap8
	return max(h, 64)
}

func (r *composerRenderer) MinSize() fyne.Size { return fyne.NewSize(160, r.height()) }

func (r *composerRenderer) Layout(s fyne.Size) {
	c := r.c
	c.box.Resize(s)
	b := c.send.MinSize().Max(c.stop.MinSize())
	for _, o := range []fyne.CanvasObject{c.send, c.stop} {
		o.Resize(b)
		o.Move(fyne.NewPos(s.Width-b.Width-gap12, s.Height-b.Height-10))
	}
	c.entry.Move(fyne.NewPos(gap4, gap4))
	c.entry.Resize(fyne.NewSize(s.Width-b.Width-gap12*2-gap4, s.Height-gap8))
	h := c.hint.MinSize().Height
	c.hint.Move(fyne.NewPos(gap12, s.Height-h-6))
	c.hint.Resize(fyne.NewSize(s.Width-b.Width-3*gap12, h))
}

func (r *composerRenderer) Refresh() {
	r.Layout(r.c.Size())
	for _, o := range r.Objects() {
		o.Refresh()
	}
	canvas.Refresh(r.c)
}

func (r *composerRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.c.box, r.c.entry, r.c.hint, r.c.send, r.c.stop}
}
func (r *composerRenderer) Destroy() {}

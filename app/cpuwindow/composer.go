package cpuwindow

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
)

// chatEntry is a text field in which Enter sends and Shift+Enter makes a new line:
// the reverse of Fyne's.
type chatEntry struct {
	widget.Entry
	onSend   func()
	onEscape func()
	onUp     func() // Up in an empty field

	onLongPaste  func(text string)
	onPasteImage func()
	onScroll     func(ev *fyne.KeyEvent)
	onKey        func(s fyne.Shortcut) bool
	onFocus      func(on bool)
	shift        bool
}

// TappedSecondary implements fyne.SecondaryTappable.
func (e *chatEntry) TappedSecondary(ev *fyne.PointEvent) { showFieldMenu(e, ev.AbsolutePosition) }

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
	case fyne.KeyUp:
		if e.Text == "" && e.onUp != nil {
			e.onUp()
			return
		}
		e.Entry.TypedKey(k)
	default:
		if !boundKey(e, k) {
			e.Entry.TypedKey(k)
		}
	}
}

// TypedShortcut implements fyne.Shortcutable: a long text and an image become files.
func (e *chatEntry) TypedShortcut(s fyne.Shortcut) {
	if p, ok := s.(*fyne.ShortcutPaste); ok {
		switch text := p.Clipboard.Content(); {
		case text == "" && e.onPasteImage != nil:
			e.onPasteImage()
			return
		case len(text) > pasteLimit && e.onLongPaste != nil:
			e.onLongPaste(text)
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
	asked   string // what stands in the empty field, where there is room for it
	warned  string
	note    *prose          // what went wrong with a file
	chips   *fyne.Container // files that go with the message
	flow    *flowLayout
	attach  *button
	rows    int
	onSend  func(text string)
	onStop  func()
	onDraft func(text string)
	resized func()
	busy    bool

	check    func(text string) string // what is wrong with it; "" nothing
	onAttach func()
	onRemove func(i int)
}

const (
	composerRows = 8
	fitBytes     = 2000 // longer texts need more than eight lines at any width
)

func newComposer(onSend func(string), onStop func(), onDraft func(string)) *composer {
	c := &composer{onSend: onSend, onStop: onStop, onDraft: onDraft, rows: 1, check: func(string) string { return "" }}
	c.box = newSurface(roleCard, roleLine, radiusBubble)
	c.hint = newWords("", roleMuted, sizeSmall).squeezable()
	c.send = newButton(buttonPrimary, i18n.T("Send"), c.submit)
	c.stop = newButton(buttonDanger, i18n.T("Stop"), func() { c.onStop() })
	c.stop.Hide()
	c.attach = newButton(buttonQuiet, i18n.T("Attach"), func() { c.onAttach() })
	c.note = newProse(nil, sizeSmall, roleHot)
	c.note.Hide()
	c.flow = &flowLayout{}
	c.chips = container.New(c.flow)
	c.chips.Hide()
	e := newChatEntry()
	c.asked = askHint()
	e.PlaceHolder = c.asked
	e.onSend, e.onEscape = c.submit, func() { c.onStop() }
	e.onFocus = c.ring
	e.OnChanged = func(t string) {
		c.say("")
		c.warn(c.check(t))
		c.onDraft(t)
		c.fitRows()
	}
	c.entry = e
	c.ExtendBaseWidget(c)
	return c
}

// submit sends what is written. While an answer arrives it waits for its turn.
func (c *composer) submit() {
	text := strings.TrimSpace(c.entry.Text)
	if text == "" && len(c.chips.Objects) == 0 {
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

// warn says what went wrong, above the text; "" takes it away.
func (c *composer) warn(words string) {
	if words == c.warned {
		return
	}
	c.warned = words
	c.note.setRuns([]run{{text: words}})
	c.note.measure(max(c.Size().Width-2*gap12, 40))
	c.note.Hidden = words == ""
	c.grown()
}

// setFiles shows the files that go with the message.
func (c *composer) setFiles(files []pending) {
	if len(files) == 0 && c.chips.Hidden {
		return
	}
	c.chips.Objects = nil
	for i, f := range files {
		c.chips.Objects = append(c.chips.Objects, newChip(f.label(), func() { c.onRemove(i) }))
	}
	c.chips.Hidden = len(files) == 0
	c.chips.Refresh()
	c.grown()
}

// grown lays the window out anew: the composer has another height.
func (c *composer) grown() {
	c.Refresh()
	if c.resized != nil {
		c.resized()
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

// ask says what the empty field is for.
func (c *composer) ask(hint string) {
	c.asked = hint
	c.fitHint()
}

// fitHint shows as much of the hint as two lines have room for, the first sentence at
// least.
func (c *composer) fitHint() {
	hint := c.asked
	if w := c.entry.Size().Width - 2*gap8; w > 40 {
		hint = shortened(hint, w)
	}
	if c.entry.PlaceHolder != hint {
		c.entry.SetPlaceHolder(hint)
	}
}

// shortened leaves out the last sentences, or parts of one, of a hint that takes more
// than two lines.
func shortened(hint string, width float32) string {
	for {
		p := newProse([]run{{text: hint}}, sizeText, roleText)
		at := strings.LastIndexAny(strings.TrimRight(hint, ".;"), ".;")
		if at < 0 || p.measure(width) < 3*p.leading {
			return hint
		}
		hint = hint[:at] + "."
	}
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

// above is the height of what stands above the text.
func (r *composerRenderer) above(width float32) float32 {
	c, h := r.c, float32(0)
	if !c.note.Hidden {
		h += c.note.measure(width-2*gap12) + gap8
	}
	if !c.chips.Hidden {
		c.flow.width = width - 2*gap12
		h += c.chips.MinSize().Height + gap8
	}
	return h
}

func (r *composerRenderer) MinSize() fyne.Size {
	width := r.c.Size().Width
	if width <= 0 {
		width = 400
	}
	return fyne.NewSize(160, max(r.c.entry.MinSize().Height+gap8, 64)+r.above(width))
}

func (r *composerRenderer) Layout(s fyne.Size) {
	c := r.c
	c.box.Resize(s)
	y, inner := gap8, s.Width-2*gap12
	if !c.note.Hidden {
		h := c.note.measure(inner)
		c.note.Move(fyne.NewPos(gap12, y))
		c.note.Resize(fyne.NewSize(inner, h))
		y += h + gap8
	}
	if !c.chips.Hidden {
		c.flow.width = inner
		h := c.chips.MinSize().Height
		c.chips.Move(fyne.NewPos(gap12, y))
		c.chips.Resize(fyne.NewSize(inner, h))
		y += h + gap8
	}
	top := y - gap8
	b := c.send.MinSize().Max(c.stop.MinSize())
	for _, o := range []fyne.CanvasObject{c.send, c.stop} {
		o.Resize(b)
		o.Move(fyne.NewPos(s.Width-b.Width-gap12, s.Height-b.Height-10))
	}
	a := c.attach.MinSize()
	c.attach.Resize(a)
	c.attach.Move(fyne.NewPos(s.Width-b.Width-a.Width-2*gap12, s.Height-10-(b.Height+a.Height)/2))
	right := b.Width + a.Width + 3*gap12
	c.entry.Move(fyne.NewPos(gap4, top+gap4))
	c.entry.Resize(fyne.NewSize(s.Width-right-gap4, s.Height-top-gap8))
	c.fitHint()
	h := c.hint.MinSize().Height
	c.hint.Move(fyne.NewPos(gap12, s.Height-h-6))
	c.hint.Resize(fyne.NewSize(s.Width-right-gap12, h))
}

func (r *composerRenderer) Refresh() {
	r.Layout(r.c.Size())
	for _, o := range r.Objects() {
		o.Refresh()
	}
	canvas.Refresh(r.c)
}

func (r *composerRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.c.box, r.c.note, r.c.chips, r.c.entry, r.c.hint, r.c.attach, r.c.send, r.c.stop}
}
func (r *composerRenderer) Destroy() {}

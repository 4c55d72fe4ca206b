package compose

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// Composer is the field for writing messages. It grows to eight lines, then scrolls.
type Composer struct {
	widget.BaseWidget
	Entry       *kit.Field
	Keys        *Field
	box         *kit.Surface
	send        *kit.Button
	stop        *kit.Button
	hint        *kit.Label
	placeholder string // placeholder of the empty field, as far as there is room
	Warned      string
	Note        *prose.Text  // what went wrong with a file, or what Check returned
	Chips       *kit.FlowRow // files that go with the message
	Attach      *kit.Button
	rows        int
	onSend      func(text string)
	onStop      func()
	onDraft     func(text string)
	Resized     func()
	Busy        bool

	Check    func(text string) string // returns what is wrong with the text, or ""
	OnAttach func()
	OnRemove func(i int)
	OnText   func(text string) // called with new text as it is typed, and with "" when SetText replaces it; optional
}

// LongText is a number of bytes that needs more lines than the field shows, at any width.
const LongText = 2000

const composerRows = 8

// NewComposer returns an empty composer.
func NewComposer(onSend func(string), onStop func(), onDraft func(string)) *Composer {
	c := &Composer{onSend: onSend, onStop: onStop, onDraft: onDraft, rows: 1, Check: func(string) string { return "" }}
	c.box = kit.NewSurface(kit.RoleCard, kit.RoleLine, kit.RadiusBubble)
	c.hint = kit.NewLabel("", kit.RoleMuted, kit.SizeSmall).Squeezable()
	c.send = kit.NewButton(kit.ButtonPrimary, i18n.T("Send"), c.Submit)
	c.stop = kit.NewButton(kit.ButtonDanger, i18n.T("Stop"), func() { c.onStop() })
	c.stop.Hide()
	c.Attach = kit.NewButton(kit.ButtonQuiet, i18n.T("Attach"), func() { c.OnAttach() })
	c.Note = prose.New(nil, kit.SizeSmall, kit.RoleHot)
	c.Note.Hide()
	c.Chips = kit.NewFlowRow(kit.Gap8)
	c.Chips.Hide()
	c.Keys = NewField()
	c.Keys.OnSend, c.Keys.OnEscape = c.Submit, func() { c.onStop() }
	e := c.Keys.Field
	c.placeholder = Placeholder()
	e.PlaceHolder = c.placeholder
	e.OnFocus = c.ring
	e.OnChanged = func(t string) {
		c.SetHint("")
		c.Warn(c.Check(t))
		c.onDraft(t)
		c.fitRows()
		c.textChanged(t)
	}
	c.Entry = e
	c.ExtendBaseWidget(c)
	return c
}

func (c *Composer) textChanged(text string) {
	if c.OnText != nil {
		c.OnText(text)
	}
	c.Keys.Pasted = c.Keys.Pasted && c.Entry.Text != ""
}

// Submit sends the text. While an answer arrives the message waits for its turn.
func (c *Composer) Submit() {
	text := strings.TrimSpace(c.Entry.Text)
	if text == "" && len(c.Chips.Objects) == 0 {
		return
	}
	c.onSend(text)
}

// ring shows that the field has the focus.
func (c *Composer) ring(on bool) {
	role := kit.RoleLine
	if on {
		role = kit.RoleAccent
	}
	c.box.Set(kit.RoleCard, role)
}

// SetHint shows a hint below the text.
func (c *Composer) SetHint(words string) {
	if c.hint.Text != words {
		c.hint.SetText(words)
		c.Refresh()
	}
}

// Warn shows a problem above the text; "" removes it.
func (c *Composer) Warn(words string) {
	if words == c.Warned {
		return
	}
	c.Warned = words
	c.Note.SetRuns([]prose.Run{{Text: words}})
	c.Note.Measure(max(c.Size().Width-2*kit.Gap12, 40))
	c.Note.Hidden = words == ""
	c.heightChanged()
}

// SetFiles shows the files that go with the message.
func (c *Composer) SetFiles(files []conversation.File) {
	if len(files) == 0 && c.Chips.Hidden {
		return
	}
	c.Chips.Objects = nil
	for i, f := range files {
		c.Chips.Objects = append(c.Chips.Objects, newChip(f.Label(), func() { c.OnRemove(i) }))
	}
	c.Chips.Hidden = len(files) == 0
	c.Chips.Refresh()
	c.heightChanged()
}

// heightChanged lays the window out again, because the composer's height changed.
func (c *Composer) heightChanged() {
	c.Refresh()
	if c.Resized != nil {
		c.Resized()
	}
}

// SetBusy shows Stop instead of Send while busy.
func (c *Composer) SetBusy(busy bool) {
	if busy == c.Busy {
		return
	}
	c.Busy = busy
	c.send.Hidden, c.stop.Hidden = busy, !busy
	if !busy {
		c.SetHint("")
	}
	c.Refresh()
}

// SetText replaces the draft without reporting a change.
func (c *Composer) SetText(t string) {
	c.textChanged("")
	c.Keys.Pasted = false
	if c.Entry.Text == t {
		return
	}
	c.Entry.Put(t)
	c.Entry.CursorRow, c.Entry.CursorColumn = 0, 0
	c.Entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
	c.fitRows()
}

// SetPlaceholder sets the placeholder of the empty field.
func (c *Composer) SetPlaceholder(hint string) {
	c.placeholder = hint
	c.fitHint()
}

// fitHint shows as much of the placeholder as fits on two lines, at least the first
// sentence.
func (c *Composer) fitHint() {
	hint := c.placeholder
	if w := c.Entry.Size().Width - 2*kit.Gap8; w > 40 {
		hint = shorten(hint, w)
	}
	if c.Entry.PlaceHolder != hint {
		c.Entry.SetPlaceHolder(hint)
	}
}

// shorten drops the last sentences, or parts of a sentence, until a hint fits on two
// lines.
func shorten(hint string, width float32) string {
	for {
		p := prose.New([]prose.Run{{Text: hint}}, kit.SizeText, kit.RoleText)
		at := strings.LastIndexAny(strings.TrimRight(hint, ".;"), ".;")
		if at < 0 || p.Measure(width) < 3*p.Leading {
			return hint
		}
		hint = hint[:at] + "."
	}
}

func (c *Composer) fitRows() {
	text := c.Entry.Text
	if len(text) > LongText { // fills the eight lines anyway
		text = text[:prose.RuneFloor(text, LongText)]
	}
	p := prose.New([]prose.Run{{Text: text}}, kit.SizeText, kit.RoleText)
	w := c.Entry.Size().Width - 2*kit.Gap8
	if w < 40 {
		w = 400
	}
	n := int(p.Measure(w) / p.Leading)
	n = min(max(n, 1), composerRows)
	if len(c.Entry.Text) > LongText {
		n = composerRows
	}
	if n == c.rows {
		return
	}
	c.rows = n
	c.Entry.SetMinRowsVisible(n)
	if c.Resized != nil {
		c.Resized()
	}
}

// CreateRenderer implements fyne.Widget.
func (c *Composer) CreateRenderer() fyne.WidgetRenderer {
	r := kit.NewRenderer(c, c.layOut, c.box, c.Note, c.Chips, c.Entry, c.hint, c.Attach, c.send, c.stop)
	r.Min = c.minSize
	return r
}

// above returns the height of what stands above the text.
func (c *Composer) above(width float32) float32 {
	h := float32(0)
	if !c.Note.Hidden {
		h += c.Note.Measure(width-2*kit.Gap12) + kit.Gap8
	}
	if !c.Chips.Hidden {
		h += c.Chips.Measure(width-2*kit.Gap12) + kit.Gap8
	}
	return h
}

func (c *Composer) minSize() fyne.Size {
	width := c.Size().Width
	if width <= 0 {
		width = 400
	}
	return fyne.NewSize(160, max(c.Entry.MinSize().Height+kit.Gap8, 64)+c.above(width))
}

func (c *Composer) layOut(s fyne.Size) {
	c.box.Resize(s)
	y, inner := kit.Gap8, s.Width-2*kit.Gap12
	if !c.Note.Hidden {
		h := c.Note.Measure(inner)
		c.Note.Move(fyne.NewPos(kit.Gap12, y))
		c.Note.Resize(fyne.NewSize(inner, h))
		y += h + kit.Gap8
	}
	if !c.Chips.Hidden {
		h := c.Chips.Measure(inner)
		c.Chips.Move(fyne.NewPos(kit.Gap12, y))
		c.Chips.Resize(fyne.NewSize(inner, h))
		y += h + kit.Gap8
	}
	top := y - kit.Gap8
	b := c.send.MinSize().Max(c.stop.MinSize())
	for _, o := range []fyne.CanvasObject{c.send, c.stop} {
		o.Resize(b)
		o.Move(fyne.NewPos(s.Width-b.Width-kit.Gap12, s.Height-b.Height-10))
	}
	a := c.Attach.MinSize()
	c.Attach.Resize(a)
	c.Attach.Move(fyne.NewPos(s.Width-b.Width-a.Width-2*kit.Gap12, s.Height-10-(b.Height+a.Height)/2))
	right := b.Width + a.Width + 3*kit.Gap12
	c.Entry.Move(fyne.NewPos(kit.Gap4, top+kit.Gap4))
	c.Entry.Resize(fyne.NewSize(s.Width-right-kit.Gap4, s.Height-top-kit.Gap8))
	c.fitHint()
	h := c.hint.MinSize().Height
	c.hint.Move(fyne.NewPos(kit.Gap12, s.Height-h-6))
	c.hint.Resize(fyne.NewSize(s.Width-right-kit.Gap12, h))
}

// Placeholder returns the placeholder of the empty field.
func Placeholder() string {
	return i18n.T("Ask anything. Enter sends, Shift+Enter for a new line. / lists agents and commands.")
}

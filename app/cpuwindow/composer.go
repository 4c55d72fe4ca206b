package cpuwindow

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// composer is where people write: it grows to eight lines, then scrolls.
type composer struct {
	widget.BaseWidget
	entry   *kit.Field
	keys    *messageField
	box     *kit.Surface
	send    *kit.Button
	stop    *kit.Button
	hint    *kit.Label
	asked   string // what stands in the empty field, where there is room for it
	warned  string
	note    *kit.Prose      // what went wrong with a file
	chips   *fyne.Container // files that go with the message
	flow    *flowLayout
	attach  *kit.Button
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
	c.box = kit.NewSurface(kit.RoleCard, kit.RoleLine, kit.RadiusBubble)
	c.hint = kit.NewLabel("", kit.RoleMuted, kit.SizeSmall).Squeezable()
	c.send = kit.NewButton(kit.ButtonPrimary, i18n.T("Send"), c.submit)
	c.stop = kit.NewButton(kit.ButtonDanger, i18n.T("Stop"), func() { c.onStop() })
	c.stop.Hide()
	c.attach = kit.NewButton(kit.ButtonQuiet, i18n.T("Attach"), func() { c.onAttach() })
	c.note = kit.NewProse(nil, kit.SizeSmall, kit.RoleHot)
	c.note.Hide()
	c.flow = &flowLayout{}
	c.chips = container.New(c.flow)
	c.chips.Hide()
	c.keys = newMessageField()
	c.keys.onSend, c.keys.onEscape = c.submit, func() { c.onStop() }
	e := c.keys.Field
	c.asked = askHint()
	e.PlaceHolder = c.asked
	e.OnFocus = c.ring
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
	role := kit.RoleLine
	if on {
		role = kit.RoleAccent
	}
	c.box.Set(kit.RoleCard, role)
}

func (c *composer) say(words string) {
	if c.hint.Text != words {
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
	c.note.SetRuns([]kit.Run{{Text: words}})
	c.note.Measure(max(c.Size().Width-2*kit.Gap12, 40))
	c.note.Hidden = words == ""
	c.grown()
}

// setFiles shows the files that go with the message.
func (c *composer) setFiles(files []conversation.File) {
	if len(files) == 0 && c.chips.Hidden {
		return
	}
	c.chips.Objects = nil
	for i, f := range files {
		c.chips.Objects = append(c.chips.Objects, newChip(f.Label(), func() { c.onRemove(i) }))
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
	c.entry.Put(t)
	c.entry.CursorRow, c.entry.CursorColumn = 0, 0
	c.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
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
	if w := c.entry.Size().Width - 2*kit.Gap8; w > 40 {
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
		p := kit.NewProse([]kit.Run{{Text: hint}}, kit.SizeText, kit.RoleText)
		at := strings.LastIndexAny(strings.TrimRight(hint, ".;"), ".;")
		if at < 0 || p.Measure(width) < 3*p.Leading {
			return hint
		}
		hint = hint[:at] + "."
	}
}

func (c *composer) fitRows() {
	text := c.entry.Text
	if len(text) > fitBytes { // fills the eight lines in any case
		text = text[:kit.RuneFloor(text, fitBytes)]
	}
	p := kit.NewProse([]kit.Run{{Text: text}}, kit.SizeText, kit.RoleText)
	w := c.entry.Size().Width - 2*kit.Gap8
	if w < 40 {
		w = 400
	}
	n := int(p.Measure(w) / p.Leading)
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
		h += c.note.Measure(width-2*kit.Gap12) + kit.Gap8
	}
	if !c.chips.Hidden {
		c.flow.width = width - 2*kit.Gap12
		h += c.chips.MinSize().Height + kit.Gap8
	}
	return h
}

func (r *composerRenderer) MinSize() fyne.Size {
	width := r.c.Size().Width
	if width <= 0 {
		width = 400
	}
	return fyne.NewSize(160, max(r.c.entry.MinSize().Height+kit.Gap8, 64)+r.above(width))
}

func (r *composerRenderer) Layout(s fyne.Size) {
	c := r.c
	c.box.Resize(s)
	y, inner := kit.Gap8, s.Width-2*kit.Gap12
	if !c.note.Hidden {
		h := c.note.Measure(inner)
		c.note.Move(fyne.NewPos(kit.Gap12, y))
		c.note.Resize(fyne.NewSize(inner, h))
		y += h + kit.Gap8
	}
	if !c.chips.Hidden {
		c.flow.width = inner
		h := c.chips.MinSize().Height
		c.chips.Move(fyne.NewPos(kit.Gap12, y))
		c.chips.Resize(fyne.NewSize(inner, h))
		y += h + kit.Gap8
	}
	top := y - kit.Gap8
	b := c.send.MinSize().Max(c.stop.MinSize())
	for _, o := range []fyne.CanvasObject{c.send, c.stop} {
		o.Resize(b)
		o.Move(fyne.NewPos(s.Width-b.Width-kit.Gap12, s.Height-b.Height-10))
	}
	a := c.attach.MinSize()
	c.attach.Resize(a)
	c.attach.Move(fyne.NewPos(s.Width-b.Width-a.Width-2*kit.Gap12, s.Height-10-(b.Height+a.Height)/2))
	right := b.Width + a.Width + 3*kit.Gap12
	c.entry.Move(fyne.NewPos(kit.Gap4, top+kit.Gap4))
	c.entry.Resize(fyne.NewSize(s.Width-right-kit.Gap4, s.Height-top-kit.Gap8))
	c.fitHint()
	h := c.hint.MinSize().Height
	c.hint.Move(fyne.NewPos(kit.Gap12, s.Height-h-6))
	c.hint.Resize(fyne.NewSize(s.Width-right-kit.Gap12, h))
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

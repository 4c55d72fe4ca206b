package cpuwindow

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem/transcript"
)

// Editing a message where it stands: it is sent again on a branch of its own. The
// earlier version, and all that followed it, stay in the transcript.

// editRow is a message, or a proposed memory, being edited.
type editRow struct {
	widget.BaseWidget
	bg      *kit.Surface
	entry   *kit.Field
	words   *kit.Prose
	buttons *fyne.Container
	rows    int
}

const editRowsMax = 14

func newEditRow(text, words, send string, onSend func(string), onCancel func()) *editRow {
	keys := newMessageField()
	r := &editRow{bg: kit.NewSurface(kit.RoleCard, kit.RoleAccent, kit.RadiusBubble), entry: keys.Field, rows: 1}
	r.words = kit.NewProse([]kit.Run{{Text: words}}, kit.SizeSmall, kit.RoleMuted)
	submit := func() {
		if t := strings.TrimSpace(r.entry.Text); t != "" {
			onSend(t)
		}
	}
	keys.onSend, keys.onEscape, keys.onScroll = submit, onCancel, r.entry.Entry.TypedKey
	r.entry.SetText(text)
	r.entry.OnChanged = func(string) { r.fit(r.Size().Width) }
	r.buttons = kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonPrimary, send, submit), kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), onCancel))
	r.ExtendBaseWidget(r)
	return r
}

// fit gives the field as many rows as its text has; it reports a change by a
// new height in the chat.
func (r *editRow) fit(width float32) {
	text := r.entry.Text
	n := editRowsMax
	if len(text) < fitBytes {
		p := kit.NewProse([]kit.Run{{Text: text}}, kit.SizeText, kit.RoleText)
		n = int(p.Measure(max(80, width-2*kit.Gap12-2*kit.Gap8)) / p.Leading)
	}
	if n = min(max(n, 1), editRowsMax); n == r.rows {
		return
	}
	r.rows = n
	r.entry.SetMinRowsVisible(n)
	kit.HostOf(r).Remeasure(r)
}

func (r *editRow) Measure(width float32) float32 {
	r.fit(width)
	return kit.Gap8 + r.entry.MinSize().Height + r.words.Measure(width-2*kit.Gap12) + kit.Gap8 + r.buttons.MinSize().Height + kit.Gap12
}

// CreateRenderer implements fyne.Widget.
func (r *editRow) CreateRenderer() fyne.WidgetRenderer {
	return &editRowRenderer{r, []fyne.CanvasObject{r.bg, r.entry, r.words, r.buttons}}
}

type editRowRenderer struct {
	r       *editRow
	objects []fyne.CanvasObject
}

func (x *editRowRenderer) Layout(s fyne.Size) {
	r := x.r
	r.bg.Resize(s)
	b := r.buttons.MinSize()
	y := s.Height - kit.Gap12 - b.Height
	r.buttons.Move(fyne.NewPos(kit.Gap12, y))
	r.buttons.Resize(b)
	h := r.words.Measure(s.Width - 2*kit.Gap12)
	y -= kit.Gap8 + h
	r.words.Move(fyne.NewPos(kit.Gap12, y))
	r.words.Resize(fyne.NewSize(s.Width-2*kit.Gap12, h))
	r.entry.Move(fyne.NewPos(kit.Gap4, kit.Gap4))
	r.entry.Resize(fyne.NewSize(s.Width-2*kit.Gap4, y-kit.Gap4))
}

func (x *editRowRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (x *editRowRenderer) Objects() []fyne.CanvasObject { return x.objects }
func (x *editRowRenderer) Destroy()                     {}
func (x *editRowRenderer) Refresh() {
	x.Layout(x.r.Size())
	for _, o := range x.objects {
		o.Refresh()
	}
	canvas.Refresh(x.r)
}

// buildUser is a message of the user's, or the field it is edited in.
func (c *chatView) buildUser(b *builtEntry, e *conversation.EntryView, editing bool) {
	key, block := e.Key, e.Block
	if editing && !c.reading {
		row := newEditRow(e.Text, c.editWords(block), i18n.T("Send again"), func(text string) {
			c.expanded[key] = false
			c.act.editMessage(block, text)
		}, func() { c.toggle(key); c.act.focusComposer() })
		b.rows = []*kit.Placed{{Row: row, Gap: kit.Gap16}}
		c.act.startEdit(row)
		return
	}
	actions, group := c.userActions(e)
	b.rows = c.userRows(e, actions, group)
	if e.Edited {
		b.rows = append(b.rows, &kit.Placed{Row: newRightRow(kit.NewButton(kit.ButtonQuiet, i18n.T("edited · the earlier version is kept in the transcript"), c.act.openTranscript)), Gap: kit.Gap4})
	}
}

// editWords says what sending the edited message means.
func (c *chatView) editWords(block string) string {
	after := 0
	found := false
	for i := range c.last.Entries {
		e := &c.last.Entries[i]
		if found && (e.Kind == conversation.User || e.Kind == conversation.Head) {
			after++
		}
		found = found || e.Kind == conversation.User && e.Block == block
	}
	if after <= 1 {
		return i18n.T("The earlier version stays in the transcript.")
	}
	return i18n.With("The earlier version and the {{.Messages}} after it leave the conversation. They stay in the transcript.", i18n.Places{"Messages": i18n.Count("{{.N}} messages", after)})
}

// newRightRow is a row at the right edge.
func newRightRow(o fyne.CanvasObject) *kit.BoxRow {
	return kit.NewBoxRow(kit.Line(0, 0, kit.Spacer(1), o))
}

// editMessage sends a message again with other words, in its place.
func (w *Window) editMessage(block, text string) {
	c := w.shown
	if c.Busy() {
		w.tell(i18n.T("This message can be sent when the answer is done"), i18n.T("Stop it (Esc) to send it now."))
		return
	}
	files := c.BeginEdit(block, text, time.Now())
	req := agents.Request{Session: c.Name, Edit: block, Text: transcript.WithLinks(text, files...), Holder: holder}
	c.TakeChosen(&req)
	w.start(c, req)
	w.chat.port.ToEnd()
	w.focusComposer()
}

// editLast opens the newest message for editing.
func (w *Window) editLast() {
	if key := w.shown.LastEditable(); key != "" && !w.chat.expanded[key] {
		w.chat.toggle(key)
	}
}

// turnedBack reads a conversation again whose branch was not begun: what is on disk
// is what counts, the error stays below it.
func (w *Window) turnedBack(c *conversation.Conversation) {
	t, err := w.parts.sessions.Load(w.ctx, c.Name)
	if err != nil {
		return // the error card says what was to be sent
	}
	c.FillBelowError(t)
}

// startEdit gives the focus to a field that is on the screen a moment later, all of
// it in sight.
func (w *Window) startEdit(r *editRow) {
	w.p.Do(func() {
		w.chat.port.RevealRow(r)
		w.win.Canvas().Focus(r.entry)
		r.entry.CursorRow = strings.Count(r.entry.Text, "\n")
		r.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
	})
}

package cpuwindow

import (
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
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
func (c *chatView) buildUser(b *builtEntry, e *entryView, editing bool) {
	key, block := e.key, e.block
	if editing && !c.reading {
		row := newEditRow(e.text, c.editWords(block), i18n.T("Send again"), func(text string) {
			c.expanded[key] = false
			c.act.editMessage(block, text)
		}, func() { c.toggle(key); c.act.focusComposer() })
		b.rows = []*kit.Placed{{Row: row, Gap: kit.Gap16}}
		c.act.startEdit(row)
		return
	}
	actions, group := c.userActions(e)
	b.rows = c.userRows(e, actions, group)
	if e.edited {
		b.rows = append(b.rows, &kit.Placed{Row: newRightRow(kit.NewButton(kit.ButtonQuiet, i18n.T("edited · the earlier version is kept in the transcript"), c.act.openTranscript)), Gap: kit.Gap4})
	}
}

// editWords says what sending the edited message means.
func (c *chatView) editWords(block string) string {
	after := 0
	found := false
	for i := range c.last.entries {
		e := &c.last.entries[i]
		if found && (e.kind == entryUser || e.kind == entryHead) {
			after++
		}
		found = found || e.kind == entryUser && e.block == block
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
	if c.busy() {
		w.tell(i18n.T("This message can be sent when the answer is done"), i18n.T("Stop it (Esc) to send it now."))
		return
	}
	files := c.beginEdit(block, text, time.Now())
	req := agents.Request{Session: c.name, Edit: block, Text: sessionmem.WithLinks(text, files...), Holder: holder}
	c.takeChosen(&req)
	w.start(c, req)
	w.chat.port.ToEnd()
	w.focusComposer()
}

// editLast opens the newest message for editing.
func (w *Window) editLast() {
	c := w.shown
	c.mu.Lock()
	key := ""
	for _, e := range slices.Backward(c.entries) {
		if e.kind == entryUser && e.block != "" && c.run == nil {
			key = e.key
			break
		}
	}
	c.mu.Unlock()
	if key != "" && !w.chat.expanded[key] {
		w.chat.toggle(key)
	}
}

// beginEdit puts an edited message in the place of the one before, and takes away
// what followed that. The files of the earlier version go along: it gives them.
func (c *conversation) beginEdit(block, text string, now time.Time) (files []sessionmem.Attachment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.entries, func(e *entry) bool { return e.kind == entryUser && e.block == block })
	if at < 0 {
		at = len(c.entries)
	}
	if at < len(c.entries) {
		files = c.entries[at].files
	}
	c.entries = c.entries[:at]
	c.add(&entry{kind: entryUser, text: text, files: files, at: now, edited: true})
	c.startClock(text, "", now)
	c.editing = block
	return files
}

// messagesAfter counts the messages on the screen after one of the user's.
func (c *conversation) messagesAfter(block string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, found := 0, false
	for _, e := range c.entries {
		if found && (e.kind == entryUser || e.kind == entryHead) {
			n++
		}
		found = found || e.kind == entryUser && e.block == block
	}
	return n
}

// branches finds what a transcript says of branches: messages that stand in the
// place of another one, and messages that were answered again.
func branches(blocks []sessionmem.Block) (edited, again map[string]bool) {
	edited, again = map[string]bool{}, map[string]bool{}
	for i, b := range blocks {
		if b.Kind != sessionmem.KindNote || b.Note != sessionmem.NoteRewind {
			continue
		}
		switch {
		case b.Parent != "":
			again[b.Parent] = true
		case i+1 < len(blocks) && blocks[i+1].Kind == sessionmem.KindUser:
			edited[blocks[i+1].ID] = true
		}
	}
	return edited, again
}

// turnedBack reads a conversation again whose branch was not begun: what is on disk
// is what counts, the error stays below it.
func (w *Window) turnedBack(c *conversation) {
	t, err := w.parts.sessions.Load(w.ctx, c.name)
	if err != nil {
		return // the error card says what was to be sent
	}
	c.mu.Lock()
	var last *entry
	if n := len(c.entries); n > 0 && c.entries[n-1].kind == entryError {
		last = c.entries[n-1]
	}
	c.mu.Unlock()
	c.fill(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.entries); last != nil && (n == 0 || c.entries[n-1].kind != entryError) {
		c.entries = append(c.entries, last)
	}
}

// wasTurnedBack reports, once, whether a branch's run failed.
func (c *conversation) wasTurnedBack() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.turnedBack
	c.turnedBack = false
	return was
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

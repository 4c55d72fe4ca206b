package cpuwindow

import (
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// Messages written while an answer arrives wait for it. They are sent one after
// the other, each when the answer before it is done; Stop and errors hold them back
// until the user says so. They belong to their session, whichever is shown.

// sendQueued goes on with what waits in a conversation whose turn has ended.
func (w *Window) sendQueued(c *conversation.Conversation) {
	q, ok := c.NextQueued()
	w.keepDrafts()
	if ok {
		w.convs[c.Name] = c
		w.sendTo(c, q.Text, q.Files)
	}
	w.painter.changed(c)
}

// sendTo starts a turn of any conversation. Who reads further up stays there.
func (w *Window) sendTo(c *conversation.Conversation, text string, files []conversation.File) {
	req := agents.Request{Session: c.Name, Text: text, Holder: holder, CanAsk: true}
	c.SendFiles(files)
	c.AddTo(&req, files)
	c.TakeChosen(&req)
	c.Begin(text, time.Now(), conversation.Attachments(files)...)
	w.follow(c, w.parts.turns.Start(w.ctx, req))
	if c == w.shown {
		w.compose.setBusy(true)
	}
	w.painter.changed(c)
}

// sendNow sends a message that waits: at once, or as soon as the answer under way
// is stopped, which keeps what has arrived of it.
func (w *Window) sendNow(id int) {
	c := w.shown
	if c.Busy() {
		c.ToFront(id)
		w.stop()
		return
	}
	if q, ok := c.Unqueue(id); ok {
		w.keepDrafts()
		w.sendTo(c, q.Text, q.Files)
		w.chat.port.ToEnd()
	}
}

// editQueued brings a message that waits back into the composer; what is written
// there waits in its place.
func (w *Window) editQueued(id int) {
	c := w.shown
	q, ok := c.Unqueue(id)
	if !ok {
		return
	}
	if written := strings.TrimSpace(w.compose.entry.Text); written != "" || len(c.Attached()) > 0 {
		c.Enqueue(written, c.Attached())
	}
	c.KeepDraft(q.Text)
	c.Attach(q.Files)
	w.compose.setText(q.Text)
	w.compose.setFiles(q.Files)
	w.keepDrafts()
	w.painter.changed(c)
	w.focusComposer()
}

// dropQueued takes a message away.
func (w *Window) dropQueued(id int) {
	w.shown.Unqueue(id)
	w.keepDrafts()
	w.painter.changed(w.shown)
	w.focusComposer()
}

// queueBar is what waits, above the composer.
type queueBar struct {
	box    *fyne.Container
	rows   []conversation.Queued
	held   bool
	edit   func(id int)
	drop   func(id int)
	send   func(id int)
	resize func()
}

// queueShown is how many messages are shown; more are counted.
const queueShown = 4

func newQueueBar(edit, drop, send func(id int), resize func()) *queueBar {
	q := &queueBar{box: kit.Stack(kit.Gap4), edit: edit, drop: drop, send: send, resize: resize}
	q.box.Hide()
	return q
}

// show draws the queue, where it changed.
func (q *queueBar) show(rows []conversation.Queued, held bool) {
	same := func(a, b conversation.Queued) bool { return a.Id == b.Id && a.Text == b.Text }
	if slices.EqualFunc(rows, q.rows, same) && held == q.held {
		return
	}
	q.rows, q.held = rows, held
	q.box.Objects = nil
	for i, r := range rows {
		if i == queueShown {
			q.box.Add(kit.Small(i18n.With("and {{.More}}", i18n.Places{"More": i18n.Count("{{.N}} more messages", len(rows)-i)})))
			break
		}
		q.box.Add(q.row(r, i == 0))
	}
	q.box.Hidden = len(rows) == 0
	q.box.Refresh()
	q.resize()
}

func (q *queueBar) row(r conversation.Queued, first bool) fyne.CanvasObject {
	state := i18n.T("waits")
	switch {
	case q.held:
		state = i18n.T("held back")
	case first:
		state = i18n.T("next")
	}
	text := strings.Join(strings.Fields(i18n.Shorten(r.Text, 400)), " ")
	if len(r.Files) > 0 {
		text = strings.TrimPrefix(text+" · "+conversation.Names(conversation.Attachments(r.Files)), " · ")
	}
	words := kit.Muted(text).Squeezable()
	content := kit.Line(kit.Gap12, 1, kit.Small(state), words,
		kit.NewButton(kit.ButtonQuiet, i18n.T("Edit"), func() { q.edit(r.Id) }),
		kit.NewButton(kit.ButtonQuiet, i18n.T("Delete"), func() { q.drop(r.Id) }),
		kit.NewButton(kit.ButtonLink, i18n.T("Send now"), func() { q.send(r.Id) }))
	return container.NewStack(kit.NewSurface(kit.RolePanel, kit.RoleLine, kit.RadiusRow), kit.Inset(kit.Gap4, kit.Gap4, kit.Gap12, kit.Gap12, content))
}

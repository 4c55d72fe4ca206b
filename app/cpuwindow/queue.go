package cpuwindow

import (
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// Messages written while an answer arrives wait for it. They are sent one after
// the other, each when the answer before it is done; Stop and errors hold them back
// until the user says so. They belong to their session, whichever is shown.

// queued is a message that waits.
type queued struct {
	id    int
	text  string
	files []pending // go with it; UI goroutine alone
}

// enqueue puts a message behind the answer that is under way.
func (c *conversation) enqueue(text string, files []pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queueSeq++
	c.queue = append(c.queue, queued{c.queueSeq, text, files})
	c.held = false
}

// unqueue takes a message out of the queue.
func (c *conversation) unqueue(id int) (q queued, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.queue, func(q queued) bool { return q.id == id })
	if at < 0 {
		return queued{}, false
	}
	q = c.queue[at]
	c.queue = slices.Delete(slices.Clone(c.queue), at, at+1)
	return q, true
}

// toFront makes a message the next one, and lets it go on its own.
func (c *conversation) toFront(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.queue, func(q queued) bool { return q.id == id })
	if at < 0 {
		return
	}
	first := c.queue[at]
	c.queue = slices.Insert(slices.Delete(slices.Clone(c.queue), at, at+1), 0, first)
	c.now = true
}

// nextQueued takes the message to send after a turn that ended well, or that was
// stopped for it; ok is false where none is to be sent.
func (c *conversation) nextQueued() (q queued, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = len(c.queue) > 0 && !c.now && !c.endedWell
	if c.run != nil || len(c.queue) == 0 || c.held {
		return queued{}, false
	}
	c.now = false
	q = c.queue[0]
	c.queue = slices.Clone(c.queue[1:])
	return q, true
}

// sendQueued goes on with what waits in a conversation whose turn has ended.
func (w *Window) sendQueued(c *conversation) {
	q, ok := c.nextQueued()
	w.keepDrafts()
	if ok {
		w.convs[c.name] = c
		w.sendTo(c, q.text, q.files)
	}
	w.painter.changed(c)
}

// sendTo starts a turn of any conversation. Who reads further up stays there.
func (w *Window) sendTo(c *conversation, text string, files []pending) {
	req := agents.Request{Session: c.name, Text: text, Holder: holder, CanAsk: true}
	c.sentFiles = files
	c.bring(&req, files)
	c.takeChosen(&req)
	c.begin(text, time.Now(), filesOf(files)...)
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
	if c.busy() {
		c.toFront(id)
		w.stop()
		return
	}
	if q, ok := c.unqueue(id); ok {
		w.keepDrafts()
		w.sendTo(c, q.text, q.files)
		w.chat.port.ToEnd()
	}
}

// editQueued brings a message that waits back into the composer; what is written
// there waits in its place.
func (w *Window) editQueued(id int) {
	c := w.shown
	q, ok := c.unqueue(id)
	if !ok {
		return
	}
	if written := strings.TrimSpace(w.compose.entry.Text); written != "" || len(c.attached) > 0 {
		c.enqueue(written, c.attached)
	}
	c.draft, c.attached = q.text, q.files
	w.compose.setText(q.text)
	w.compose.setFiles(q.files)
	w.keepDrafts()
	w.painter.changed(c)
	w.focusComposer()
}

// dropQueued takes a message away.
func (w *Window) dropQueued(id int) {
	w.shown.unqueue(id)
	w.keepDrafts()
	w.painter.changed(w.shown)
	w.focusComposer()
}

// queueBar is what waits, above the composer.
type queueBar struct {
	box    *fyne.Container
	rows   []queued
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
func (q *queueBar) show(rows []queued, held bool) {
	same := func(a, b queued) bool { return a.id == b.id && a.text == b.text }
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

func (q *queueBar) row(r queued, first bool) fyne.CanvasObject {
	state := i18n.T("waits")
	switch {
	case q.held:
		state = i18n.T("held back")
	case first:
		state = i18n.T("next")
	}
	text := strings.Join(strings.Fields(i18n.Shorten(r.text, 400)), " ")
	if len(r.files) > 0 {
		text = strings.TrimPrefix(text+" · "+namesOf(filesOf(r.files)), " · ")
	}
	words := kit.Muted(text).Squeezable()
	content := kit.Line(kit.Gap12, 1, kit.Small(state), words,
		kit.NewButton(kit.ButtonQuiet, i18n.T("Edit"), func() { q.edit(r.id) }),
		kit.NewButton(kit.ButtonQuiet, i18n.T("Delete"), func() { q.drop(r.id) }),
		kit.NewButton(kit.ButtonLink, i18n.T("Send now"), func() { q.send(r.id) }))
	return container.NewStack(kit.NewSurface(kit.RolePanel, kit.RoleLine, kit.RadiusRow), kit.Inset(kit.Gap4, kit.Gap4, kit.Gap12, kit.Gap12, content))
}

package cpuwindow

import (
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
)

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
	address(w, &req)
	c.AddTo(&req, files)
	c.TakeChosen(&req)
	c.Begin(text, time.Now(), conversation.Attachments(files)...)
	w.follow(c, w.parts.turns.Start(w.ctx, req))
	if c == w.shown {
		w.compose.SetBusy(true)
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
		w.chat.Port.ToEnd()
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
	if written := strings.TrimSpace(w.compose.Entry.Text); written != "" || len(c.Attached()) > 0 {
		c.Enqueue(written, c.Attached())
	}
	c.KeepDraft(q.Text)
	c.Attach(q.Files)
	w.compose.SetText(q.Text)
	w.compose.SetFiles(q.Files)
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

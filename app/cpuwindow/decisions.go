package cpuwindow

import (
	"context"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/memory"
)

// decide accepts or discards a proposal.
func (w *Window) decide(key, id string, save bool) {
	c := w.shown
	go func() {
		undoID, err := "", error(nil)
		if save {
			written, acceptErr := w.parts.memories.Accept(w.ctx, id)
			undoID, err = written.UndoID, acceptErr
		} else {
			_, err = w.parts.memories.Discard(w.ctx, id)
		}
		c.Decided(key, save, undoID, err)
		w.painter.changed(c)
	}()
}

// saveEdited changes a proposal's text and accepts it.
func (w *Window) saveEdited(key, id, text string) {
	c := w.shown
	go func() {
		undoID := ""
		_, err := w.parts.memories.Edit(w.ctx, id, text)
		if err == nil {
			c.Reword(key, text)
			var written memory.Written
			written, err = w.parts.memories.Accept(w.ctx, id)
			undoID = written.UndoID
		}
		c.Decided(key, true, undoID, err)
		w.painter.changed(c)
	}()
}

// openInbox opens the proposals in the user's editor.
func (w *Window) openInbox() { w.openFile(w.parts.memories.InboxPath()) }

// answerQuestion answers a question of the shown conversation's run.
func (w *Window) answerQuestion(id string, answer agents.Answer) {
	w.shown.Answer(id, answer)
}

// asks tells of a question that waits while nobody looks.
func (w *Window) asks(c *conversation.Conversation) {
	looked := w.focused.Load() && w.target.Load() == c
	if w.p.Notify == nil || w.parts.config().Session.NotifyAfter <= 0 || looked || c.Private() || w.parts.keeper.IsPrivate(c.Name) {
		return
	}
	about := ""
	if title := c.Title(); title != "" {
		about = "“" + i18n.Shorten(title, 60) + "”: "
	}
	w.p.Notify("mac-stats", i18n.With("{{.About}}a question waits for your answer", i18n.Places{"About": about}), func() {
		w.Show()
		w.OpenSession(c.Name)
	})
}

// lookRemoved shows or takes away that line.
func (w *Window) lookRemoved(c *conversation.Conversation) {
	if c.Private() {
		return
	}
	removed, err := w.parts.library.Removed(w.ctx, c.Name)
	if err != nil {
		return // what can't be read is told of where the transcript is read
	}
	c.ShowRemoved(removed)
}

// lookWaiting shows what a conversation proposed to remember and nobody decided yet, and
// what it remembered and can be taken back.
func (w *Window) lookWaiting(c *conversation.Conversation) {
	if waiting, err := w.parts.memories.Inbox(); err == nil { // else the Memory page says why
		c.AddWaiting(waiting)
	}
	c.AddWritten(w.parts.memories.Undoable())
}

// decideRemoved puts back what was removed from the shown conversation, or agrees.
func (w *Window) decideRemoved(restore bool) {
	c := w.shown
	what, decide := i18n.T("Keep removed"), w.parts.library.KeepRemoved
	if restore {
		what, decide = i18n.T("Restore"), w.parts.library.Restore
	}
	w.do(what, func(ctx context.Context) error {
		_, err := decide(ctx, c.Name)
		return err
	}, func() {
		if w.shown == c {
			w.reloadShown()
		}
	})
}

// saveUnkept saves what the user has written there, for all agents.
func (w *Window) saveUnkept(key, text string) {
	c := w.shown
	go func() {
		written, err := w.parts.memories.Append(w.ctx, memory.Lesson{
			Text: text, Target: memory.Target{Kind: memory.TargetGlobal}, Confidence: 1, Session: c.Name,
		})
		c.KeptAfterAll(key, text, written, err)
		w.painter.changed(c)
	}()
}

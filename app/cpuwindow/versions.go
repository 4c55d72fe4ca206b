package cpuwindow

import (
	"context"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/header"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// useVersion lets the conversation go on with another version of a message.
func (w *Window) useVersion(id string, back bool) {
	c := w.shown
	if c.Busy() {
		w.tell(i18n.T("Another version can be shown when the answer is done"), i18n.T("Stop it (Esc) to go there now."))
		return
	}
	_, byKey := w.win.Canvas().Focused().(*kit.Button)
	w.do(i18n.T("Showing another version"), func(ctx context.Context) error {
		if err := w.parts.library.UseVersion(ctx, c.Name, id); err != nil {
			return err
		}
		t, err := w.parts.sessions.Load(ctx, c.Name)
		if err == nil {
			c.Refill(t)
			w.lookWaiting(c)
		}
		return err
	}, func() {
		if w.shown != c {
			return
		}
		v := c.View(time.Now())
		w.chat.Port.Still(func() { w.drawConversation(v) })
		if byKey {
			w.chat.FocusVersion(w.win.Canvas(), id, back)
		}
	})
}

// takeVersions reads what a branch that was begun is another version of.
func (w *Window) takeVersions(c *conversation.Conversation) {
	if t, err := w.parts.sessions.Load(w.ctx, c.Name); err == nil { // else it is told when it is read next
		c.TakeVersions(t)
		w.painter.changed(c)
	}
}

// answerWith has a message answered anew by a model to choose.
func (w *Window) answerWith(block string, below fyne.CanvasObject) {
	kit.ShowMenu(header.ModelMenu(w.setup.Models(), w.shown.Chosen().Model, func(model string) {
		w.againAfterAsking(block, func() { w.useModel(model, conversation.Fault{UserID: block}) })
	}), below, w.win.Canvas())
}

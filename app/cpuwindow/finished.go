package cpuwindow

import (
	"time"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
)

// A slow answer that is finished while nobody looks is told by a notification of the
// desktop: with the conversation's title, never with a word of what was said in it.

// watchFocus follows whether a window of the app has the keyboard.
func (w *Window) watchFocus() {
	life := w.p.App.Lifecycle()
	life.SetOnEnteredForeground(func() { w.focused.Store(true) })
	life.SetOnExitedForeground(func() { w.focused.Store(false) })
}

// finished tells the end of a run, from the goroutine that followed it.
func (w *Window) finished(c *conversation.Conversation, took time.Duration, last agents.Event) {
	after := w.parts.config().Session.NotifyAfter
	looked := w.focused.Load() && w.target.Load() != nil
	if w.p.Notify == nil || after <= 0 || took < after || looked || w.ctx.Err() != nil {
		return
	}
	if c.Private() || w.parts.keeper.IsPrivate(c.Name) {
		return
	}
	body := finishedWords(c.Title(), last)
	if body == "" {
		return
	}
	w.p.Notify("mac-stats", body, func() {
		w.Show()
		w.OpenSession(c.Name)
	})
}

// finishedWords is the notification of how a run ended; "" for one that the user
// stopped.
func finishedWords(title string, last agents.Event) string {
	about := ""
	if title != "" {
		about = "“" + i18n.Shorten(title, 60) + "”: "
	}
	switch {
	case last.Type == agents.EventDone:
		return i18n.With("{{.About}}the answer is ready", i18n.Places{"About": about})
	case last.Type == agents.EventError && last.Kind != agents.KindCancelled:
		return i18n.With("{{.About}}there is no answer, something went wrong", i18n.Places{"About": about})
	}
	return ""
}

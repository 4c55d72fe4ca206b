package chats

import (
	"time"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
)

// A desktop notification announces a slow answer that finished while nobody was watching, and
// a question that waits. It names the conversation's title and never quotes its content.

// notifyFinished announces the end of a run. The goroutine that followed the run calls it.
func (c *Chats) notifyFinished(conv *conversation.Conversation, took time.Duration, last agents.Event) {
	watched := c.focused.Load() && c.seen.Load() != nil
	if took >= c.parts.Config().Session.NotifyAfter && !watched && c.host.Context().Err() == nil {
		c.notify(conv, finishedWords(about(conv), last))
	}
}

// finishedWords returns the text that announces how a run ended, or "" if the user stopped it.
func finishedWords(about string, last agents.Event) string {
	switch {
	case last.Type == agents.EventDone:
		return i18n.With("{{.About}}the answer is ready", i18n.Places{"About": about})
	case last.Type == agents.EventError && last.Kind != fault.KindCancelled:
		return i18n.With("{{.About}}no answer: something went wrong", i18n.Places{"About": about})
	}
	return ""
}

// notifyQuestion announces a question that waits while nobody is watching.
func (c *Chats) notifyQuestion(conv *conversation.Conversation) {
	if watched := c.focused.Load() && c.seen.Load() == conv; !watched {
		c.notify(conv, i18n.With("{{.About}}a question waits for your answer", i18n.Places{"About": about(conv)}))
	}
}

func about(conv *conversation.Conversation) string {
	if title := conv.Title(); title != "" {
		return "“" + i18n.Shorten(title, 60) + "”: "
	}
	return ""
}

// notify sends a notification about a conversation unless that is private. A click on it shows
// the conversation.
func (c *Chats) notify(conv *conversation.Conversation, body string) {
	if body == "" || c.parts.Notify == nil || c.parts.Config().Session.NotifyAfter <= 0 || c.IsPrivate(conv) {
		return
	}
	c.parts.Notify("mac-stats", body, func() { c.host.ShowSession(conv.Name) })
}

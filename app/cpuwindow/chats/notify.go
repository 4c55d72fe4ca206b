package chats

import (
	"time"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
)

// A slow answer that is finished while nobody looks, and a question that waits, are told by
// a notification of the desktop: with the conversation's title, never with a word of what
// was said in it.

// finished tells the end of a run, from the goroutine that followed it.
func (c *Chats) finished(conv *conversation.Conversation, took time.Duration, last agents.Event) {
	looked := c.focused.Load() && c.seen.Load() != nil
	if took >= c.parts.Config().Session.NotifyAfter && !looked && c.host.Context().Err() == nil {
		c.notify(conv, finishedWords(about(conv), last))
	}
}

// finishedWords is the notification of how a run ended; "" for one that the user
// stopped.
func finishedWords(about string, last agents.Event) string {
	switch {
	case last.Type == agents.EventDone:
		return i18n.With("{{.About}}the answer is ready", i18n.Places{"About": about})
	case last.Type == agents.EventError && last.Kind != fault.KindCancelled:
		return i18n.With("{{.About}}no answer: something went wrong", i18n.Places{"About": about})
	}
	return ""
}

// asks tells of a question that waits while nobody looks.
func (c *Chats) asks(conv *conversation.Conversation) {
	if looked := c.focused.Load() && c.seen.Load() == conv; !looked {
		c.notify(conv, i18n.With("{{.About}}a question waits for your answer", i18n.Places{"About": about(conv)}))
	}
}

func about(conv *conversation.Conversation) string {
	if title := conv.Title(); title != "" {
		return "“" + i18n.Shorten(title, 60) + "”: "
	}
	return ""
}

// notify notifies of a conversation, unless it is private; pressing it shows it.
func (c *Chats) notify(conv *conversation.Conversation, body string) {
	if body == "" || c.parts.Notify == nil || c.parts.Config().Session.NotifyAfter <= 0 || c.IsPrivate(conv) {
		return
	}
	c.parts.Notify("mac-stats", body, func() { c.host.ShowSession(conv.Name) })
}

package cpuwindow

import (
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
)

// A private chat is in memory alone: no transcript, draft, attachment, lesson or
// notification comes of it, and it is gone when mac-stats ends.

func queueHint() string {
	return i18n.T("Write the next message. It is sent when this answer is done; Esc stops the answer.")
}

func privateHint() string { return i18n.T("Private: nothing is saved.") }

// NewPrivateChat starts a private chat and focuses the composer; one that is still
// empty is kept.
func (w *Window) NewPrivateChat() {
	if c := w.shown; c == nil || !c.Private() || !c.Empty() {
		w.setShown(w.privateConversation())
	}
	w.showChat()
}

func (w *Window) privateConversation() *conversation.Conversation {
	name := w.parts.sessions.NewName("cpu")
	w.parts.keeper.SetPrivate(name)
	return conversation.NewPrivate(name)
}

// markPrivate shows what kind of chat it is.
func (w *Window) markPrivate(c *conversation.Conversation) {
	hint := compose.AskHint()
	switch {
	case c.Busy():
		hint = queueHint()
	case c.Private():
		hint = privateHint()
	}
	w.compose.Ask(hint)
	w.head.SetPrivate(c.Private() && w.page == pageChat)
}

// explainPrivate says what private means.
func (w *Window) explainPrivate() {
	w.tell(i18n.T("This chat is private: it is never saved and disappears when you quit"), i18n.T("No transcript, memory or attachment is saved. Press New chat to start one that is kept."))
}

// privateGreeting is what an empty private chat shows.
func privateGreeting() []*column.Placed {
	return []*column.Placed{
		{Row: column.NewBoxRow(kit.Title(i18n.T("A private chat"))), Gap: kit.Gap20},
		column.TextRow(i18n.T("Nothing is saved: no transcript, draft, attachment or memory, and no notification. This chat disappears when you quit."), kit.RoleMuted, kit.Gap4),
	}
}

// offerPrivate is the way to one from an empty chat.
func (w *Window) offerPrivate() *column.Placed {
	b := kit.NewButton(kit.ButtonQuiet, i18n.T("Private chat: nothing is saved"), w.NewPrivateChat)
	b.Trailing = shortcuts.First(w.parts.config(), "new_private_chat")
	return &column.Placed{Row: column.NewBoxRow(kit.Line(0, -1, b)), Gap: kit.Gap16}
}

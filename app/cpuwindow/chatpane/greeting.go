package chatpane

import (
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
)

// A private chat exists in memory only. It leaves no transcript, draft, attachment, lesson or
// notification, and disappears when mac-stats quits.

func queueHint() string {
	return i18n.T("Write the next message. It is sent when this answer is done; Esc stops the answer.")
}

func privateHint() string { return i18n.T("Private: nothing is saved.") }

// explainPrivate explains what private means.
func (p *Pane) explainPrivate() {
	p.host.Notify(i18n.T("This chat is private: it is never saved and disappears when you quit"), i18n.T("No transcript, memory or attachment is saved. Press New chat to start one that is saved."))
}

// greeting returns the rows of an empty chat.
func (p *Pane) greeting() []*column.Placed {
	if p.Chats.Shown().Private() {
		return privateGreeting()
	}
	rows := []*column.Placed{
		{Row: column.NewBoxRow(kit.Title(i18n.T("What shall we look at?"))), Gap: kit.Gap20},
		column.TextRow(i18n.T("Answers come from models on this machine. The conversation is kept as a text file you can open, edit and search."), kit.RoleMuted, kit.Gap4),
	}
	for _, q := range []string{i18n.T("What is using my CPU right now?"), i18n.T("How much disk space is left?"), i18n.T("Remember that I like short answers.")} {
		ask := kit.NewButton(kit.ButtonPlain, q, func() { p.Send(q) })
		rows = append(rows, &column.Placed{Row: column.NewBoxRow(kit.Line(0, -1, ask)), Gap: kit.Gap8})
	}
	private := kit.NewButton(kit.ButtonQuiet, i18n.T("Private chat: nothing is saved"), p.NewPrivateChat)
	private.Trailing = shortcuts.First(p.parts.Config(), "new_private_chat")
	return append(rows, &column.Placed{Row: column.NewBoxRow(kit.Line(0, -1, private)), Gap: kit.Gap16})
}

// privateGreeting returns the rows of an empty private chat.
func privateGreeting() []*column.Placed {
	return []*column.Placed{
		{Row: column.NewBoxRow(kit.Title(i18n.T("A private chat"))), Gap: kit.Gap20},
		column.TextRow(i18n.T("Nothing is saved: no transcript, draft, attachment or memory, and no notification. This chat disappears when you quit."), kit.RoleMuted, kit.Gap4),
	}
}

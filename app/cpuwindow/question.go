package cpuwindow

import (
	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// A turn that needs a yes asks in the chat and waits: the row says exactly what would be
// sent, and to whom.

// questionRows are a question that waits: the exact address, whole, and the decision.
func (c *chatView) questionRows(e *conversation.EntryView) []*kit.Placed {
	id := e.QuestionID
	words := kit.NewProse([]kit.Run{{Text: e.Text}, {Text: "\n\n"}, {Text: e.Address, Mono: true}}, kit.SizeText, kit.RoleText)
	buttons := kit.Line(kit.Gap8, -1,
		kit.NewButton(kit.ButtonPlain, i18n.T("Fetch once"), func() { c.act.answer(id, agents.AnswerOnce) }),
		kit.NewButton(kit.ButtonPlain, i18n.T("Don't fetch"), func() { c.act.answer(id, agents.AnswerNo) }),
	)
	return []*kit.Placed{
		{Row: kit.NewFramed(words, kit.RolePanel, kit.RoleLine, kit.RadiusCard, kit.Gap12, kit.Gap8), Gap: kit.Gap8, Max: kit.ProseMax},
		{Row: kit.NewBoxRow(buttons), Gap: kit.Gap4},
	}
}

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

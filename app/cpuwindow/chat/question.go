package chat

import (
	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// A turn that needs a yes asks in the chat and waits: the row says exactly what would be
// sent, and to whom.

// questionRows are a question that waits: the exact address, whole, and the decision.
func (c *View) questionRows(e *conversation.EntryView) []*kit.Placed {
	id := e.QuestionID
	words := kit.NewProse([]kit.Run{{Text: e.Text}, {Text: "\n\n"}, {Text: e.Address, Mono: true}}, kit.SizeText, kit.RoleText)
	buttons := kit.Line(kit.Gap8, -1,
		kit.NewButton(kit.ButtonPlain, i18n.T("Fetch once"), func() { c.Act.Answer(id, agents.AnswerOnce) }),
		kit.NewButton(kit.ButtonPlain, i18n.T("Don't fetch"), func() { c.Act.Answer(id, agents.AnswerNo) }),
	)
	return []*kit.Placed{
		{Row: kit.NewFramed(words, kit.RolePanel, kit.RoleLine, kit.RadiusCard, kit.Gap12, kit.Gap8), Gap: kit.Gap8, Max: kit.ProseMax},
		{Row: kit.NewBoxRow(buttons), Gap: kit.Gap4},
	}
}

package chat

import (
	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// A turn that needs a yes asks in the chat and waits: the row says exactly what would run
// or be sent, and where.

// questionRows are a question that waits: what it is about, whole, and the decision.
func (c *View) questionRows(e *conversation.EntryView) []*kit.Placed {
	q := e.Question
	runs := []kit.Run{{Text: e.Text}, {Text: "\n\n"}, {Text: q.What, Mono: true}, {Text: "\n"}}
	fact := func(words, about string) {
		if about != "" {
			runs = append(runs, kit.Run{Text: "\n" + words + " " + about, Role: kit.RoleMuted})
		}
	}
	fact(i18n.T("Where:"), q.Where)
	fact(i18n.T("Reads:"), i18n.T(q.Reads))
	fact(i18n.T("Writes:"), i18n.T(q.Writes))
	fact(i18n.T("Sends:"), i18n.T(q.Sends))
	var buttons []fyne.CanvasObject
	for i, answer := range q.Answers {
		kind := kit.ButtonPlain
		if i == 0 && answer == agents.AnswerNever {
			kind = kit.ButtonPrimary
		}
		buttons = append(buttons, kit.NewButton(kind, answerWords(answer), func() { c.Act.Answer(q.ID, answer) }))
		if answer == agents.AnswerAlways {
			fact(i18n.T("“Always” covers:"), coversWords(q))
		}
	}
	return []*kit.Placed{
		{Row: kit.NewFramed(kit.NewProse(runs, kit.SizeText, kit.RoleText), kit.RolePanel, kit.RoleLine, kit.RadiusCard, kit.Gap12, kit.Gap8), Gap: kit.Gap8, Max: kit.ProseMax},
		{Row: kit.NewFlowRow(kit.Gap8, buttons...), Gap: kit.Gap4, Max: kit.ProseMax},
	}
}

// Texts are what tools that ask say of themselves, and what questions show in the
// reader's language.
func Texts() []string {
	return []string{
		"a public web page", "the address, to its host",
		"files of this machine", "files in that folder", "any file that you can write", "whatever it sends",
		"what that program can read", "what that program can write", "the arguments, to that program",
		"what that server can read", "what that server can write", "the arguments, to that server",
	}
}

func answerWords(a agents.Answer) string {
	switch a {
	case agents.AnswerOnce:
		return i18n.T("Allow once")
	case agents.AnswerChat:
		return i18n.T("Allow in this chat")
	case agents.AnswerAlways:
		return i18n.T("Always allow")
	case agents.AnswerNever:
		return i18n.T("Never allow")
	}
	return i18n.T("Don't allow")
}

// coversWords say what an answer that lasts is about.
func coversWords(q *agents.Question) string {
	places := i18n.Places{"Agent": q.Agent, "Tool": q.Tool, "Covers": q.Covers}
	if q.Covers != "" {
		return i18n.With("{{.Tool}} with {{.Covers}} and any arguments, by the agent {{.Agent}}. Where a chat holds text of others, you are asked all the same.", places)
	}
	return i18n.With("{{.Tool}} with any arguments, by the agent {{.Agent}}. Where a chat holds text of others, you are asked all the same.", places)
}

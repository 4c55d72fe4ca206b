package cpuwindow

import (
	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// A turn that needs a yes asks in the chat and waits: the row says exactly what would be
// sent, and to whom.

// applyQuestion puts a question on the screen, or takes its answer.
func (c *conversation) applyQuestion(ev agents.Event) {
	q := ev.Question
	if q == nil {
		return
	}
	e := c.inTurn(func(e *entry) bool { return e.kind == entryNote && e.questionID == q.ID })
	if e == nil {
		e = c.add(&entry{kind: entryNote, at: ev.Time, questionID: q.ID, address: q.Address})
	}
	e.rev++
	e.asking = q.Answer == ""
	switch q.Answer {
	case "":
		e.text = i18n.With("The agent wants to read an address of {{.Host}} that you didn't type. This chat holds text that others wrote: it may have made the address up to send something of yours away.", i18n.Places{"Host": q.Host})
	case agents.AnswerOnce:
		e.text = i18n.With("you allowed once: {{.Address}}", i18n.Places{"Address": q.Address})
	default:
		e.text = i18n.With("not read: {{.Address}}", i18n.Places{"Address": q.Address})
	}
}

// questionRows are a question that waits: the exact address, whole, and the decision.
func (c *chatView) questionRows(e *entryView) []*kit.Placed {
	id := e.questionID
	words := kit.NewProse([]kit.Run{{Text: e.text}, {Text: "\n\n"}, {Text: e.address, Mono: true}}, kit.SizeText, kit.RoleText)
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
	w.shown.mu.Lock()
	run := w.shown.run
	w.shown.mu.Unlock()
	if run != nil {
		run.Answer(id, answer) // the run tells what came of it
	}
}

// asks tells of a question that waits while nobody looks.
func (w *Window) asks(c *conversation) {
	looked := w.focused.Load() && w.target.Load() == c
	if w.p.Notify == nil || w.parts.config().Session.NotifyAfter <= 0 || looked || c.private || w.parts.keeper.IsPrivate(c.name) {
		return
	}
	about := ""
	if title := c.titleNow(); title != "" {
		about = "“" + i18n.Shorten(title, 60) + "”: "
	}
	w.p.Notify("mac-stats", i18n.With("{{.About}}a question waits for your answer", i18n.Places{"About": about}), func() {
		w.Show()
		w.OpenSession(c.name)
	})
}

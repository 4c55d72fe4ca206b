package cpuwindow

import (
	"mac-stats/agents"
	"mac-stats/app/i18n"
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
func (c *chatView) questionRows(e *entryView) []*placed {
	id := e.questionID
	words := newProse([]run{{text: e.text}, {text: "\n\n"}, {text: e.address, mono: true}}, sizeText, roleText)
	buttons := line(gap8, -1,
		newButton(buttonPlain, i18n.T("Fetch once"), func() { c.act.answer(id, agents.AnswerOnce) }),
		newButton(buttonPlain, i18n.T("Don't fetch"), func() { c.act.answer(id, agents.AnswerNo) }),
	)
	return []*placed{
		{row: newFramed(words, rolePanel, roleLine, radiusCard, gap12, gap8), gap: gap8, max: proseMax},
		{row: newBoxRow(buttons), gap: gap4},
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
		about = "“" + shorten(title, 60) + "”: "
	}
	w.p.Notify("mac-stats", i18n.With("{{.About}}a question waits for your answer", i18n.Places{"About": about}), func() {
		w.Show()
		w.OpenSession(c.name)
	})
}

package conversation

import (
	"slices"

	"mac-stats/agents"
	"mac-stats/agents/tools"
	"mac-stats/app/i18n"
)

// applyQuestion shows a question, or applies its answer.
func (t *turn) applyQuestion(ev agents.Event) {
	q := ev.Question
	if q == nil {
		return
	}
	e := t.log.inTurn(func(e *entry) bool { return e.Kind == Note && e.Question != nil && e.Question.ID == q.ID })
	if e == nil {
		e = t.log.add(&entry{Kind: Note, At: ev.Time, note: note{Question: q}})
	}
	e.Rev++
	e.Asking = q.Answer == ""
	if call := t.log.inTurn(func(e *entry) bool { return e.Kind == Call && e.CallID == q.ID }); call != nil {
		call.Asking = e.Asking
		call.Rev++
	}
	places := i18n.Places{"Agent": q.Agent, "Tool": q.Tool, "What": i18n.Shorten(q.What, 200), "Where": q.Where}
	switch q.Answer {
	case "":
		e.Text = questionWords(q, places)
	case agents.AnswerOnce:
		e.Text = i18n.With("you allowed once: {{.What}}", places)
	case agents.AnswerChat:
		e.Text = i18n.With("you allowed {{.Tool}} in this chat: {{.What}}", places)
	case agents.AnswerAlways:
		e.Text = i18n.With("you allowed {{.Tool}} for good: {{.What}}", places)
	case agents.AnswerNever:
		e.Text = i18n.With("never again: {{.What}}", places)
	case agents.AnswerLate:
		e.Text = i18n.With("nobody answered in time, so it was not done: {{.What}}", places)
	default:
		e.Text = i18n.With("not done: {{.What}}", places)
	}
}

// HasQuestion reports whether a question waits for the user's answer.
func (t *turn) HasQuestion() bool {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	return t.running.Busy() && slices.ContainsFunc(t.log.entries, func(e *entry) bool { return e.Asking })
}

// questionWords describes which agent wants what, and why the user is asked.
func questionWords(q *agents.Question, places i18n.Places) string {
	switch q.Tool {
	case tools.FetchURL:
		return i18n.With("The agent wants to read an address of {{.Where}} that you didn't type. This chat contains text that others wrote, which may use the address to send your data away.", places)
	case tools.RunCmd:
		return i18n.With("The agent {{.Agent}} wants to run a command.", places) + whyWords(q.Why)
	}
	return i18n.With("The agent {{.Agent}} wants to use {{.Tool}}, a tool of another program.", places) + whyWords(q.Why)
}

func whyWords(why string) string {
	switch why {
	case agents.WhyStrangers:
		return " " + i18n.T("This chat contains text that others wrote, which may have made the agent ask for this.")
	case agents.WhyChanged:
		return " " + i18n.T("The tool's description has changed since you allowed it.")
	}
	return ""
}

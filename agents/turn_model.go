package agents

import (
	"context"
	"errors"
	"strings"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

// noteLimit is a Note that says why the turn had to come to an end, or what was
// missing from it; Text says it.
const noteLimit = "limit"

// ask calls the model and decides what its reply leads to.
func (t *turn) ask(ctx context.Context) (phase, error) {
	r, err := t.talk.ask(ctx)
	t.reply = r
	switch {
	case errors.Is(err, ollama.ErrContextOverflow) && t.mayShrink():
		return (*turn).shrink, nil
	case err != nil:
		return nil, errors.Join(err, t.keepPartial(ctx))
	case r.cut && t.mayShrink():
		return (*turn).shrink, nil
	case r.cut:
		return t.next(r), t.tellLimit(ctx, "The server left out a part of the request: the answer may miss something.")
	}
	return t.next(r), nil
}

// next is the phase that a reply leads to.
func (t *turn) next(r reply) phase {
	switch {
	case len(r.calls) > 0:
		return (*turn).runTools
	case len(t.talk.tools) == 0 || t.talk.final || r.ended != "" && r.ended != "stop":
		return (*turn).answer
	}
	if miss, ok := prompt.FindMiss(r.raw); ok && !t.corrected {
		t.corrected = true
		return t.sayAgain("nothing ran: the reply was no proper tool call; the model is told the form", t.formFor(miss))
	}
	if !t.nudged && prompt.OnlyAnnounces(r.prose) {
		t.nudged = true
		return t.sayAgain("the model announced a step and took none; it is asked to take it", t.engine.guides.Nudge)
	}
	return (*turn).answer
}

// mayShrink reports whether the one retry after an overflow is left and there is
// something to leave out.
func (t *turn) mayShrink() bool {
	return !t.shrunk && t.talk.history > 0
}

// shrink makes the request shorter, once: by a Summary where there is a
// compactor, else by leaving out the older half of the history.
func (t *turn) shrink(ctx context.Context) (phase, error) {
	t.shrunk = true
	if err := t.keepRound(ctx, t.reply); err != nil {
		return nil, err
	}
	if numCtx, err := t.engine.p.Models.NumCtx(ctx, t.model.Name); err == nil && numCtx > 0 && t.chosen.Context == 0 {
		t.numCtx, t.talk.numCtx, t.talk.budget = numCtx, numCtx, prompt.NewBudget(numCtx) // the server may have told less
	}
	if t.compactOverflow(ctx) {
		return (*turn).build, nil
	}
	t.tellCut(prompt.ContextCut{Messages: t.talk.drop((t.talk.history + 1) / 2)})
	return (*turn).ask, nil
}

// sayAgain is the phase that tells the model something about its reply and asks again.
// Nothing of the reply runs.
func (t *turn) sayAgain(state, words string) phase {
	return func(t *turn, ctx context.Context) (phase, error) {
		if err := t.keepRound(ctx, t.reply); err != nil {
			return nil, err
		}
		t.state(StateReading, state)
		t.talk.heard(t.reply)
		t.talk.say(words)
		return (*turn).ask, nil
	}
}

// formFor says how the call that was missed is written.
func (t *turn) formFor(miss prompt.Miss) string {
	var forms []string
	name, _ := tools.Resolve(miss.Name, nil)
	for _, tool := range t.talk.tools {
		doc := tool.Doc()
		if name == "" || doc.Name == name {
			forms = append(forms, doc.Usage)
		}
	}
	form := strings.Join(forms, "\n")
	if t.talk.native {
		form = "a tool call, not text: " + strings.Join(strings.Fields(strings.Join(forms, " or ")), " ")
	}
	return strings.NewReplacer("{{line}}", miss.Line, "{{form}}", form).Replace(t.engine.guides.NearMiss)
}

// runTools runs what the reply asks for.
func (t *turn) runTools(ctx context.Context) (phase, error) {
	if err := t.keepRound(ctx, t.reply); err != nil {
		return nil, err
	}
	if err := t.talk.runCalls(ctx, t.reply); err != nil {
		return nil, err
	}
	return (*turn).ask, nil
}

// keepRound keeps an intermediate reply: as an Agent block, shown, uncounted, not
// sent in later turns. Directives are not in it; each is kept with its result.
func (t *turn) keepRound(ctx context.Context, r reply) error {
	if err := t.keepThought(ctx, r); err != nil {
		return err
	}
	if strings.TrimSpace(r.prose) == "" {
		r.draft.Discard()
		return nil
	}
	b := transcript.Block{Kind: transcript.KindAgent, Agent: t.agent.Slug, Model: t.model.Name, Parent: t.user.ID, Text: r.prose}
	if _, err := r.draft.Commit(context.WithoutCancel(ctx), t.talk.said(b)); err != nil {
		return &saveError{what: "A part of the answer", answer: r.prose, err: err}
	}
	return nil
}

// keepPartial keeps what had arrived of an answer that broke off.
func (t *turn) keepPartial(ctx context.Context) error {
	if strings.TrimSpace(t.reply.prose) == "" {
		t.reply.draft.Discard()
		return nil
	}
	t.result.Stopped = true
	return t.keepAnswer(ctx)
}

// keepAnswer appends the reply as the turn's answer.
func (t *turn) keepAnswer(ctx context.Context) error {
	if err := t.keepThought(ctx, t.reply); err != nil {
		return err
	}
	t.result.Text, t.result.AnswerID = t.reply.prose, t.reply.draft.ID()
	b, err := t.reply.draft.Commit(context.WithoutCancel(ctx), t.talk.said(transcript.Block{
		Kind: transcript.KindAssistant, Agent: t.agent.Slug, Model: t.model.Name, Parent: t.user.ID, Text: t.reply.prose,
		Attrs: usageAttrs(memoryAttrs(t.memoryRead()), t.talk.usage),
	}).WithRecalled(t.used))
	if err != nil {
		return &saveError{what: "The answer", answer: t.reply.prose, err: err}
	}
	t.result.Text = b.Text
	return nil
}

// answer ends the turn with the reply.
func (t *turn) answer(ctx context.Context) (phase, error) {
	if strings.TrimSpace(t.reply.prose) == "" {
		t.reply.draft.Discard()
		return nil, &emptyError{model: t.model.Name}
	}
	if err := t.keepAnswer(ctx); err != nil {
		return nil, err
	}
	if why := t.cutShort(); why != "" {
		t.tell(Event{Type: EventState, State: StateTool, Detail: why, Warning: true, GoOn: true})
		note := transcript.Block{Note: noteLimit, Parent: t.user.ID, Text: why, Attrs: map[string]string{attrGoOn: "yes"}}
		if err := t.note(ctx, note); err != nil {
			return nil, err
		}
	}
	t.last = Event{
		Type: EventDone, Block: t.result.AnswerID, Round: t.talk.rounds,
		Agent: t.agent.Slug, Model: t.model.Name, Text: t.result.Text, Read: t.memoryRead(), Recalled: notesOf(t.used),
		Unkept: !t.remembered && claimsToRemember(t.result.Text),
	}
	return nil, nil
}

// attrGoOn marks the Note of an answer that was cut short: see CanGoOn.
const attrGoOn = "go-on"

// CanGoOn reports whether a Note tells of an answer that a message could go on with.
func CanGoOn(note transcript.Block) bool { return note.Attrs[attrGoOn] != "" }

// cutShort says why the answer ends before its end; "" where it doesn't.
func (t *turn) cutShort() string {
	switch t.reply.ended {
	case "length":
		return "The answer ends here because the context of " + t.model.Name + " is full."
	case endLoop:
		return "The answer began to repeat itself and was stopped; the repetition is left out."
	case endTime:
		return "The answer was stopped after " + t.settings.AnswerTime.String() + " (ollama.answer_time)."
	case endThought:
		return t.model.Name + " thought too long and was stopped."
	}
	return ""
}

// tellLimit tells the user what ended early, now and in the transcript.
func (t *turn) tellLimit(ctx context.Context, why string) error {
	t.warn(StateTool, why)
	return t.note(ctx, transcript.Block{Note: noteLimit, Parent: t.user.ID, Text: why})
}

// fail ends the turn with an error: a Note in the transcript, where the user's
// message is in it, and the terminal event.
func (t *turn) fail(ctx context.Context, err error) error {
	why := Explain(err)
	if t.lock != nil && t.user.ID != "" {
		note := transcript.Block{Note: transcript.NoteError, Parent: t.user.ID, Text: why.Sentence}
		if why.Kind == KindCancelled {
			note.Note, note.Text = transcript.NoteInterrupted, ""
		}
		if t.result.AnswerID != "" {
			note.Attrs = map[string]string{"block": t.result.AnswerID}
		}
		if noteErr := t.note(ctx, note); noteErr != nil {
			t.engine.log.Warn("the transcript doesn't say that the turn failed", "session", t.req.Session, "err", noteErr)
		}
	}
	t.last = Event{
		Type: EventError, Kind: why.Kind, Text: why.Sentence, Detail: why.Next, Err: err,
		Block: t.result.AnswerID, Agent: t.result.Agent, Model: t.result.Model,
	}
	if t.last.Block == "" {
		t.last.Block = t.user.ID
	}
	var save *saveError
	if errors.As(err, &save) && save.answer != "" {
		t.last.Text += "\n\n" + save.answer // it is nowhere else
	}
	return err
}

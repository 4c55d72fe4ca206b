package agents

import (
	"context"
	"errors"
	"strings"

	"mac-stats/agents/fault"
	"mac-stats/sessionmem/transcript"
)

// keepPartial writes what had arrived of an interrupted answer.
func (t *turn) keepPartial(ctx context.Context) error {
	if strings.TrimSpace(t.reply.text) == "" {
		t.reply.draft.Discard()
		return errors.Join(t.dialogue.keepThought(ctx, t.reply), t.dialogue.keepUnrun(ctx, t.reply))
	}
	t.result.Stopped = true
	return errors.Join(t.dialogue.keepUnrun(ctx, t.reply), t.keepAnswer(ctx))
}

// keepAnswer appends the reply as the turn's answer.
func (t *turn) keepAnswer(ctx context.Context) error {
	if err := t.dialogue.keepThought(ctx, t.reply); err != nil {
		return err
	}
	t.result.Text, t.result.AnswerID = t.reply.text, t.reply.draft.ID()
	b, err := t.reply.draft.Commit(context.WithoutCancel(ctx), t.dialogue.withSources(transcript.Block{
		Kind: transcript.KindAssistant, Agent: t.agent.Slug, Model: t.model.Name, Parent: t.message.ID, Text: t.reply.text,
		Attrs: t.answerAttrs(),
	}).WithRecalled(t.used))
	if err != nil {
		return &fault.Save{What: "The answer", Answer: t.reply.text, Err: err}
	}
	t.result.Text = b.Text
	return nil
}

// answerAttrs returns what the answer's block tells about its request.
func (t *turn) answerAttrs() map[string]string {
	attrs := usageAttrs(memoryAttrs(t.dialogue.memoryRead()), t.dialogue.usage)
	if attrs == nil {
		attrs = map[string]string{}
	}
	t.dialogue.began.attrs(attrs)
	if first := t.dialogue.first; first != nil && first.NewTokens > 0 {
		attrs[attrRead] = readAttr(first, t.dialogue.why)
	}
	if len(t.offered) > 0 {
		attrs[attrTools] = strings.Join(t.offered, " ")
	}
	return attrs
}

// answer ends the turn with the reply.
func (t *turn) answer(ctx context.Context) (phase, error) {
	if strings.TrimSpace(t.reply.text) == "" {
		t.reply.draft.Discard()
		if err := t.dialogue.keepThought(ctx, t.reply); err != nil {
			return nil, err
		}
		return nil, t.dialogue.empty(t.reply)
	}
	if err := t.keepAnswer(ctx); err != nil {
		return nil, err
	}
	if cut := t.cutShort(t.reply, t.dialogue.usage); cut != nil {
		t.emitForMessage(Event{Type: EventState, State: StateTool, Detail: cut.words(), Warning: true, GoOn: true, CutShort: cut})
		if err := t.note(ctx, cut.note(t.message.ID)); err != nil {
			return nil, err
		}
	}
	t.last = Event{
		Type: EventDone, Block: t.result.AnswerID, Round: t.dialogue.rounds,
		Agent: t.agent.Slug, Model: t.model.Name, Text: t.result.Text, Made: Made{
			Read: t.dialogue.memoryRead(), Recalled: notesOf(t.used),
		},
	}
	return nil, nil
}

// fail ends the turn with an error: it writes a Note, if the user's message is in the
// transcript, and sets the terminal event.
func (t *turn) fail(ctx context.Context, err error) error {
	why := fault.Explain(err)
	if t.lock != nil && t.message.ID != "" {
		note := transcript.Block{Note: transcript.NoteError, Parent: t.message.ID, Text: why.Sentence}
		if why.Kind == fault.KindCancelled {
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
		t.last.Block = t.message.ID
	}
	var save *fault.Save
	if errors.As(err, &save) && save.Answer != "" {
		t.last.Text += "\n\n" + save.Answer // it exists nowhere else
	}
	return err
}

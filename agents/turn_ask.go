package agents

import (
	"context"
	"errors"

	"mac-stats/agents/ollama"
	"mac-stats/agents/prompt"
)

// ask calls the model and chooses the next phase.
func (t *turn) ask(ctx context.Context) (phase, error) {
	r, err := t.dialogue.ask(ctx)
	t.reply = r
	switch {
	case errors.Is(err, ollama.ErrContextOverflow) && t.mayShrink():
		return (*turn).shrink, nil
	case err != nil:
		return nil, errors.Join(err, t.keepPartial(ctx))
	case r.cut && t.mayShrink():
		return (*turn).shrink, nil
	case r.cut:
		return t.next(r), t.limit(ctx, "The server left out a part of the request: the answer may miss something.")
	}
	return t.next(r), nil
}

// next returns the phase that follows a reply.
func (t *turn) next(r response) phase {
	switch {
	case len(r.calls) > 0:
		return (*turn).runTools
	case len(t.dialogue.window.Tools) == 0 || t.dialogue.window.Final || r.ended != "" && r.ended != "stop":
		return (*turn).answer
	}
	if !t.nudged && prompt.OnlyAnnounces(r.text) {
		t.nudged = true
		return (*turn).nudge
	}
	return (*turn).answer
}

// mayShrink reports whether the one retry after an overflow remains and there is
// something to leave out.
func (t *turn) mayShrink() bool {
	return !t.shrunk && t.dialogue.window.History > 0
}

// shrink makes the request shorter, once: with a Summary if there is a compactor,
// otherwise by leaving out the older half of the history.
func (t *turn) shrink(ctx context.Context) (phase, error) {
	t.shrunk = true
	_, err := t.dialogue.keep(ctx, t.reply)
	if err := errors.Join(err, t.dialogue.keepUnrun(ctx, t.reply)); err != nil {
		return nil, err
	}
	if numCtx, err := t.engine.p.Models.NumCtx(ctx, t.model.Name); err == nil && numCtx > 0 && t.chosen.Context == 0 {
		t.numCtx, t.dialogue.numCtx, t.dialogue.window.Budget = numCtx, numCtx, prompt.NewBudget(numCtx) // the server may have reported a smaller context
	}
	if t.compactOverflow(ctx) {
		return (*turn).build, nil
	}
	t.cut(prompt.ContextCut{Messages: t.dialogue.window.Drop((t.dialogue.window.History + 1) / 2)})
	return (*turn).ask, nil
}

// nudge asks the model to take the step that it announced.
func (t *turn) nudge(ctx context.Context) (phase, error) {
	if _, err := t.dialogue.keep(ctx, t.reply); err != nil {
		return nil, err
	}
	t.state(StateReading, "the model announced a step and took none; it is asked to take it")
	t.dialogue.addReply(t.reply)
	t.dialogue.window.Say(t.engine.guides.Nudge)
	return (*turn).ask, nil
}

// runTools runs the calls of the reply.
func (t *turn) runTools(ctx context.Context) (phase, error) {
	if _, err := t.dialogue.keep(ctx, t.reply); err != nil {
		return nil, err
	}
	if err := t.dialogue.runCalls(ctx, t.reply); err != nil {
		return nil, err
	}
	return (*turn).ask, nil
}

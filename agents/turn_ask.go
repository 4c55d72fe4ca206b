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
		return t.next(r), t.report.limit(ctx, "The server left out a part of the request: the answer may miss something.")
	}
	return t.next(r), nil
}

// next returns the phase that follows a reply.
func (t *turn) next(r reply) phase {
	switch {
	case len(r.calls) > 0:
		return (*turn).runTools
	case len(t.dialogue.window.Tools) == 0 || t.dialogue.window.Final || r.ended != "" && r.ended != "stop":
		return (*turn).answer
	}
	if miss, ok := prompt.FindMiss(r.raw); ok && !t.corrected {
		t.corrected = true
		return askAgain("nothing ran: the reply was no proper tool call; the model is told the form", t.dialogue.correction(miss))
	}
	if !t.nudged && prompt.OnlyAnnounces(r.prose) {
		t.nudged = true
		return askAgain("the model announced a step and took none; it is asked to take it", t.engine.guides.Nudge)
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
	if err := t.keepRound(ctx, t.reply); err != nil {
		return nil, err
	}
	if numCtx, err := t.engine.p.Models.NumCtx(ctx, t.cast.model.Name); err == nil && numCtx > 0 && t.cast.chosen.Context == 0 {
		t.cast.numCtx, t.dialogue.numCtx, t.dialogue.window.Budget = numCtx, numCtx, prompt.NewBudget(numCtx) // the server may have reported a smaller context
	}
	if t.compactOverflow(ctx) {
		return (*turn).build, nil
	}
	t.report.cut(prompt.ContextCut{Messages: t.dialogue.window.Drop((t.dialogue.window.History + 1) / 2)})
	return (*turn).ask, nil
}

// askAgain returns a phase that replies to the model with words and asks again. Nothing
// of the model's reply runs.
func askAgain(state, words string) phase {
	return func(t *turn, ctx context.Context) (phase, error) {
		if err := t.keepRound(ctx, t.reply); err != nil {
			return nil, err
		}
		t.report.state(StateReading, state)
		t.dialogue.addReply(t.reply)
		t.dialogue.window.Say(words)
		return (*turn).ask, nil
	}
}

// runTools runs the calls of the reply.
func (t *turn) runTools(ctx context.Context) (phase, error) {
	if err := t.keepRound(ctx, t.reply); err != nil {
		return nil, err
	}
	if err := t.dialogue.runCalls(ctx, t.reply); err != nil {
		return nil, err
	}
	return (*turn).ask, nil
}

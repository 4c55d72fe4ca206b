package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mac-stats/agents/fault"
	"mac-stats/sessionmem/transcript"
)

// build builds the request: system prompt, Summary, history, the user's message.
func (t *turn) build(ctx context.Context) (phase, error) {
	message := &t.message
	if err := t.checkVision(ctx, *message); err != nil {
		return nil, err
	}
	if err := t.dialogue.checkRoom(*message); err != nil {
		var tooLong *fault.TooLong
		if errors.As(err, &tooLong) {
			tooLong.Sent = t.shrunk // the server refused it before
		}
		if len(message.Recalled()) == 0 {
			return nil, err
		}
		line, _, _ := strings.Cut(message.Context, "\n") // the message is more important than the notes
		if message.Context = line; !strings.HasPrefix(line, "[") {
			message.Context = "" // the notes came first
		}
		t.dialogue.contents.Forget(message.ID)
		if err := t.dialogue.checkRoom(*message); err != nil {
			return nil, err
		}
	}
	window, err := t.engine.p.Store.Context(context.WithoutCancel(ctx), t.req.Session)
	if err != nil {
		return nil, fmt.Errorf("reading the conversation: %w", err)
	}
	if err := t.holdSources(ctx, window.Messages); err != nil {
		return nil, err
	}
	t.dialogue.fill(window)
	return (*turn).ask, nil
}

// holdSources records the sources of the request's text, and the addresses that the user
// typed.
func (t *turn) holdSources(ctx context.Context, messages []transcript.Block) error {
	t.may.Hold(t.message.Sources(t.req.Session))
	if t.req.Place != nil {
		t.may.Hold(transcript.FromDiscord)
		t.may.UserTyped(t.message.Text) // here "the user" is the author of this message
		return nil
	}
	if t.engine.p.Compactor == nil { // otherwise compactFirst has done this
		snap, err := t.engine.p.Store.Session(t.req.Session).Summaries().Snapshot(context.WithoutCancel(ctx), t.message.ID)
		if err != nil {
			return fmt.Errorf("reading the conversation: %w", err)
		}
		t.may.Hold(snap.Sources(OwnTools()))
	}
	for _, b := range append(slices.Clone(messages), t.message) {
		if b.Kind == transcript.KindUser && b.TextSources(t.req.Session).Typed() {
			t.may.UserTyped(transcript.WithoutAttachments(b.Text))
		}
	}
	return nil
}

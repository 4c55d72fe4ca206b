package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mac-stats/sessionmem/transcript"
)

// build makes the request: system prompt, Summary, history, the user's message.
func (t *turn) build(ctx context.Context) (phase, error) {
	message := &t.out.message
	if err := t.who.mustSee(ctx, *message); err != nil {
		return nil, err
	}
	if err := t.assembly.checkRoom(*message); err != nil {
		if len(message.Recalled()) == 0 {
			return nil, err
		}
		line, _, _ := strings.Cut(message.Context, "\n") // the message goes first
		if message.Context = line; !strings.HasPrefix(line, "[") {
			message.Context = "" // it began with the notes
		}
		t.assembly.contents.Forget(message.ID)
		if err := t.assembly.checkRoom(*message); err != nil {
			return nil, err
		}
	}
	window, err := t.engine.p.Store.Context(context.WithoutCancel(ctx), t.req.Session)
	if err != nil {
		return nil, fmt.Errorf("reading the conversation: %w", err)
	}
	if err := t.hold(ctx, window.Messages); err != nil {
		return nil, err
	}
	t.assembly.fill(window)
	return (*turn).ask, nil
}

// hold notes where the text that the request is made of came from, and which addresses
// the user typed.
func (t *turn) hold(ctx context.Context, messages []transcript.Block) error {
	t.may.Hold(t.out.message.Sources(t.req.Session))
	if t.req.Place != nil {
		t.may.Hold(transcript.FromDiscord)
		t.may.UserTyped(t.out.message.Text) // there "the user" is who wrote this message
		return nil
	}
	if t.engine.p.Compactor == nil { // else it was looked at when it might have been summarised
		snap, err := t.engine.p.Store.Session(t.req.Session).Summaries().Snapshot(context.WithoutCancel(ctx), t.out.message.ID)
		if err != nil {
			return fmt.Errorf("reading the conversation: %w", err)
		}
		t.may.Hold(snap.Sources(OwnTools()))
	}
	for _, b := range append(slices.Clone(messages), t.out.message) {
		if b.Kind == transcript.KindUser && b.TextSources(t.req.Session).Typed() {
			t.may.UserTyped(transcript.WithoutAttachments(b.Text))
		}
	}
	return nil
}

package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mac-stats/agents/fault"
	"mac-stats/agents/prompt"
	"mac-stats/sessionmem/transcript"
)

// measureFrom is the size in raw tokens from which a message is compared with the
// model's context before it is written. Shorter messages are written at once.
const measureFrom = 256

// write writes the user's message to disk before any model is called. It refuses a
// message that can't fit the model's context, so that it doesn't crowd out later turns,
// but writes it if the server can't be reached.
func (t *turn) write(ctx context.Context) (phase, error) {
	text := transcript.Block{Kind: transcript.KindUser, Text: t.req.Text}.Normalized().Text
	if strings.TrimSpace(text) == "" && len(t.req.Files) == 0 {
		return nil, fmt.Errorf("%w: the message is empty", fault.ErrRequest)
	}
	if rest, anew := t.engine.p.Registry.BeginsAnew(text); anew && t.req.Place == nil && t.req.Edit == "" && len(t.req.Files) == 0 {
		if err := t.engine.p.Store.Reset(context.WithoutCancel(ctx), t.req.Session); err != nil {
			return nil, fault.Saving("The end of the earlier conversation", err)
		}
		text = rest
	}
	linked, err := t.req.linked(text)
	if err != nil {
		return nil, err
	}
	notes := t.passages.LookUp(ctx, text)
	b := t.message(linked, notes)
	if transcript.EstimateTokens(text) > measureFrom || len(b.Attachments()) > 0 {
		t.report.state(StateReading, "looking at the message")
		err := t.measure(ctx, &b)
		if errors.Is(err, fault.ErrTooLong) && len(notes) > 0 { // the message is more important than the notes
			notes = nil
			b = t.message(linked, nil)
			err = t.measure(ctx, &b)
		}
		if err != nil {
			return nil, err
		}
	}
	to := delivery{t.engine.p.Store, t.req}
	if b.Text, err = to.keepFiles(context.WithoutCancel(ctx), text); err != nil {
		return nil, err
	}
	user, err := to.save(context.WithoutCancel(ctx), b)
	if err != nil {
		return nil, err
	}
	t.setUser(user)
	if len(notes) > 0 {
		t.passages.Use(notes)
		t.report.emit(Event{Type: EventRecalled, Block: user.ID, Made: Made{Recalled: notesOf(notes)}})
	}
	for _, u := range t.engine.p.Store.Sessions().Refused() {
		if u.Session == t.req.Session {
			t.report.warn(StateReading, fault.ExplainWaiting(u).Sentence)
		}
	}
	return (*turn).choose, nil
}

// message returns the user's message as it is written, with its context and attributes.
func (t *turn) message(text string, notes []transcript.Quotation) transcript.Block {
	vitals := t.engine.p.Vitals
	if t.req.Place != nil {
		vitals = nil // strangers don't learn about the machine
	}
	b := transcript.Block{Kind: transcript.KindUser, Text: text, Context: strings.TrimLeft(prompt.ContextFor(text, time.Now(), vitals)+t.passages.Quoted(notes), "\n")}
	from := t.req.From
	if p := t.req.Place; p != nil {
		b.Attrs = p.attrs(t.req.uploads())
		from |= transcript.FromDiscord
	} else {
		b.Attrs = t.req.address()
	}
	return b.WithSources(from).WithRecalled(notes)
}

func (t *turn) setUser(user transcript.Block) {
	t.report.message = user.Normalized()
	t.result.UserID = t.report.message.ID
	t.report.state(StateReading, "")
}

// measure returns an error for a message that doesn't fit, or whose files the model
// can't use.
func (t *turn) measure(ctx context.Context, b *transcript.Block) error {
	t.image = hasImage(*b)
	if _, err := t.choose(ctx); err != nil {
		t.dialogue = nil
		return nil //nolint:nilerr // the choose phase gets the same error, with the message safe on disk
	}
	if err := t.cast.checkVision(ctx, *b); err != nil {
		return err
	}
	if err := t.assembly.limitFiles(b); err != nil {
		return err
	}
	return t.assembly.checkRoom(*b)
}

// reopen answers a User block again. If it already has an answer, a rewind Note starts a
// branch there; the old answer stays in the file.
func (t *turn) reopen(ctx context.Context) (phase, error) {
	user, after, err := delivery{t.engine.p.Store, t.req}.sent(ctx, t.req.Retry, "retry")
	if err != nil {
		return nil, err
	}
	t.setUser(user)
	t.image = hasImage(user)
	t.passages.Use(usedOf(user))
	t.req.Agent, t.req.Skill = cmp.Or(t.req.Agent, user.Attrs[attrTo]), cmp.Or(t.req.Skill, user.Attrs[attrSkill])
	if after != "" {
		note := transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Parent: t.report.message.ID, Text: after}
		if err := t.report.note(ctx, note); err != nil {
			return nil, err
		}
	}
	return (*turn).choose, nil
}

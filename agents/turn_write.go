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
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/session"
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
	if n := len(t.req.Files) + len(transcript.Attachments(text)); n > attach.Max {
		return nil, fmt.Errorf("%w: %d files are attached, and %d is the most for one message", fault.ErrRequest, n, attach.Max)
	}
	linked := transcript.WithLinks(text, t.req.uploads()...)
	notes := t.lookUp(ctx, text)
	b := t.newMessage(linked, notes)
	if transcript.EstimateTokens(text) > measureFrom || len(b.Attachments()) > 0 {
		t.state(StateReading, "looking at the message")
		err := t.measure(ctx, &b)
		if errors.Is(err, fault.ErrTooLong) && len(notes) > 0 { // the message is more important than the notes
			notes = nil
			b = t.newMessage(linked, nil)
			err = t.measure(ctx, &b)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := t.save(context.WithoutCancel(ctx), text, b); err != nil {
		return nil, err
	}
	if len(notes) > 0 {
		t.use(notes)
		t.emit(Event{Type: EventRecalled, Block: t.message.ID, Made: Made{Recalled: notesOf(notes)}})
	}
	for _, u := range t.engine.p.Store.Sessions().Refused() {
		if u.Session == t.req.Session {
			t.warn(StateReading, fault.ExplainWaiting(u).Sentence)
		}
	}
	return (*turn).choose, nil
}

// newMessage returns the user's message as it is written, with its context and attributes.
func (t *turn) newMessage(text string, notes []transcript.Quotation) transcript.Block {
	vitals := t.engine.p.Vitals
	if t.req.Place != nil {
		vitals = nil // strangers don't learn about the machine
	}
	b := transcript.Block{Kind: transcript.KindUser, Text: text, Context: strings.TrimLeft(prompt.ContextFor(text, time.Now(), vitals)+t.quoteNotes(notes), "\n")}
	from := t.req.From
	if p := t.req.Place; p != nil {
		b.Attrs = p.attrs(t.req.uploads())
		from |= transcript.FromDiscord
	} else {
		b.Attrs = map[string]string{}
		if t.req.Agent != "" {
			b.Attrs[attrTo] = t.req.Agent
		}
		if t.req.Skill != "" {
			b.Attrs[attrSkill] = t.req.Skill
		}
	}
	return b.WithSources(from).WithRecalled(notes)
}

// save stores the attached files and appends the user's message with links to them: at the
// end or, for an edited message, on a branch that starts in its place.
func (t *turn) save(ctx context.Context, text string, b transcript.Block) error {
	store, session := t.engine.p.Store, t.req.Session
	var files []transcript.Attachment
	for _, f := range t.req.Files {
		kept, err := store.Attach(ctx, session, f)
		if err != nil {
			return fault.Saving("The attached file", err)
		}
		files = append(files, kept)
	}
	b.Text = transcript.WithLinks(text, files...)
	blocks := []transcript.Block{b}
	if t.req.Settings != nil {
		if window, err := store.Context(ctx, session); err != nil || !window.Settings.Equal(*t.req.Settings) {
			blocks = []transcript.Block{t.req.Settings.Note(), b}
		}
	}
	var err error
	if t.req.Edit == "" {
		blocks, err = store.Session(session).Append(ctx, blocks...)
	} else {
		if _, _, err := t.sent(ctx, t.req.Edit, "edit"); err != nil {
			return err
		}
		blocks, err = store.Rewind(ctx, session, t.req.Edit, blocks...)
	}
	if err != nil {
		return fault.Saving("Your message", err)
	}
	t.setUser(blocks[len(blocks)-1])
	return nil
}

// sent returns an earlier message and the block that answered it. to is the purpose, for
// errors.
func (t *turn) sent(ctx context.Context, id, to string) (user transcript.Block, after string, err error) {
	user, after, err = t.engine.p.Store.Session(t.req.Session).Message(ctx, id)
	switch {
	case errors.Is(err, session.ErrNotFound), err == nil && user.Kind != transcript.KindUser:
		return user, "", fmt.Errorf("%w: the message to %s is no longer part of the conversation", fault.ErrRequest, to)
	case err != nil:
		return user, "", fmt.Errorf("reading the conversation: %w", err)
	}
	return user, after, nil
}

// readFile reads a file of a message, either from the request or from the store.
func (t *turn) readFile(f transcript.Attachment) ([]byte, error) {
	for _, u := range t.req.Files {
		if u.Attachment().File == f.File {
			return u.Data, nil
		}
	}
	return t.engine.p.Store.ReadAttachment(t.req.Session, f)
}

func (t *turn) setUser(user transcript.Block) {
	t.message = user.Normalized()
	t.result.UserID = t.message.ID
	t.state(StateReading, "")
}

// measure returns an error for a message that doesn't fit, or whose files the model
// can't use.
func (t *turn) measure(ctx context.Context, b *transcript.Block) error {
	t.image = hasImage(*b)
	if _, err := t.choose(ctx); err != nil {
		t.dialogue = nil
		return nil //nolint:nilerr // the choose phase gets the same error, with the message safe on disk
	}
	if err := t.checkVision(ctx, *b); err != nil {
		return err
	}
	if err := t.dialogue.limitFiles(b); err != nil {
		return err
	}
	return t.dialogue.checkRoom(*b)
}

// reopen answers a User block again. If it already has an answer, a rewind Note starts a
// branch there; the old answer stays in the file.
func (t *turn) reopen(ctx context.Context) (phase, error) {
	user, after, err := t.sent(ctx, t.req.Retry, "retry")
	if err != nil {
		return nil, err
	}
	t.setUser(user)
	t.image = hasImage(user)
	t.use(usedOf(user))
	t.req.Agent, t.req.Skill = cmp.Or(t.req.Agent, user.Attrs[attrTo]), cmp.Or(t.req.Skill, user.Attrs[attrSkill])
	if after != "" {
		note := transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Parent: t.message.ID, Text: after}
		if err := t.note(ctx, note); err != nil {
			return nil, err
		}
	}
	return (*turn).choose, nil
}

package agents

import (
	"context"
	"errors"
	"fmt"

	"mac-stats/agents/fault"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// delivery puts the user's message and its files into a session, and reads them there.
type delivery struct {
	store *sessionmem.Store
	req   Request
}

// save appends the user's message: at the end or, in the place of an edited one,
// on a branch that starts there.
func (d delivery) save(ctx context.Context, b transcript.Block) (transcript.Block, error) {
	blocks := []transcript.Block{b}
	if d.req.Settings != nil && !d.hasSettings(ctx) {
		blocks = []transcript.Block{d.req.Settings.Note(), b}
	}
	var out []transcript.Block
	var err error
	if d.req.Edit == "" {
		out, err = d.store.Session(d.req.Session).Append(ctx, blocks...)
	} else {
		if _, _, err := d.sent(ctx, d.req.Edit, "edit"); err != nil {
			return transcript.Block{}, err
		}
		out, err = d.store.Rewind(ctx, d.req.Session, d.req.Edit, blocks...)
	}
	if err != nil {
		return transcript.Block{}, fault.Saving("Your message", err)
	}
	return out[len(out)-1], nil
}

// hasSettings reports whether the transcript says already what the message chooses.
func (d delivery) hasSettings(ctx context.Context) bool {
	window, err := d.store.Context(ctx, d.req.Session)
	return err == nil && window.Settings.Equal(*d.req.Settings)
}

// sent gives a message of before, and the block that answered it; to says what for.
func (d delivery) sent(ctx context.Context, id, to string) (user transcript.Block, after string, err error) {
	user, after, err = d.store.Session(d.req.Session).Message(ctx, id)
	switch {
	case errors.Is(err, session.ErrNotFound), err == nil && user.Kind != transcript.KindUser:
		return user, "", fmt.Errorf("%w: the message to %s is no longer part of the conversation", fault.ErrRequest, to)
	case err != nil:
		return user, "", fmt.Errorf("reading the conversation: %w", err)
	}
	return user, after, nil
}

// keepFiles keeps what is attached, once the message is going to be written, and
// links it below the message's text.
func (d delivery) keepFiles(ctx context.Context, text string) (string, error) {
	var list []transcript.Attachment
	for _, u := range d.req.Files {
		a, err := d.store.Attach(ctx, d.req.Session, u)
		if err != nil {
			return "", fault.Saving("The attached file", err)
		}
		list = append(list, a)
	}
	return transcript.WithLinks(text, list...), nil
}

// readFile reads a file of a message; one that is not kept yet is at hand.
func (d delivery) readFile(f transcript.Attachment) ([]byte, error) {
	for _, u := range d.req.Files {
		if u.Attachment().File == f.File {
			return u.Data, nil
		}
	}
	return d.store.ReadAttachment(d.req.Session, f)
}

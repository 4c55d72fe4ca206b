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

// delivery writes the user's message and its files to a session, and reads them from it.
type delivery struct {
	store *sessionmem.Store
	req   Request
}

// save appends the user's message at the end or, for an edited message, on a branch that
// starts in its place.
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

// hasSettings reports whether the transcript already has the settings of the message.
func (d delivery) hasSettings(ctx context.Context) bool {
	window, err := d.store.Context(ctx, d.req.Session)
	return err == nil && window.Settings.Equal(*d.req.Settings)
}

// sent returns an earlier message and the block that answered it. to is the purpose, for
// errors.
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

// keepFiles stores the attached files and returns the text with links to them.
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

// readFile reads a file of a message, either from the request or from the store.
func (d delivery) readFile(f transcript.Attachment) ([]byte, error) {
	for _, u := range d.req.Files {
		if u.Attachment().File == f.File {
			return u.Data, nil
		}
	}
	return d.store.ReadAttachment(d.req.Session, f)
}

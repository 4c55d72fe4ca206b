package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"mac-stats/app/discord/connection"
)

const (
	// editEvery is the minimum time between two edits of a draft.
	editEvery = time.Second
	// draftAfter is how long an answer takes before a draft of it is shown.
	draftAfter = 1500 * time.Millisecond
	draftSize  = 1800
	// showTimeout is the time limit for showing a draft. The answer continues meanwhile.
	showTimeout = 10 * time.Second
	typeEvery   = 8 * time.Second // Discord shows the indicator for ten seconds
	// typeAfter is the delay of the typing indicator: faster answers need none.
	typeAfter = 500 * time.Millisecond
	fileName  = "answer.md"
)

// draft is an answer on its way into a channel: one message that is edited, and then the
// final text.
type draft struct {
	client  Client
	log     *slog.Logger
	channel string
	nonce   string
	reply   func(ctx context.Context) string // returns the message it replies to; called once, before the first part is posted
	began   time.Time
	id      string // of the message that is edited
	gone    bool   // somebody deleted it: nothing more is shown before the whole answer
	tried   bool   // it was sent and may exist although Discord didn't reply
	shown   string
	last    time.Time
	posted  []string // the IDs of all parts
}

func (an *answerer) newDraft(j *job, reply func(context.Context) string) *draft {
	return &draft{client: an.p.Client, log: an.log, channel: j.channel(), nonce: j.last().ID, reply: reply, began: time.Now()}
}

// due returns how long to wait until the next edit is allowed.
func (d *draft) due() time.Duration {
	if d.id == "" {
		return draftAfter - time.Since(d.began)
	}
	return editEvery - time.Since(d.last)
}

// show shows the unfinished answer if an edit is allowed now. A failure becomes visible at
// the end, when the whole answer is sent.
func (d *draft) show(ctx context.Context, text string) {
	text = strings.TrimSpace(text)
	if text == "" || d.gone || d.due() > 0 {
		return
	}
	if cut := cutTo(text, draftSize); cut != text {
		text = cut
	}
	text = closeFence(text) + draftSign
	if text == d.shown {
		return
	}
	d.last = time.Now()
	ctx, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	var err error
	if d.id == "" {
		d.id, err = d.client.Send(ctx, d.channel, connection.Outgoing{Text: text, Reply: d.reply(ctx), Nonce: d.nonce})
		d.tried = !connection.NotDone(err)
		d.gone = err == nil && d.id == "" // it exists, but can't be edited
	} else {
		err = d.client.Edit(ctx, d.channel, d.id, text)
	}
	if err != nil {
		d.log.Debug("a draft could not be shown", "channel", d.channel, "err", err)
		d.gone = errors.Is(err, connection.ErrGone)
		return
	}
	d.shown = text
}

// partsOf splits an answer into messages. If there are too many, file is true: the answer
// goes as a file, and parts is its beginning.
func partsOf(text string) (parts []string, file bool) {
	parts = split(text, partSize)
	switch {
	case len(parts) == 0:
		return []string{"(The answer is empty.)"}, false
	case len(parts) > maxParts:
		return []string{split(text, partSize-100)[0] + "\n\n*The whole answer is in the file.*"}, true
	}
	return parts, false
}

// finish replaces the draft with the whole answer: several messages if it is long, a file
// if it is very long.
func (d *draft) finish(ctx context.Context, text string) error {
	parts, file := partsOf(text)
	if file {
		filed, err := d.sendFile(ctx, parts[0], text)
		switch {
		case err != nil:
			d.log.Warn("a long answer could not be sent as a file: its beginning is sent", "channel", d.channel, "err", err)
			parts = beginning(text)
		case d.id == "" && !d.tried:
			d.posted = []string{filed}
			return nil
		default:
			defer func() { d.posted = append(d.posted, filed) }()
		}
	}
	for i, part := range parts {
		id, err := d.put(ctx, i, part)
		if err != nil {
			return fmt.Errorf("sending part %d of %d of an answer: %w", i+1, len(parts), err)
		}
		if id != "" {
			d.posted = append(d.posted, id)
		}
	}
	return nil
}

// sendFile sends an answer as a file. The words about it go with the file, unless they
// replace the draft afterwards.
func (d *draft) sendFile(ctx context.Context, words, text string) (id string, err error) {
	out := connection.Outgoing{Files: []connection.File{{Name: fileName, Data: []byte(text)}}, Nonce: d.nonce + "f"}
	if d.id == "" && !d.tried {
		out.Text, out.Reply, out.Nonce = words, d.reply(ctx), d.nonce
	}
	return d.client.Send(ctx, d.channel, out)
}

// beginning returns what is sent of an answer that is too long for messages if files can't
// be sent.
func beginning(text string) []string {
	parts := split(text, partSize-100)
	parts = parts[:min(maxParts, len(parts))]
	parts[len(parts)-1] += "\n\n*I can't attach files here, so the rest is left out.*"
	return parts
}

// put sends a part; the first one replaces the draft.
func (d *draft) put(ctx context.Context, i int, part string) (string, error) {
	if i == 0 && d.id != "" {
		if wait := d.due(); wait > 0 {
			if err := connection.Sleep(ctx, wait); err != nil {
				return "", err
			}
		}
		err := d.client.Edit(ctx, d.channel, d.id, part)
		if !errors.Is(err, connection.ErrGone) {
			return d.id, err
		}
	}
	out := connection.Outgoing{Text: part, Nonce: fmt.Sprintf("%s-%d", d.nonce, i)}
	if i == 0 {
		out.Reply = d.reply(ctx)
		if d.id == "" {
			out.Nonce = d.nonce // the same as the draft's: only the first of them is kept
		}
	}
	id, err := d.client.Send(ctx, d.channel, out)
	switch {
	case err != nil || i > 0 || d.id != "" || !d.tried:
	case id != "": // it may be the draft
		err = d.client.Edit(ctx, d.channel, id, part)
	default: // it may be the draft, whose ID nobody knows
		out.Nonce += "-0"
		id, err = d.client.Send(ctx, d.channel, out)
	}
	return id, err
}

// closeFence closes a code block at the end of a draft.
func closeFence(text string) string {
	open := false
	for line := range strings.SplitSeq(text, "\n") {
		if fenceOf(line) != "" {
			open = !open
		}
	}
	if open {
		return text + "\n" + fence
	}
	return text
}

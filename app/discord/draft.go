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
	// editEvery is the least time between two edits of a draft.
	editEvery = time.Second
	// draftAfter is how long an answer takes before a draft of it is shown.
	draftAfter = 1500 * time.Millisecond
	draftSize  = 1800
	typeEvery  = 8 * time.Second // Discord shows it for ten
)

// draft is an answer on its way into a channel: one message that is edited, then the
// final text.
type draft struct {
	client  Client
	log     *slog.Logger
	channel string
	nonce   string
	reply   func(ctx context.Context) string // the message it answers, asked once, when the first part goes out
	began   time.Time
	id      string // of the message that is edited
	shown   string
	last    time.Time
	posted  []string // ids of all parts
}

func (b *Bot) newDraft(j *job, reply func(context.Context) string) *draft {
	return &draft{client: b.p.Client, log: b.log, channel: j.message.Channel, nonce: j.message.ID, reply: reply, began: time.Now()}
}

// due is how long to wait until the next edit is allowed.
func (d *draft) due() time.Duration {
	if d.id == "" {
		return draftAfter - time.Since(d.began)
	}
	return editEvery - time.Since(d.last)
}

// show shows what there is of the answer, where that is allowed now. A failure shows
// itself at the end, when the whole answer is sent.
func (d *draft) show(ctx context.Context, text string) {
	text = strings.TrimSpace(text)
	if text == "" || d.due() > 0 {
		return
	}
	if cut := cutTo(text, draftSize); cut != text {
		text = cut
	}
	text = closeFence(text) + " …"
	if text == d.shown {
		return
	}
	d.last = time.Now()
	var err error
	if d.id == "" {
		d.id, err = d.client.Send(ctx, d.channel, connection.Outgoing{Text: text, Reply: d.reply(ctx), Nonce: d.nonce})
	} else {
		err = d.client.Edit(ctx, d.channel, d.id, text)
	}
	if err != nil {
		d.log.Debug("a draft could not be shown", "channel", d.channel, "err", err)
		if errors.Is(err, connection.ErrGone) {
			d.id = ""
		}
		return
	}
	d.shown = text
}

// finish puts the whole answer in the place of the draft: in several messages where
// it is long, as a file where it is very long.
func (d *draft) finish(ctx context.Context, text string) error {
	parts := split(text, partSize)
	var file []connection.File
	if len(parts) > maxParts {
		file = []connection.File{{Name: "answer.md", Data: []byte(text)}}
		first := split(text, partSize-100)[0]
		parts = []string{first + "\n\n*The whole answer is in the file.*"}
	}
	if len(parts) == 0 {
		parts = []string{"(The answer is empty.)"}
	}
	for i, part := range parts {
		id, err := d.put(ctx, i, part)
		if err != nil {
			return fmt.Errorf("sending part %d of %d of an answer: %w", i+1, len(parts), err)
		}
		d.posted = append(d.posted, id)
	}
	if file == nil {
		return nil
	}
	id, err := d.client.Send(ctx, d.channel, connection.Outgoing{Files: file, Nonce: d.nonce + "f"})
	if err != nil {
		return fmt.Errorf("sending an answer as a file: %w", err)
	}
	d.posted = append(d.posted, id)
	return nil
}

// put sends a part; the first one takes the draft's place.
func (d *draft) put(ctx context.Context, i int, part string) (string, error) {
	if i == 0 && d.id != "" {
		if wait := d.due(); wait > 0 {
			if err := pause(ctx, wait); err != nil {
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
	}
	return d.client.Send(ctx, d.channel, out)
}

// closeFence closes a code block that a draft ends in.
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

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

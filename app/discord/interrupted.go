package discord

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/connection"
)

const (
	// interruptedFor is the maximum age of a question whose author is told that the app
	// ended before the answer.
	interruptedFor = 24 * time.Hour
	draftSign      = " …" // the end of a draft's text
	lookBack       = 50   // the number of messages of a channel to search for drafts
)

// notifyInterrupted tells people whose questions an earlier process didn't answer, and
// completes the drafts that it left.
func (b *Bot) notifyInterrupted(ctx context.Context) {
	waiting, err := b.p.State.Waiting(ctx)
	if err != nil {
		b.log.Warn("nobody is told that the app was closed before it answered", "err", err)
		return
	}
	by := map[string][]botstate.Question{}
	for _, q := range waiting {
		switch {
		case q.At.After(b.began): // from this process
		case time.Since(q.At) > interruptedFor:
			b.settle(q.Channel, q.ID)
		default:
			by[q.Channel] = append(by[q.Channel], q)
		}
	}
	for channel, questions := range by {
		if err := b.notifyChannel(ctx, channel, questions); err != nil {
			b.log.Warn("nobody is told that the app was closed before it answered", "channel", channel, "err", err)
		}
	}
}

// notifyChannel tells the people of one channel, in one message.
func (b *Bot) notifyChannel(ctx context.Context, channel string, questions []botstate.Question) error {
	recent, err := b.p.Client.Messages(ctx, channel, "", lookBack)
	if err != nil {
		return err
	}
	var ids []string
	open := map[string]bool{} // by ID: still there and unanswered
	for _, q := range questions {
		ids = append(ids, q.ID)
	}
	bot := b.p.Client.Bot().ID
	for _, m := range recent {
		switch text, draft := strings.CutSuffix(m.Text, draftSign); {
		case slices.Contains(ids, m.ID):
			open[m.ID] = true
		case m.Author.ID != bot || !newer(m.ID, ids[0]):
		case draft:
			if err := b.p.Client.Edit(ctx, channel, m.ID, cutTo(text, draftSize)+"\n\n*(I was closed while I was writing this. Please ask again.)*"); err != nil {
				return err
			}
			delete(open, m.Reply)
		default:
			delete(open, m.Reply)
		}
	}
	if len(open) > 0 {
		text, last := "I was closed before I could answer this. Please ask again.", ""
		for id := range open {
			if last == "" || newer(id, last) {
				last = id
			}
		}
		if len(open) > 1 {
			text = fmt.Sprintf("I was closed before I could answer the last %d messages to me here. Please ask again.", len(open))
		}
		b.say(ctx, connection.Message{ID: last, Channel: channel}, text)
	}
	b.settle(channel, ids...)
	return nil
}

// newer reports whether message a was written after b. IDs grow.
func newer(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}

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
	// interruptedFor is how long after it was asked somebody is told that the app ended
	// before the answer.
	interruptedFor = 24 * time.Hour
	draftSign      = " …" // ends the text of a draft
	lookBack       = 50   // messages of a channel that are looked through for drafts
)

// tellInterrupted tells those whose questions an earlier process did not answer, and ends
// the drafts that it left standing.
func (b *Bot) tellInterrupted(ctx context.Context) {
	waiting, err := b.p.State.Waiting(ctx)
	if err != nil {
		b.log.Warn("nobody is told that the app was closed before it answered", "err", err)
		return
	}
	by := map[string][]botstate.Question{}
	for _, q := range waiting {
		switch {
		case q.At.After(b.began): // of this process
		case time.Since(q.At) > interruptedFor:
			b.settle(q.Channel, q.ID)
		default:
			by[q.Channel] = append(by[q.Channel], q)
		}
	}
	for channel, questions := range by {
		if err := b.tellChannel(ctx, channel, questions); err != nil {
			b.log.Warn("nobody is told that the app was closed before it answered", "channel", channel, "err", err)
		}
	}
}

// tellChannel tells those of one channel, in one message.
func (b *Bot) tellChannel(ctx context.Context, channel string, questions []botstate.Question) error {
	recent, err := b.p.Client.Messages(ctx, channel, "", lookBack)
	if err != nil {
		return err
	}
	var ids []string
	open := map[string]bool{} // by id: there, and without an answer
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

// newer reports whether the message a was written after b: ids grow.
func newer(a, b string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	return a > b
}

package discord

import (
	"context"
	"slices"
	"strings"
	"time"

	"mac-stats/app/discord/connection"
)

// mentionLate is how old a message may be that is taken as new when an edit makes it one
// for the bot.
const mentionLate = time.Hour

// takeEdit takes an edit: of what waits, of what was said before, or one that makes a
// message one for the bot.
func (b *Bot) takeEdit(ctx context.Context, m connection.Message) {
	withheld := m.Text == "" && (!b.p.ReadsAll || len(m.Attachments) == 0)
	if m.NoText || withheld || m.Author.ID == b.p.Client.Bot().ID {
		return
	}
	if b.change(ctx, m.Channel, change{id: m.ID, text: m.Text, mentions: m.Mentions}) {
		return
	}
	if m.Edited && time.Since(m.Time) < mentionLate && b.spokenTo(m) {
		b.takeMessage(ctx, m) // once: it is not new a second time
	}
}

// change makes edits and deletions hold wherever a message is: while it is gathered,
// waits, is being answered, or stands in the transcript. It reports whether it knows any
// of the messages.
func (b *Bot) change(ctx context.Context, channel string, list ...change) bool {
	b.mu.Lock()
	left := slices.DeleteFunc(slices.Clone(list), func(c change) bool { return b.changeWaiting(channel, c) })
	b.mu.Unlock()
	return b.amend(ctx, channel, left) || len(left) < len(list)
}

// changeWaiting changes a message that has not become part of the conversation yet. It
// needs the lock.
func (b *Bot) changeWaiting(channel string, c change) bool {
	for key, p := range b.pending {
		if strings.HasPrefix(key, channel+"/") && p.job.apply(c) {
			return true
		}
	}
	if s := b.fun[channel]; s != nil && s.job != nil && s.job.apply(c) {
		if len(s.job.parts) == 0 {
			b.dropFun(s)
		}
		return true
	}
	return b.queue.change(channel, c)
}

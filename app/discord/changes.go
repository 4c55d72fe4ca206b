package discord

import (
	"context"
	"slices"
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
	left := slices.DeleteFunc(slices.Clone(list), func(c change) bool { return b.waiting.change(channel, c) })
	return b.record.amend(ctx, channel, left) || len(left) < len(list)
}

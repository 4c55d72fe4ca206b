package discord

import (
	"context"
	"slices"
	"time"

	"mac-stats/app/discord/connection"
)

// mentionLate is the maximum age of a message that counts as new when an edit makes it one
// for the bot.
const mentionLate = time.Hour

// handleEdit handles an edit: of a waiting message, of an older one, or one that makes a
// message one for the bot.
func (b *Bot) handleEdit(ctx context.Context, m connection.Message) {
	withheld := m.Text == "" && (!b.p.ReadsAll || len(m.Attachments) == 0)
	if m.NoText || withheld || m.Author.ID == b.p.Client.Bot().ID {
		return
	}
	if b.change(ctx, m.Channel, change{id: m.ID, text: m.Text, mentions: m.Mentions, shows: m.Shows}) {
		return
	}
	if m.Edited && time.Since(m.Time) < mentionLate && b.isAddressed(m) {
		b.handleMessage(ctx, m) // only once: it isn't new a second time
	}
}

// change applies edits and deletions wherever a message is: being gathered, waiting, being
// answered, or in the transcript. It reports whether it knows any of the messages.
func (b *Bot) change(ctx context.Context, channel string, list ...change) bool {
	left := slices.DeleteFunc(slices.Clone(list), func(c change) bool { return b.waiting.change(channel, c) })
	return b.record.amend(ctx, channel, left) || len(left) < len(list)
}

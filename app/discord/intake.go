package discord

import (
	"context"
	"time"

	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
)

// handle handles one event.
func (b *Bot) handle(ctx context.Context, e connection.Event) {
	switch e.Kind {
	case connection.EventMessage:
		b.handleMessage(ctx, e.Message)
	case connection.EventEdited:
		b.handleEdit(ctx, e.Message)
	case connection.EventTwin:
		if b.p.Twin != nil && b.limits.once("twin", twinEvery) {
			b.p.Twin()
		}
	case connection.EventGone:
		b.commands.stop(e.Channel) // nobody would read the answers
	case connection.EventDeleted:
		var list []change
		for _, id := range e.IDs {
			list = append(list, change{id: id, deleted: true})
		}
		b.change(ctx, e.Channel, list...)
	}
}

// twinEvery is how often the owner is told of another program with the same token.
const twinEvery = 24 * time.Hour

// incoming is a message with what is known about its place.
type incoming struct {
	connection.Message
	place  connection.Place
	file   *channels.File
	set    channels.Settings
	spoken bool // it is for the bot
}

// handleMessage decides what to do with a message.
func (b *Bot) handleMessage(ctx context.Context, m connection.Message) {
	h, ok := b.locate(ctx, m)
	if !ok || !b.seen.isNew(ctx, m.ID) {
		return
	}
	switch {
	case !m.Author.Bot && !h.file.May(m.Author.ID, m.Roles, h.place.ID, h.place.Parent):
		if h.spoken {
			b.offerPairing(m, h.file)
		}
	case h.spoken && !m.Author.Bot && b.commands.isCommand(m):
		if b.withinLimits(ctx, m, h.file, true) {
			b.commands.command(m, h.place)
		}
	case h.set.Mode == channels.HavingFun:
		b.waiting.addFun(m, h.place, h.file.Fun, h.spoken)
	case !b.p.ReadsAll && withheld(m) && h.spoken:
		b.explainWithheld(m)
	default:
		b.handleQuestion(ctx, h)
	}
}

// locate finds the place of a message, and reports whether the bot listens to such messages
// there.
func (b *Bot) locate(ctx context.Context, m connection.Message) (h incoming, ok bool) {
	if m.System || m.Webhook || m.Author.ID == b.p.Client.Bot().ID || !connection.IsID(m.Author.ID) {
		return h, false
	}
	place, err := b.placeOf(ctx, m)
	if err != nil {
		b.log.Warn("a message was left out: Discord doesn't say where it is", "channel", m.Channel, "err", err)
		return h, false
	}
	f := b.p.Channels()
	h = incoming{m, place, f, f.For(place.ID, place.Parent), b.isAddressed(m)}
	return h, h.set.Mode == channels.HavingFun || !m.Author.Bot && (h.spoken || h.set.Mode == channels.AllMessages)
}

// handleQuestion queues a message to be answered, within the limits.
func (b *Bot) handleQuestion(ctx context.Context, h incoming) {
	empty := hasNoWords(h.Text) && len(h.Attachments) == 0 && len(h.Forwards) == 0 && len(h.Shows) == 0
	if empty && !h.spoken || !b.withinLimits(ctx, h.Message, h.file, h.spoken) {
		return
	}
	if err := b.p.State.Wait(ctx, h.Channel, h.ID); err != nil {
		b.log.Warn("a message that is not answered before the app ends will not be told of", "channel", h.Channel, "err", err)
	}
	b.waiting.gather(&job{parts: []connection.Message{h.Message}, place: h.place, since: time.Now()}, h.set.Debounce)
}

// withheld reports whether Discord kept a message's text from the bot: the message replies
// to the bot without mentioning it, and the bot may not read all messages.
func withheld(m connection.Message) bool {
	return m.Text == "" && len(m.Attachments) == 0 && len(m.Shows) == 0 && m.Answered != nil && !m.Direct() && len(m.Mentions) == 0
}

// explainEvery is how often a channel gets the explanation of withheld text.
const explainEvery = time.Hour

// explainWithheld explains how to get an answer from the bot.
func (b *Bot) explainWithheld(m connection.Message) {
	if !b.limits.once("unread "+m.Channel, explainEvery) {
		return
	}
	b.spawn(func(ctx context.Context) {
		b.say(ctx, m, "I can't read that: Discord shows me an answer only where it mentions me. Please reply with the mention on (@ ON).")
	})
}

// withinLimits counts a message. If there are too many, it tells the author once.
func (b *Bot) withinLimits(ctx context.Context, m connection.Message, f *channels.File, spoken bool) bool {
	for _, l := range []struct {
		key   string
		limit channels.Limit
		words string
	}{
		{"person " + m.Author.ID, f.PerPerson, "Too many messages at once. I'll answer again in a little while."},
		{"channel " + m.Channel, f.PerChannel, "There were many messages here in a short time: I answer again in a little while."},
	} {
		ok, notify := b.limits.allow(l.key, l.limit)
		if ok {
			continue
		}
		b.log.Info("a message was left out: too many", "channel", m.Channel, "limit", l.limit)
		if notify && spoken {
			b.spawn(func(ctx context.Context) { b.say(ctx, m, l.words) })
		}
		return false
	}
	return ctx.Err() == nil
}

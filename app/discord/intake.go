package discord

import (
	"context"
	"slices"
	"strings"
	"time"

	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
)

// lookTimeout is how long asking Discord what a channel is may take.
const lookTimeout = 5 * time.Second

// gatherMost is how many times the debounce a person may write on before what there
// is by then is answered.
const gatherMost = 5

// take looks at one event.
func (b *Bot) take(ctx context.Context, e connection.Event) {
	switch e.Kind {
	case connection.EventMessage:
		b.takeMessage(ctx, e.Message)
	case connection.EventEdited:
		b.takeEdit(ctx, e.Message)
	case connection.EventGone:
		b.stop(e.Channel) // nobody would read the answers
	case connection.EventDeleted:
		var list []change
		for _, id := range e.IDs {
			list = append(list, change{id: id, deleted: true})
		}
		b.change(ctx, e.Channel, list...)
	}
}

// heard is a message with what is known of where it is.
type heard struct {
	connection.Message
	place  connection.Place
	file   *channels.File
	set    channels.Settings
	spoken bool // it is for the bot
}

// takeMessage decides what becomes of a message.
func (b *Bot) takeMessage(ctx context.Context, m connection.Message) {
	h, ok := b.hear(ctx, m)
	if !ok || !b.isNew(ctx, m.ID) {
		return
	}
	switch {
	case !m.Author.Bot && !h.file.May(m.Author.ID, m.Roles, h.place.ID, h.place.Parent):
		if h.spoken {
			b.meet(m, h.file)
		}
	case h.spoken && !m.Author.Bot && b.isCommand(m):
		if b.withinLimits(ctx, m, h.file, true) {
			b.command(m, h.place)
		}
	case h.set.Mode == channels.HavingFun:
		b.takeFun(m, h.place, h.file.Fun, h.spoken)
	case !b.p.ReadsAll && withheld(m) && h.spoken:
		b.cantRead(m)
	default:
		b.takeQuestion(ctx, h)
	}
}

// hear looks where a message is and whether the bot listens to such ones there.
func (b *Bot) hear(ctx context.Context, m connection.Message) (h heard, ok bool) {
	if m.System || m.Webhook || m.Author.ID == b.p.Client.Bot().ID || !connection.IsID(m.Author.ID) {
		return h, false
	}
	place, err := b.placeOf(ctx, m)
	if err != nil {
		b.log.Warn("a message was left out: Discord doesn't say where it is", "channel", m.Channel, "err", err)
		return h, false
	}
	f := b.p.Channels()
	h = heard{m, place, f, f.For(place.ID, place.Parent), b.spokenTo(m)}
	return h, h.set.Mode == channels.HavingFun || !m.Author.Bot && (h.spoken || h.set.Mode == channels.AllMessages)
}

// takeQuestion queues what is to be answered, unless it is too much.
func (b *Bot) takeQuestion(ctx context.Context, h heard) {
	empty := meaningless(h.Text) && len(h.Attachments) == 0 && len(h.Forwards) == 0
	if empty && !h.spoken || !b.withinLimits(ctx, h.Message, h.file, h.spoken) {
		return
	}
	if err := b.p.State.Wait(ctx, h.Channel, h.ID); err != nil {
		b.log.Warn("a message that is not answered before the app ends will not be told of", "channel", h.Channel, "err", err)
	}
	b.gather(&job{parts: []connection.Message{h.Message}, place: h.place, since: time.Now()}, h.set.Debounce)
}

// withheld reports whether Discord kept the text of a message from the bot: that of one
// that answers it without mentioning it, where all messages may not be read.
func withheld(m connection.Message) bool {
	return m.Text == "" && len(m.Attachments) == 0 && m.Answered != nil && !m.Direct() && len(m.Mentions) == 0
}

// cantReadEvery is how often people in a channel are told.
const cantReadEvery = time.Hour

// cantRead says how the bot can be answered.
func (b *Bot) cantRead(m connection.Message) {
	if !b.limits.once("unread "+m.Channel, cantReadEvery) {
		return
	}
	b.aside(func(ctx context.Context) {
		b.say(ctx, m, "I can't read that: Discord shows me an answer only where it mentions me. Please reply with the mention on (@ ON).")
	})
}

// placeOf tells where a message is.
func (b *Bot) placeOf(ctx context.Context, m connection.Message) (connection.Place, error) {
	if m.Direct() {
		return connection.Place{ID: m.Channel, Kind: connection.KindDirect}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return b.p.Client.Place(ctx, m.Channel)
}

// spokenTo reports whether a message is for the bot: it mentions it, answers it, is
// in a direct conversation, or begins with its name and a command.
func (b *Bot) spokenTo(m connection.Message) bool {
	bot := b.p.Client.Bot().ID
	if m.Direct() || m.Mentioned(bot) || m.Answered != nil && m.Answered.Author.ID == bot {
		return true
	}
	name, rest := b.cutName(m.Text)
	return name && slices.Contains(nameCommands, rest)
}

// cutName takes the mention of the bot, or its name, off the beginning of a text; the
// rest is in lower case, without signs at its end.
func (b *Bot) cutName(text string) (named bool, rest string) {
	text = strings.TrimSpace(text)
	for _, mention := range []string{"<@" + b.p.Client.Bot().ID + ">", "<@!" + b.p.Client.Bot().ID + ">"} {
		if after, ok := strings.CutPrefix(text, mention); ok {
			named, text = true, strings.TrimSpace(after)
		}
	}
	low := strings.ToLower(text)
	if after, ok := strings.CutPrefix(low, strings.ToLower(b.p.Settings().Name)); ok && (after == "" || strings.ContainsAny(after[:1], " ,:")) {
		named, low = true, strings.TrimLeft(after, " ,:")
	}
	return named, strings.Join(strings.Fields(strings.TrimRight(low, " .!?")), " ")
}

// withinLimits counts a message; where there are too many, its author is told once.
func (b *Bot) withinLimits(ctx context.Context, m connection.Message, f *channels.File, spoken bool) bool {
	for _, l := range []struct {
		key   string
		limit channels.Limit
		words string
	}{
		{"person " + m.Author.ID, f.PerPerson, "Too many messages at once. I'll answer again in a little while."},
		{"channel " + m.Channel, f.PerChannel, "There were many messages here in a short time: I answer again in a little while."},
	} {
		ok, tell := b.limits.allow(l.key, l.limit)
		if ok {
			continue
		}
		b.log.Info("a message was left out: too many", "channel", m.Channel, "limit", l.limit)
		if tell && spoken {
			b.aside(func(ctx context.Context) { b.say(ctx, m, l.words) })
		}
		return false
	}
	return ctx.Err() == nil
}

// enqueue queues the job that taken gives, or says politely that it is too much. taken is
// called with the lock: no edit and no deletion comes between the two.
func (b *Bot) enqueue(taken func() *job) {
	b.mu.Lock()
	j := taken()
	full := j != nil && len(j.parts) > 0 && !b.queue.add(j)
	b.mu.Unlock()
	if !full {
		return
	}
	b.settle(j.channel(), j.all()...)
	b.log.Info("a message was left out: the queue is full", "channel", j.channel())
	if b.limits.once("busy "+j.channel(), time.Minute) {
		b.aside(func(ctx context.Context) {
			b.say(ctx, j.last(), "I have more to answer than I can just now. Please ask again in a few minutes.")
		})
	}
}

// pending is what one person has just written, which may not be all.
type pending struct {
	job   *job // without parts where all of it was deleted
	timer *time.Timer
}

// gather waits a moment for what its author writes next. Files don't wait.
func (b *Bot) gather(j *job, wait time.Duration) {
	key := j.channel() + "/" + j.last().Author.ID
	b.mu.Lock()
	p := b.pending[key]
	if p == nil || !b.never(p.timer) { // the one before is just being queued
		p = &pending{job: &job{place: j.place, since: j.since}}
		b.pending[key] = p
	}
	p.job.parts = append(p.job.parts, j.parts...)
	send := func() {
		b.enqueue(func() *job {
			if b.pending[key] == p {
				delete(b.pending, key)
			}
			return p.job
		})
	}
	left := min(wait, gatherMost*wait-time.Since(p.job.since))
	if left > 0 && len(j.last().Attachments) == 0 {
		p.timer = b.later(left, send)
		b.mu.Unlock()
		return
	}
	p.timer = nil
	b.mu.Unlock()
	send() // here, so that messages keep their order
}

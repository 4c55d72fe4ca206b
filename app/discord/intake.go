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
		if e.Message.Text == "" {
			return
		}
		if !b.changePending(e.Channel, e.Message.ID, e.Message.Text, false) && !b.queue.change(e.Channel, e.Message.ID, e.Message.Text, false) {
			if err := b.p.State.Edit(ctx, e.Channel, e.Message.ID, e.Message.Text); err != nil {
				b.log.Warn("an edited message stays as it was in the window", "channel", e.Channel, "err", err)
			}
		}
	case connection.EventGone:
		b.stop(e.Channel) // nobody would read the answers
	case connection.EventDeleted:
		for _, id := range e.IDs {
			if !b.changePending(e.Channel, id, "", true) {
				b.queue.change(e.Channel, id, "", true)
			}
		}
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
	case h.spoken && !m.Author.Bot && b.command(m, h.place):
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
	empty := meaningless(h.Text) && len(h.Attachments) == 0
	if empty && !h.spoken || !b.withinLimits(ctx, h.Message, h.file, h.spoken) {
		return
	}
	b.gather(&job{message: h.Message, place: h.place, since: time.Now()}, h.set.Debounce)
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
		{"person " + m.Author.ID, f.PerPerson, "That were many messages in a short time: I answer again in a little while."},
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

// enqueue queues a job, or says politely that it is too much.
func (b *Bot) enqueue(j *job) {
	if b.queue.add(j) {
		return
	}
	b.log.Info("a message was left out: the queue is full", "channel", j.message.Channel)
	if b.limits.once("busy "+j.message.Channel, time.Minute) {
		b.aside(func(ctx context.Context) {
			b.say(ctx, j.message, "I have more to answer than I can just now. Please ask again in a few minutes.")
		})
	}
}

// pending is what one person has just written, which may not be all.
type pending struct {
	job   *job
	texts map[string]string // by message id
	order []string
	timer *time.Timer
}

// gather waits a moment for what its author writes next. Files don't wait.
func (b *Bot) gather(j *job, wait time.Duration) {
	key := j.message.Channel + "/" + j.message.Author.ID
	b.mu.Lock()
	p := b.pending[key]
	if p == nil {
		p = &pending{texts: map[string]string{}}
		b.pending[key] = p
	} else if !b.never(p.timer) {
		p = &pending{texts: map[string]string{}} // the one before is just being queued
		b.pending[key] = p
	}
	p.add(j)
	send := func() {
		b.mu.Lock()
		if b.pending[key] == p {
			delete(b.pending, key)
		}
		done := p.merged()
		b.mu.Unlock()
		if done != nil {
			b.enqueue(done)
		}
	}
	left := min(wait, gatherMost*wait-time.Since(p.job.since))
	if left > 0 && len(j.message.Attachments) == 0 {
		p.timer = b.later(left, send)
		b.mu.Unlock()
		return
	}
	p.timer = nil
	b.mu.Unlock()
	send() // here, so that messages keep their order
}

// add joins a message to what came before: the last one is answered.
func (p *pending) add(j *job) {
	if p.job != nil {
		j.message.Attachments = append(p.job.message.Attachments, j.message.Attachments...)
		if j.message.Reply == "" {
			j.message.Reply, j.message.Answered = p.job.message.Reply, p.job.message.Answered
		}
		for _, u := range p.job.message.Mentions {
			if !j.message.Mentioned(u.ID) {
				j.message.Mentions = append(j.message.Mentions, u)
			}
		}
		j.since = p.job.since
	}
	p.job = j
	p.texts[j.message.ID] = j.message.Text
	p.order = append(p.order, j.message.ID)
}

// merged is the job of all of it; nil where everything was deleted.
func (p *pending) merged() *job {
	var texts []string
	for _, id := range p.order {
		texts = append(texts, p.texts[id])
	}
	if len(texts) == 0 {
		return nil
	}
	p.job.message.Text = strings.Join(texts, "\n")
	p.job.message.ID = p.order[len(p.order)-1]
	p.job.also = p.order[:len(p.order)-1]
	return p.job
}

// changePending changes or drops a message that is being gathered.
func (b *Bot) changePending(channel, id, text string, drop bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, p := range b.pending {
		if !strings.HasPrefix(key, channel+"/") || !slices.Contains(p.order, id) {
			continue
		}
		p.texts[id] = text
		if drop {
			delete(p.texts, id)
			p.order = slices.DeleteFunc(p.order, func(other string) bool { return other == id })
		}
		return true
	}
	return false
}

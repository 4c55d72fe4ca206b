package discord

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem"
)

const maxFileBytes = 10 << 20

// answer answers one job: it never gives an error, for whoever asked is told.
func (b *Bot) answer(ctx context.Context, j *job) {
	ctx, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	channel := j.message.Channel
	b.mu.Lock()
	b.running[channel], b.stopped[channel] = time.Now(), cancel
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.running, channel)
		delete(b.stopped, channel)
		b.mu.Unlock()
	}()
	typing, quiet := context.WithCancel(ctx)
	b.work.Go(func() { b.keepTyping(typing, channel) })
	defer quiet()

	set := b.p.Settings()
	answers := b.window(ctx, channel)
	around := b.collect(ctx, j, set)
	req := b.request(ctx, j, set, around, answers)
	d := b.newDraft(j, func(ctx context.Context) string { return b.replyTarget(ctx, j, around, set) })
	result, text, err := b.follow(ctx, req, d)
	if other := agents.VisionModel(err); other != "" && result.UserID == "" {
		req.Model = other // images go to a model that can look at them
		result, text, err = b.follow(ctx, req, d)
	}
	quiet()
	b.send(ctx, j, d, result, text, err)
}

// keepTyping shows that the bot is at work.
func (b *Bot) keepTyping(ctx context.Context, channel string) {
	for {
		if err := b.p.Client.Typing(ctx, channel); err != nil && ctx.Err() == nil {
			b.log.Debug("typing could not be shown", "channel", channel, "err", err)
		}
		if pause(ctx, typeEvery) != nil {
			return
		}
	}
}

// follow runs the turn, showing what there is of the answer.
func (b *Bot) follow(ctx context.Context, req agents.Request, d *draft) (agents.Result, string, error) {
	run := b.p.Engine.Start(ctx, req)
	tick := time.NewTicker(editEvery / 2)
	defer tick.Stop()
	var text strings.Builder
	round := 0
	events := run.Events(context.WithoutCancel(ctx))
	for events != nil {
		select {
		case e, ok := <-events:
			switch {
			case !ok:
				events = nil
			case e.Type == agents.EventToken:
				if e.Round != round {
					round = e.Round
					text.Reset()
				}
				text.WriteString(e.Text)
			}
		case <-tick.C:
			if ctx.Err() == nil {
				d.show(ctx, text.String())
			}
		}
	}
	result, err := run.Wait()
	if err == nil || result.Text != "" {
		return result, result.Text, err
	}
	return result, "", err
}

// send puts the answer, or why there is none, into the channel and the window.
func (b *Bot) send(ctx context.Context, j *job, d *draft, result agents.Result, text string, err error) {
	stopped := ctx.Err() != nil
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	if stopped {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, 10*time.Second) // the app may be closing
		defer end()
	}
	switch {
	case err != nil && text != "":
		text += "\n\n*(" + strings.TrimSuffix(inWords(err, stopped), ".") + ")*"
	case err != nil && stopped && d.id == "":
		b.keep(ctx, j, d, result, "")
		return // whoever stopped it knows
	case err != nil:
		b.log.Info("a message on discord was not answered", "session", result.Session, "kind", agents.Explain(err).Kind)
		text = inWords(err, stopped)
	}
	if err := d.finish(ctx, withUnread(text, j.unread)); err != nil {
		b.log.Warn("an answer could not be sent; it stands in the transcript", "channel", j.message.Channel, "err", err)
	}
	if err != nil && !result.Stopped {
		text = "" // no answer of the model: not part of the conversation
	}
	b.keep(ctx, j, d, result, text)
}

// signs are those that markdown would take for its own within a file's name.
var signs = regexp.MustCompile("[*_~|`<>\\\\\\[\\]]")

// withUnread is an answer that says which attached files can't be used.
func withUnread(text string, unread []string) string {
	if len(unread) == 0 {
		return text
	}
	return strings.TrimSpace(text + "\n\n(" + signs.ReplaceAllString(strings.Join(unread, " "), `\$0`) + ")")
}

// inWords is an error for people in a channel: nothing of the machine's own.
func inWords(err error, stopped bool) string {
	why := agents.Explain(err)
	switch {
	case stopped, why.Kind == agents.KindCancelled:
		return "Stopped."
	case why.Kind == agents.KindDown:
		return "I can't answer now: the model server does not run. My owner has to start it."
	case why.Kind == agents.KindTooLong, why.Kind == agents.KindContextOverflow:
		return "That is too long for me. Please send a shorter message, or attach only the part you ask about."
	case why.Kind == agents.KindNoVision:
		return "I can't look at images with the model I have here."
	case why.Kind == agents.KindTimeout, why.Kind == agents.KindStreamCut, why.Kind == agents.KindServer, why.Kind == agents.KindBusy:
		return "The model gave no answer in time. Please ask again."
	}
	return "Something went wrong while I was answering; my owner finds the reason in the log. Please ask again later."
}

// window gives the messages that answers were sent as, by their transcript block;
// where the state was lost it is made anew from the transcript.
func (b *Bot) window(ctx context.Context, channel string) map[string][]string {
	rows, err := b.p.State.Window(ctx, channel)
	if err != nil {
		b.log.Warn("the window can't be read", "channel", channel, "err", err)
		return nil
	}
	if len(rows) == 0 {
		b.rebuild(ctx, channel)
	}
	answers := map[string][]string{}
	for _, r := range rows {
		answers[r.Block] = append([]string{r.ID}, r.Parts...)
	}
	return answers
}

// rebuild fills a channel's window from its transcript.
func (b *Bot) rebuild(ctx context.Context, channel string) {
	session, err := b.p.Sessions.Context(ctx, sessionName(channel))
	if err != nil || len(session.Messages) == 0 {
		return
	}
	var rows []botstate.Message
	for _, m := range session.Messages {
		row := botstate.Message{
			ID: m.Attrs["msg"], Channel: channel, Role: string(m.Kind), Author: m.Attrs["author"], Name: m.Attrs["name"],
			Text: m.Text, Block: m.ID, Parts: strings.Fields(m.Attrs["also"]), At: m.Time,
		}
		if row.ID == "" {
			row.ID = "block-" + m.ID
		}
		rows = append(rows, row)
	}
	if err := b.p.State.Put(ctx, rows...); err != nil {
		b.log.Warn("the window could not be made anew", "channel", channel, "err", err)
	}
}

// keep puts the message and its answer into the window.
func (b *Bot) keep(ctx context.Context, j *job, d *draft, result agents.Result, text string) {
	if result.UserID == "" || b.isForgotten(j) {
		return // the message never became part of the session, or is so no more
	}
	m := j.message
	rows := []botstate.Message{{
		ID: m.ID, Channel: m.Channel, Role: botstate.RoleUser, Author: m.Author.ID, Name: m.Author.Name,
		Text: m.Text, Block: result.UserID, Parts: j.also, At: j.since,
	}}
	if text != "" && result.AnswerID != "" {
		row := botstate.Message{ID: "block-" + result.AnswerID, Channel: m.Channel, Role: botstate.RoleAssistant, Author: b.p.Client.Bot().ID, Text: text, Block: result.AnswerID, At: time.Now()}
		if len(d.posted) > 0 {
			row.ID, row.Parts = d.posted[0], d.posted[1:]
		}
		rows = append(rows, row)
	}
	if err := b.p.State.Put(ctx, rows...); err != nil {
		b.log.Warn("a message is not in the window; the transcript has it", "channel", m.Channel, "err", err)
	}
	if b.isForgotten(j) { // just now
		if _, err := b.p.State.ForgetAuthor(ctx, m.Author.ID); err != nil {
			b.log.Warn("a message of somebody who is forgotten is in the window", "channel", m.Channel, "err", err)
		}
	}
}

// replyTarget is the message an answer replies to: in a thread the newest that a
// person wrote there by now, elsewhere the one that is answered.
func (b *Bot) replyTarget(ctx context.Context, j *job, a around, set Settings) string {
	if j.place.Kind != connection.KindThread {
		return j.message.ID
	}
	fetch, cancel := context.WithTimeout(ctx, set.FetchTimeout)
	defer cancel()
	recent, err := b.p.Client.Messages(fetch, j.message.Channel, "", set.TailCount+10)
	if err != nil {
		b.telemetry.write(subsysThread, "tail_fallback", map[string]any{"reason": reasonOf(err)})
		return j.message.ID
	}
	c := collector{bot: b.p.Client.Bot().ID}
	if target := c.newestHuman(recent); target != nil {
		return target.ID
	}
	return a.target
}

// request is the turn for a job.
func (b *Bot) request(ctx context.Context, j *job, set Settings, a around, answers map[string][]string) agents.Request {
	f := b.p.Channels()
	here := f.For(j.place.ID, j.place.Parent)
	text := b.plainText(j.message)
	if meaningless(text) && !j.fun {
		text = strings.TrimSpace(a.input)
	}
	var files []sessionmem.Upload
	files, j.unread = b.download(ctx, j.message)
	if text == "" && len(files) == 0 {
		text = "(The message has no text: its author only called for you.)"
	}
	if len(j.unread) > 0 {
		text += "\n\n(" + strings.Join(j.unread, " ") + ")"
	}
	place := &agents.Place{
		Prompt: b.prompt(j, here), Tools: here.Tools,
		Lessons: sessionmem.Target{Kind: sessionmem.TargetChannel, ID: j.place.ID},
		Author:  shortName(j.message.Author.Name), Attrs: map[string]string{"author": j.message.Author.ID, "msg": j.message.ID},
		Turns: set.HistoryTurns, MessageChars: set.MessageMaxChars,
		Global: j.message.Direct() && f.Owner(j.message.Author.ID) && !j.fun,
	}
	if len(j.also) > 0 {
		place.Attrs["also"] = strings.Join(j.also, " ")
	}
	if len(j.authors) > 1 {
		place.Attrs["authors"] = strings.Join(j.authors, " ")
	}
	b.giveMemory(place, j, set)
	if f.Mapped(j.place.ID, j.place.Parent) {
		place.OwnMemory = true
		if b.p.OwnMemory != nil {
			if own, ok := b.p.OwnMemory(here.Agent); ok {
				place.Lessons = own
			}
		}
	}
	if j.fun {
		place.Tools = nil
	}
	place.Around = func(history []sessionmem.Block) string {
		text, n := a.text(knownIDs(history, answers))
		if n > 0 {
			b.telemetry.write(subsysContext, "merge_ok", map[string]any{"case": a.kind, "msgs": n, "chars": len([]rune(text))})
		}
		return text
	}
	return agents.Request{
		Session: sessionName(j.message.Channel), Text: text, Agent: here.Agent, Model: here.Model, Files: files, Place: place, Holder: "Discord",
	}
}

// giveMemory names the memory files for a turn: the channel's, the server's and that
// of the person who asks.
func (b *Bot) giveMemory(place *agents.Place, j *job, set Settings) {
	add := func(kind sessionmem.TargetKind, id, heading string) {
		if connection.IsID(id) {
			place.Memory = append(place.Memory, agents.SharedTarget{Target: sessionmem.Target{Kind: kind, ID: id}, Heading: heading, Budget: set.ChannelBudget})
		}
	}
	add(sessionmem.TargetChannel, j.place.ID, "About this channel")
	add(sessionmem.TargetServer, j.place.Guild, "About this server")
	add(sessionmem.TargetPerson, j.message.Author.ID, "About "+place.Author)
}

// prompt is what comes first in the call.
func (b *Bot) prompt(j *job, here channels.Settings) string {
	parts := []string{b.p.Prompt()}
	if here.Prompt != "" {
		parts = append(parts, here.Prompt)
	}
	if j.fun {
		parts = append(parts, casual(time.Now()))
	}
	return strings.Join(parts, "\n\n")
}

// otherMention is a mention of somebody, a role or a channel.
var otherMention = regexp.MustCompile(`<(@!?|@&|#)(\d{1,20})>`)

// plainText is a message's text as the model is told it: without the bot's own
// mention, and with names for those of others.
func (b *Bot) plainText(m connection.Message) string {
	bot := b.p.Client.Bot().ID
	text := otherMention.ReplaceAllStringFunc(m.Text, func(found string) string {
		parts := otherMention.FindStringSubmatch(found)
		if parts[2] == bot {
			return ""
		}
		for _, u := range m.Mentions {
			if u.ID == parts[2] {
				return "@" + shortName(u.Name)
			}
		}
		return map[string]string{"#": "#channel", "@&": "@role"}[parts[1]]
	})
	return strings.TrimSpace(text)
}

// download fetches what is attached; what can't be used is said.
func (b *Bot) download(ctx context.Context, m connection.Message) (files []sessionmem.Upload, problems []string) {
	for i, a := range m.Attachments {
		name := tame(a.Name, 80)
		if i >= sessionmem.MaxUploads {
			return files, append(problems, fmt.Sprintf("Only the first %d attached files were read.", i))
		}
		if a.Size > maxFileBytes {
			problems = append(problems, "The attached file "+name+" is too large to be read.")
			continue
		}
		data, err := b.p.Client.Download(ctx, a.URL, maxFileBytes)
		if err != nil {
			b.log.Warn("an attached file could not be fetched", "channel", m.Channel, "err", err)
			problems = append(problems, "The attached file "+name+" could not be fetched.")
			continue
		}
		up, err := sessionmem.NewUpload(name, data)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		files = append(files, up)
	}
	return files, problems
}

package discord

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem/compact"
)

// The commands that follow the bot's name, as whole messages.
const (
	cmdSessionStatus = "session status"
	cmdResetSession  = "reset session"
	cmdForgetMe      = "forget me"
)

var nameCommands = []string{cmdSessionStatus, cmdResetSession, cmdForgetMe}

// The commands that always get through, as plain text or slash commands.
const (
	opStop   = "stop"
	opStatus = "status"
)

// offerCommands tells Discord which slash commands there are.
func (b *Bot) offerCommands(ctx context.Context) {
	err := b.p.Client.SetCommands(ctx, []connection.SlashCommand{
		{Name: opStop, Description: "Stop the answer that is being written here, and drop what waits"},
		{Name: opStatus, Description: "Show what the bot is doing"},
	})
	if err != nil {
		b.log.Warn("Discord doesn't offer the slash commands; /stop and /status work as text", "err", err)
	}
}

// operator gives the command that a message is, of those that always get through.
func (b *Bot) operator(m connection.Message) string {
	if len(m.Text) > 200 || m.Author.Bot || m.Webhook || m.System || !b.spokenTo(m) && !strings.HasPrefix(strings.TrimSpace(m.Text), "/") {
		return ""
	}
	_, rest := b.cutName(m.Text)
	for _, op := range []string{opStop, opStatus} {
		if rest == "/"+op {
			return op
		}
	}
	return ""
}

// operate runs a command that always gets through.
func (b *Bot) operate(ctx context.Context, op string, m connection.Message) {
	place, err := b.placeOf(ctx, m)
	if err != nil || !b.p.Channels().May(m.Author.ID, m.Roles, m.Channel, place.Parent) || !b.isNew(ctx, m.ID) {
		return
	}
	b.say(ctx, m, b.operated(op, m.Channel))
}

// slash answers a slash command.
func (b *Bot) slash(ctx context.Context, cmd connection.Command) {
	parent := ""
	if cmd.Guild != "" {
		if place, err := b.p.Client.Place(ctx, cmd.Channel); err == nil {
			parent = place.Parent
		}
	}
	text := "You may not do that here: ask my owner to let you in."
	if b.p.Channels().May(cmd.User.ID, cmd.Roles, cmd.Channel, parent) {
		text = b.operated(cmd.Name, cmd.Channel)
	}
	if err := b.p.Client.Answer(ctx, cmd, text); err != nil {
		b.log.Warn("a slash command got no answer", "err", err)
	}
}

// operated does what the command says and gives the words for it.
func (b *Bot) operated(op, channel string) string {
	switch op {
	case opStop:
		return b.stop(channel)
	case opStatus:
		return b.status(channel)
	}
	return "There is no such command."
}

// stop ends what is under way in a channel and drops what waits there.
func (b *Bot) stop(channel string) string {
	b.mu.Lock()
	dropped := b.queue.clear(channel)
	for key, p := range b.pending {
		if strings.HasPrefix(key, channel+"/") && b.never(p.timer) {
			dropped++
			delete(b.pending, key)
		}
	}
	if s := b.fun[channel]; s != nil && s.job != nil {
		dropped++
		b.dropFun(s)
	}
	_, end := b.queue.at(channel)
	b.mu.Unlock()
	if end != nil {
		end()
	}
	if b.p.State.Settle(context.Background(), channel) != nil {
		b.log.Warn("what was stopped will be told of at the next start", "channel", channel)
	}
	switch {
	case end == nil && dropped == 0:
		return "There is nothing to stop here."
	case dropped == 0:
		return "Stopped."
	case end == nil:
		return fmt.Sprintf("Stopped: %d waiting dropped.", dropped)
	}
	return fmt.Sprintf("Stopped, and %d waiting dropped.", dropped)
}

// status says what the bot is doing, without a word of what was said.
func (b *Bot) status(channel string) string {
	all, here, busy := b.queue.counts(channel)
	text := "I'm here."
	if since, _ := b.queue.at(channel); !since.IsZero() {
		text += fmt.Sprintf(" Answering in this channel for %s.", time.Since(since).Round(time.Second))
	}
	return text + fmt.Sprintf(" Waiting here: %d, in total: %d; channels being answered: %d.", here, all, busy)
}

// isCommand reports whether a message is a command that follows the bot's name; in a direct
// conversation that may be left out.
func (b *Bot) isCommand(m connection.Message) bool {
	named, rest := b.cutName(m.Text)
	return (named || m.Direct()) && slices.Contains(nameCommands, rest)
}

// command runs it.
func (b *Bot) command(m connection.Message, place connection.Place) {
	_, rest := b.cutName(m.Text)
	do := func(ctx context.Context) string { return b.sessionStatus(ctx, place) }
	switch rest {
	case cmdResetSession:
		do = func(ctx context.Context) string { return b.resetSession(ctx, place) }
	case cmdForgetMe:
		b.dropFrom(m.Author.ID) // now, in order: what they write from here on is new
		do = func(ctx context.Context) string { return b.forgetPerson(ctx, m.Author.ID) }
	}
	b.aside(func(ctx context.Context) { b.say(ctx, m, do(ctx)) })
}

// sessionStatus tells of a channel's session what is safe to tell: counts and roles.
func (b *Bot) sessionStatus(ctx context.Context, place connection.Place) string {
	session, err := b.p.Sessions.Context(ctx, sessionName(place.ID))
	window, windowErr := b.p.State.Window(ctx, place.ID)
	if err != nil || windowErr != nil {
		b.log.Warn("the session's status can't be read", "channel", place.ID, "err", err, "window_err", windowErr)
		return "The session's status can't be read just now."
	}
	set := b.p.Settings()
	lines := []string{
		fmt.Sprintf("Session: %s", sessionName(place.ID)),
		fmt.Sprintf("Messages: %d in total, %d since the last summary (summary: %s)", session.Total, len(session.Messages), yesNo(session.Summary != nil)),
		fmt.Sprintf("Window: %d of at most %d messages, each at most %d characters", len(window), 2*set.HistoryTurns, set.MessageMaxChars),
	}
	if n := len(window); n > 0 {
		var roles []string
		for _, w := range window[max(n-6, 0):] {
			roles = append(roles, w.Role)
		}
		lines = append(lines, "Recent roles: "+strings.Join(roles, ", "), "Last message: "+window[n-1].At.Format("2006-01-02 15:04"))
	}
	return strings.Join(lines, "\n")
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// resetSession begins the channel's session anew; no other is touched.
func (b *Bot) resetSession(ctx context.Context, place connection.Place) string {
	b.stop(place.ID)
	if err := b.p.Sessions.Reset(ctx, sessionName(place.ID)); err != nil {
		b.log.Warn("a session could not be reset", "channel", place.ID, "err", err)
		return "The session could not be reset. Please try again."
	}
	if err := b.p.State.Clear(ctx, place.ID); err != nil {
		b.log.Warn("a window could not be emptied", "channel", place.ID, "err", err)
	}
	return "Done: this channel's session begins anew. What was said before stays in the owner's transcript and is not used any more."
}

// forgotFor is how long it is known who wanted to be forgotten: nothing waits longer
// to be answered.
const forgotFor = 24 * time.Hour

// dropFrom drops what waits of somebody who wants to be forgotten; what is being
// answered is not kept in the window.
func (b *Bot) dropFrom(user string) {
	dropped := map[string][]string{} // ids by channel
	defer func() {
		for channel, ids := range dropped {
			b.settle(channel, ids...)
		}
	}()
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, at := range b.forgot {
		if time.Since(at) > forgotFor {
			delete(b.forgot, id)
			delete(b.clean, id) // and looked for anew
		}
	}
	b.forgot[user] = time.Now()
	for key, p := range b.pending {
		if strings.HasSuffix(key, "/"+user) && b.never(p.timer) {
			delete(b.pending, key)
			dropped[p.job.channel()] = append(dropped[p.job.channel()], p.job.all()...)
		}
	}
	for _, s := range b.fun {
		if s.job != nil {
			s.job.parts = slices.DeleteFunc(s.job.parts, func(m connection.Message) bool { return m.Author.ID == user })
			if len(s.job.parts) == 0 {
				b.dropFun(s)
			}
		}
	}
}

// isForgotten reports whether an author of a job wanted to be forgotten since they wrote it.
func (b *Bot) isForgotten(j *job) bool {
	return slices.ContainsFunc(j.authors(), func(id string) bool { return b.hasForgotten(id, j.since) })
}

// hasForgotten reports whether somebody wanted to be forgotten since then.
func (b *Bot) hasForgotten(user string, since time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.forgot[user].After(since)
}

// forgetPerson erases what is known of a person.
func (b *Bot) forgetPerson(ctx context.Context, user string) string {
	b.mu.Lock()
	nothing := b.clean[user]
	b.clean[user] = true // until they are part of a conversation again
	b.mu.Unlock()
	if nothing {
		return "There is nothing of yours that I remember."
	}
	text, ok := b.forgetAll(ctx, user)
	if !ok {
		b.mu.Lock()
		delete(b.clean, user)
		b.mu.Unlock()
	}
	return text
}

// forgetAll goes through all there is; ok is false where something could not be erased.
func (b *Bot) forgetAll(ctx context.Context, user string) (text string, ok bool) {
	rows, err := b.p.State.ForgetAuthor(ctx, user)
	if err != nil {
		b.log.Warn("a person could not be forgotten", "err", err)
		return "That did not work. Please try again, or ask my owner.", false
	}
	text = fmt.Sprintf("Forgotten: %d recent messages.", rows)
	if b.p.Forget == nil {
		return text, true
	}
	more, err := b.p.Forget(ctx, user)
	if err != nil {
		b.log.Warn("a person was not forgotten everywhere", "err", err)
		return text + " Not everything could be erased; my owner has to look at it: " + more, false
	}
	b.hearing.Lock()
	clear(b.heard) // the transcripts hold less now
	b.hearing.Unlock()
	return text + " " + more, true
}

// PlaceOf is what sessionmem asks of a Discord session: whose channel it is.
func (b *Bot) PlaceOf(session string) compact.Place {
	channel, ok := strings.CutPrefix(session, "discord-")
	if !ok || !connection.IsID(channel) {
		return compact.Place{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	place, err := b.p.Client.Place(ctx, channel)
	if err != nil {
		place = connection.Place{ID: channel}
	}
	f := b.p.Channels()
	out := compact.Place{Server: place.Guild, Person: func(name string) string { return b.personCalled(channel, name) }}
	out.Silent = f.For(place.ID, place.Parent).Mode == channels.HavingFun
	if f.Mapped(place.ID, place.Parent) {
		out.Agent = f.For(place.ID, place.Parent).Agent
	}
	return out
}

// personCalled is the id of somebody who wrote in a channel lately; "" where nobody,
// or more than one, is called so.
func (b *Bot) personCalled(channel, name string) string {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	window, err := b.p.State.Window(ctx, channel)
	if err != nil {
		return ""
	}
	id := ""
	for _, m := range window {
		if m.Role != "user" || strings.Contains(m.Author, " ") || !strings.EqualFold(m.Name, strings.TrimSpace(name)) {
			continue
		}
		if id != "" && id != m.Author {
			return ""
		}
		id = m.Author
	}
	return id
}

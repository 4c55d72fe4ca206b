package discord

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mac-stats/app/discord/connection"
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

// commands carries out people's commands.
type commands struct {
	*desk
	*tasks
	queue   *queue
	waiting *waiting
	people  *people
	record  *record
	seen    *seen
}

// offerCommands registers the slash commands with Discord.
func (cm *commands) offerCommands(ctx context.Context) {
	err := cm.p.Client.SetCommands(ctx, []connection.SlashCommand{
		{Name: opStop, Description: "Stop the answer that is being written here, and drop what waits"},
		{Name: opStatus, Description: "Show what the bot is doing"},
	})
	if err != nil {
		cm.log.Warn("Discord doesn't offer the slash commands; /stop and /status work as text", "err", err)
	}
}

// operator returns the command of a message if it is one that always gets through.
func (cm *commands) operator(m connection.Message) string {
	if len(m.Text) > 200 || m.Author.Bot || m.Webhook || m.System || !cm.isAddressed(m) && !strings.HasPrefix(strings.TrimSpace(m.Text), "/") {
		return ""
	}
	_, rest := cm.cutName(m.Text)
	for _, op := range []string{opStop, opStatus} {
		if rest == "/"+op {
			return op
		}
	}
	return ""
}

// operate runs a command that always gets through.
func (cm *commands) operate(ctx context.Context, op string, m connection.Message) {
	place, err := cm.placeOf(ctx, m)
	if err != nil || !cm.p.Channels().May(m.Author.ID, m.Roles, m.Channel, place.Parent) || !cm.seen.isNew(ctx, m.ID) {
		return
	}
	cm.say(ctx, m, cm.operated(op, m.Channel))
}

// slash answers a slash command.
func (cm *commands) slash(ctx context.Context, cmd connection.Command) {
	parent := ""
	if cmd.Guild != "" {
		if place, err := cm.p.Client.Place(ctx, cmd.Channel); err == nil {
			parent = place.Parent
		}
	}
	text := "You may not do that here: ask my owner to let you in."
	if cm.p.Channels().May(cmd.User.ID, cmd.Roles, cmd.Channel, parent) {
		text = cm.operated(cmd.Name, cmd.Channel)
	}
	if err := cm.p.Client.Answer(ctx, cmd, text); err != nil {
		cm.log.Warn("a slash command got no answer", "err", err)
	}
}

// operated runs the command and returns the text to answer.
func (cm *commands) operated(op, channel string) string {
	switch op {
	case opStop:
		return cm.stop(channel)
	case opStatus:
		return cm.status(channel)
	}
	return "There is no such command."
}

// stop ends the answer in progress in a channel and drops what waits there.
func (cm *commands) stop(channel string) string {
	dropped, end := cm.waiting.stop(channel)
	if end != nil {
		end()
	}
	if cm.p.State.Settle(context.Background(), channel) != nil {
		cm.log.Warn("what was stopped will be told of at the next start", "channel", channel)
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

// status returns what the bot is doing, without any of the conversation.
func (cm *commands) status(channel string) string {
	all, here, busy := cm.queue.counts(channel)
	text := "I'm here."
	if since, _ := cm.queue.at(channel); !since.IsZero() {
		text += fmt.Sprintf(" Answering in this channel for %s.", time.Since(since).Round(time.Second))
	}
	return text + fmt.Sprintf(" Waiting here: %d, in total: %d; channels being answered: %d.", here, all, busy)
}

// isCommand reports whether a message is a command after the bot's name, which may be
// omitted in a direct conversation.
func (cm *commands) isCommand(m connection.Message) bool {
	named, rest := cm.cutName(m.Text)
	return (named || m.Direct()) && slices.Contains(nameCommands, rest)
}

// command runs such a command.
func (cm *commands) command(m connection.Message, place connection.Place) {
	_, rest := cm.cutName(m.Text)
	do := func(ctx context.Context) string { return cm.sessionStatus(ctx, place) }
	switch rest {
	case cmdResetSession:
		do = func(ctx context.Context) string { return cm.resetSession(ctx, place) }
	case cmdForgetMe:
		cm.dropFrom(m.Author.ID) // now, in order: what they write from here on is new
		do = func(ctx context.Context) string { return cm.forgetPerson(ctx, m.Author.ID) }
	}
	cm.spawn(func(ctx context.Context) { cm.say(ctx, m, do(ctx)) })
}

// sessionStatus returns what is safe to reveal about a channel's session: counts and roles.
func (cm *commands) sessionStatus(ctx context.Context, place connection.Place) string {
	session, err := cm.p.Sessions.Context(ctx, sessionName(place.ID))
	window, windowErr := cm.p.State.Window(ctx, place.ID)
	if err != nil || windowErr != nil {
		cm.log.Warn("the session's status can't be read", "channel", place.ID, "err", err, "window_err", windowErr)
		return "The session's status can't be read just now."
	}
	set := cm.p.Settings()
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

// resetSession starts the channel's session again, and touches no other.
func (cm *commands) resetSession(ctx context.Context, place connection.Place) string {
	cm.stop(place.ID)
	if err := cm.p.Sessions.Reset(ctx, sessionName(place.ID)); err != nil {
		cm.log.Warn("a session could not be reset", "channel", place.ID, "err", err)
		return "The session could not be reset. Please try again."
	}
	if err := cm.p.State.Clear(ctx, place.ID); err != nil {
		cm.log.Warn("a window could not be emptied", "channel", place.ID, "err", err)
	}
	return "Done: this channel's session begins anew. What was said before stays in the owner's transcript and is not used any more."
}

// dropFrom drops the waiting messages of somebody who wants to be forgotten. Answers in
// progress aren't added to the window.
func (cm *commands) dropFrom(user string) {
	cm.people.forget(user)
	for channel, ids := range cm.waiting.dropFrom(user) {
		cm.settle(channel, ids...)
	}
}

// forgetPerson erases what is known about a person.
func (cm *commands) forgetPerson(ctx context.Context, user string) string {
	if cm.people.cleaned(user, true) {
		return "There is nothing of yours that I remember."
	}
	text, ok := cm.forgetAll(ctx, user)
	if !ok {
		cm.people.cleaned(user, false)
	}
	return text
}

// forgetAll goes through all places; ok is false if something couldn't be erased.
func (cm *commands) forgetAll(ctx context.Context, user string) (text string, ok bool) {
	rows, err := cm.p.State.ForgetAuthor(ctx, user)
	if err != nil {
		cm.log.Warn("a person could not be forgotten", "err", err)
		return "That did not work. Please try again, or ask my owner.", false
	}
	text = fmt.Sprintf("Forgotten: %d recent messages.", rows)
	if cm.p.Forget == nil {
		return text, true
	}
	more, err := cm.p.Forget(ctx, user)
	if err != nil {
		cm.log.Warn("a person was not forgotten everywhere", "err", err)
		return text + " Not everything could be erased; my owner has to look at it: " + more, false
	}
	cm.record.forget()
	return text + " " + more, true
}

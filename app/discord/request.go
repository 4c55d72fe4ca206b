package discord

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/app/discord/channels"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

const maxFileBytes = 10 << 20

// request returns the turn for a job.
func (an *answerer) request(ctx context.Context, j *job, set Settings, a around, before window) agents.Request {
	f := an.p.Channels()
	here := f.For(j.place.ID, j.place.Parent)
	m, said := j.message(), an.textOf(j)
	text := said.words()
	m.Attachments = append(m.Attachments, a.pictures()...)
	files, unread := an.download(ctx, m)
	j.unread = unread
	switch {
	case text != "" && a.about != nil && hasNoWords(text):
		text += "\n\n(they call you to answer the message of " + shortName(a.about.Author.Name) + ")"
	case text != "" || len(files) > 0 && len(a.passed) == 0:
	case a.about != nil: // whose words stay theirs: they are quoted
		text = "(no words of their own: they call you to answer the message of " + shortName(a.about.Author.Name) + ")"
	case len(a.passed) > 0:
		text = "(passed a message on, without words of their own)"
	default:
		text = "(The message has no text: its author only called for you.)"
	}
	if len(j.unread) > 0 {
		text += "\n\n(" + strings.Join(j.unread, " ") + ")"
	}
	place := &agents.Place{
		Prompt: an.prompt(j, here), Tools: here.Tools,
		Lessons: memory.Target{Kind: memory.TargetChannel, ID: j.place.ID},
		Attrs:   attrsOf(j, said, before),
		Turns:   set.HistoryTurns, MessageChars: set.MessageMaxChars,
		Global: m.Direct() && f.Owner(m.Author.ID) && !j.fun,
	}
	if len(j.authors()) == 1 { // otherwise the names are in the text
		place.Author = shortName(m.Author.Name)
	}
	an.setMemory(place, j, set)
	if f.Mapped(j.place.ID, j.place.Parent) {
		place.OwnMemory = true
		if an.p.OwnMemory != nil {
			if own, ok := an.p.OwnMemory(here.Agent); ok {
				place.Lessons = own
			}
		}
	}
	if j.fun {
		place.Tools = nil
	}
	place.Around = func(history []transcript.Block) string {
		text, n := a.text(knownIn(history, before.answers), an.p.Client.Bot().ID)
		if n > 0 {
			an.telemetry.write(subsysContext, "merge_ok", map[string]any{"case": a.kind, "msgs": n, "chars": len([]rune(text))})
		}
		return text
	}
	return agents.Request{
		Session: sessionName(j.channel()), Text: text, Agent: here.Agent, Model: here.Model, Files: files, Place: place, Holder: "Discord",
	}
}

// attrsOf returns the attributes of the User block.
func attrsOf(j *job, said userText, before window) map[string]string {
	attrs := map[string]string{attrAuthor: j.last().Author.ID, attrMessage: j.last().ID, attrParts: said.attr(j.last().ID)}
	for key, ids := range map[string][]string{attrAlso: j.also(), attrSent: before.sent} {
		attrs[key] = strings.Join(ids, " ")
	}
	if authors := j.authors(); len(authors) > 1 {
		attrs[attrAuthors] = strings.Join(authors, " ")
	}
	maps.DeleteFunc(attrs, func(_, value string) bool { return value == "" })
	return attrs
}

// setMemory names the memory files for a turn: those of the channel, the server and the
// person who asks. If several people are answered at once, no person's memory is used.
func (an *answerer) setMemory(place *agents.Place, j *job, set Settings) {
	add := func(kind memory.TargetKind, id, heading string) {
		if connection.IsID(id) {
			place.Memory = append(place.Memory, agents.SharedTarget{Target: memory.Target{Kind: kind, ID: id}, Heading: heading, Budget: set.ChannelBudget})
		}
	}
	add(memory.TargetChannel, j.place.ID, "About this channel")
	add(memory.TargetServer, j.place.Guild, "About this server")
	if len(j.authors()) > 1 {
		return
	}
	heading := "About " + place.Author
	if !j.last().Direct() {
		heading += ", who asks (others read along: let it help you, don't recite it)"
	}
	add(memory.TargetPerson, j.last().Author.ID, heading)
}

// prompt returns what comes first in the call.
func (an *answerer) prompt(j *job, here channels.Settings) string {
	parts := []string{an.p.Prompt()}
	if here.Prompt != "" {
		parts = append(parts, here.Prompt)
	}
	if j.fun {
		parts = append(parts, casualManner(time.Now()))
	}
	return strings.Join(parts, "\n\n")
}

// download fetches the attachments. problems names those that can't be used.
func (an *answerer) download(ctx context.Context, m connection.Message) (files []attach.File, problems []string) {
	for i, a := range m.Attachments {
		name := sanitize(a.Name, 80)
		if i >= attach.Max {
			return files, append(problems, fmt.Sprintf("Only the first %d attached files were read.", i))
		}
		if a.Size > maxFileBytes {
			problems = append(problems, "The attached file "+name+" is too large to be read.")
			continue
		}
		data, err := an.p.Client.Download(ctx, a.URL, maxFileBytes)
		if err != nil {
			an.log.Warn("an attached file could not be fetched", "channel", m.Channel, "err", err)
			problems = append(problems, "The attached file "+name+" could not be fetched.")
			continue
		}
		up, err := attach.New(ctx, name, data)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		files = append(files, up)
	}
	return files, problems
}

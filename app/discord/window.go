package discord

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/app/discord/botstate"
	"mac-stats/app/discord/connection"
	"mac-stats/sessionmem/transcript"
)

// The attributes that link a User block to the messages on Discord.
const (
	attrAuthor  = "author"  // the author's ID
	attrAuthors = "authors" // the authors' IDs if there are several
	attrMessage = "msg"     // the message's ID
	attrAlso    = "also"    // the IDs of earlier messages that are part of it
	attrParts   = "parts"   // if there are several: each message's share of the text, see userText
	// attrSent holds the IDs of the messages that the previous answer was sent as. They
	// aren't known yet when that answer is written.
	attrSent = "sent"
)

// window holds what is known about a channel's last messages.
type window struct {
	answers map[string][]string // by block: the IDs of the messages that answers were sent as
	sent    []string            // those of the last answer
	done    bool                // the transcript holds the message to be answered
}

// window reads a channel's window from the state. If that is empty, window rebuilds it from
// the transcript, and checks there whether the message was answered before.
func (an *answerer) window(ctx context.Context, j *job) window {
	rows, err := an.p.State.Window(ctx, j.channel())
	if err != nil {
		an.log.Warn("the window can't be read", "channel", j.channel(), "err", err)
	}
	out := window{answers: map[string][]string{}}
	if len(rows) == 0 {
		rows, out.done = an.rebuild(ctx, j)
	}
	for _, r := range rows {
		if r.Role != botstate.RoleAssistant {
			continue
		}
		if out.sent = nil; connection.IsID(r.ID) {
			out.sent = append([]string{r.ID}, r.Parts...)
			out.answers[r.Block] = out.sent
		}
	}
	return out
}

// rebuild fills a channel's window from its transcript. done reports whether the transcript
// holds the job's message.
func (an *answerer) rebuild(ctx context.Context, j *job) (rows []botstate.Message, done bool) {
	channel := j.channel()
	session, err := an.p.Sessions.Context(ctx, sessionName(channel))
	if err != nil || len(session.Messages) == 0 {
		return nil, false
	}
	for _, m := range session.Messages {
		ids := strings.Fields(m.Attrs[attrMessage] + " " + m.Attrs[attrAlso])
		done = done || slices.Contains(ids, j.last().ID)
		if sent, n := strings.Fields(m.Attrs[attrSent]), len(rows); len(sent) > 0 && n > 0 && rows[n-1].Role == botstate.RoleAssistant {
			rows[n-1].ID, rows[n-1].Parts = sent[0], sent[1:]
		}
		row := botstate.Message{
			ID: "block-" + m.ID, Channel: channel, Role: string(m.Kind), Author: cmp.Or(m.Attrs[attrAuthors], m.Attrs[attrAuthor]), Name: m.Attrs["name"],
			Text: m.Text, Block: m.ID, At: m.Time,
		}
		if len(ids) > 0 {
			row.ID, row.Parts = ids[0], ids[1:]
		}
		rows = append(rows, row)
	}
	if err := an.p.State.Put(ctx, rows...); err != nil {
		an.log.Warn("the window could not be made anew", "channel", channel, "err", err)
	}
	return rows, done
}

// keep adds the message and its answer to the window.
func (an *answerer) keep(ctx context.Context, j *job, d *draft, result agents.Result, text string) {
	if result.UserID == "" || an.people.isForgotten(j) {
		return // the message isn't or is no longer part of the session
	}
	m, said := j.last(), an.textOf(j)
	rows := []botstate.Message{{
		ID: m.ID, Channel: m.Channel, Role: botstate.RoleUser, Author: strings.Join(j.authors(), " "), Name: m.Author.Name,
		Text: said.words(), Block: result.UserID, Parts: j.also(), At: j.since,
	}}
	an.record.addHeld(m.Channel, result.UserID, append(j.also(), m.ID)...)
	an.record.addHeld(m.Channel, result.AnswerID, d.posted...)
	if text != "" && result.AnswerID != "" {
		row := botstate.Message{ID: "block-" + result.AnswerID, Channel: m.Channel, Role: botstate.RoleAssistant, Author: an.p.Client.Bot().ID, Text: text, Block: result.AnswerID, At: time.Now()}
		if len(d.posted) > 0 {
			row.ID, row.Parts = d.posted[0], d.posted[1:]
		}
		rows = append(rows, row)
	}
	if err := an.p.State.Put(ctx, rows...); err != nil {
		an.log.Warn("a message is not in the window; the transcript has it", "channel", m.Channel, "err", err)
	}
	if an.people.isForgotten(j) { // a moment ago
		for _, author := range j.authors() {
			if !an.people.wasForgotten(author, j.since) {
				continue
			}
			if _, err := an.p.State.ForgetAuthor(ctx, author); err != nil {
				an.log.Warn("a message of somebody who is forgotten is in the window", "channel", m.Channel, "err", err)
			}
		}
	}
}

// known holds the messages that are already in the history.
type known struct {
	ids   map[string]bool
	texts map[string]bool // the texts of posted answers whose IDs were lost
}

// knownIn returns the messages in the history. The transcript has the IDs of people's
// messages; those of an answer are in the transcript's next message and in the window.
func knownIn(history []transcript.Block, answers map[string][]string) known {
	k := known{ids: map[string]bool{}, texts: map[string]bool{}}
	for _, b := range history {
		ids := b.Attrs[attrMessage] + " " + b.Attrs[attrAlso] + " " + b.Attrs[attrSent]
		for _, id := range append(strings.Fields(ids), answers[b.ID]...) {
			k.ids[id] = true
		}
		if b.Kind != transcript.KindAssistant {
			continue
		}
		parts, _ := partsOf(b.Text)
		for _, part := range parts {
			k.texts[strings.TrimSpace(part)] = true
		}
	}
	return k
}

// holds reports whether the history holds a message. bot is the bot's own ID.
func (k known) holds(m connection.Message, bot string) bool {
	if k.ids[m.ID] {
		return true
	}
	text, _, _ := strings.Cut(m.Text, unreadSign)
	return m.Author.ID == bot && k.texts[strings.TrimSpace(text)]
}

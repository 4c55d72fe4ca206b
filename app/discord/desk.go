package discord

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"mac-stats/app/discord/connection"
)

// desk is what every part of the bot works at: Discord, the settings, the log.
type desk struct {
	p         Params
	log       *slog.Logger
	telemetry *telemetry
	limits    *limiter
}

// say posts a short text of the bot's own, as an answer to a message.
func (dk *desk) say(ctx context.Context, m connection.Message, text string) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if _, err := dk.p.Client.Send(ctx, m.Channel, connection.Outgoing{Text: cutTo(text, partSize), Reply: m.ID, Nonce: "s" + m.ID}); err != nil {
		dk.log.Warn("a message could not be sent", "channel", m.Channel, "err", err)
	}
}

// sessionName is a channel's session. Ids are digits, as the connection makes sure.
func sessionName(channel string) string { return "discord-" + channel }

// lookTimeout is how long asking Discord what a channel is may take.
const lookTimeout = 5 * time.Second

// placeOf tells where a message is.
func (dk *desk) placeOf(ctx context.Context, m connection.Message) (connection.Place, error) {
	if m.Direct() {
		return connection.Place{ID: m.Channel, Kind: connection.KindDirect}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return dk.p.Client.Place(ctx, m.Channel)
}

// spokenTo reports whether a message is for the bot: it mentions it, answers it, is
// in a direct conversation, or begins with its name and a command.
func (dk *desk) spokenTo(m connection.Message) bool {
	bot := dk.p.Client.Bot().ID
	if m.Direct() || m.Mentioned(bot) || m.Answered != nil && m.Answered.Author.ID == bot {
		return true
	}
	name, rest := dk.cutName(m.Text)
	return name && slices.Contains(nameCommands, rest)
}

// cutName takes the mention of the bot, or its name, off the beginning of a text; the
// rest is in lower case, without signs at its end.
func (dk *desk) cutName(text string) (named bool, rest string) {
	text = strings.TrimSpace(text)
	for _, mention := range []string{"<@" + dk.p.Client.Bot().ID + ">", "<@!" + dk.p.Client.Bot().ID + ">"} {
		if after, ok := strings.CutPrefix(text, mention); ok {
			named, text = true, strings.TrimSpace(after)
		}
	}
	low := strings.ToLower(text)
	if after, ok := strings.CutPrefix(low, strings.ToLower(dk.p.Settings().Name)); ok && (after == "" || strings.ContainsAny(after[:1], " ,:")) {
		named, low = true, strings.TrimLeft(after, " ,:")
	}
	return named, strings.Join(strings.Fields(strings.TrimRight(low, " .!?")), " ")
}

// settle notes that messages wait no more.
func (dk *desk) settle(channel string, ids ...string) {
	if len(ids) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	if err := dk.p.State.Settle(ctx, channel, ids...); err != nil {
		dk.log.Warn("a message that is done with will be told of at the next start", "channel", channel, "err", err)
	}
}

// otherMention is a mention of somebody, a role or a channel.
var otherMention = regexp.MustCompile(`<(@!?|@&|#)(\d{1,20})>`)

// plainText is a message's text as the model is told it: without the bot's own
// mention, and with names for those of others.
func (dk *desk) plainText(m connection.Message) string {
	bot := dk.p.Client.Bot().ID
	text := strings.NewReplacer("<@"+bot+">", "", "<@!"+bot+">", "", "\r\n", "\n", "\r", "\n").Replace(m.Text)
	return strings.TrimSpace(named(connection.Message{Text: text, Mentions: m.Mentions}))
}

// named is a message's text with names in the place of mentions.
func named(m connection.Message) string {
	return otherMention.ReplaceAllStringFunc(m.Text, func(found string) string {
		parts := otherMention.FindStringSubmatch(found)
		for _, u := range m.Mentions {
			if u.ID == parts[2] {
				return "@" + shortName(u.Name)
			}
		}
		return map[string]string{"#": "#channel", "@&": "@role", "@": "@somebody", "@!": "@somebody"}[parts[1]]
	})
}

// textOf is what a job says. Where several people said it, their names stand before
// their words.
func (dk *desk) textOf(j *job) told {
	var t told
	several := len(j.authors()) > 1
	for _, m := range j.parts {
		p := part{id: m.ID, text: dk.plainText(m)}
		if several {
			p.name, p.text = shortName(m.Author.Name)+": ", tame(p.text, maxLine)
		}
		if p.text == "" {
			p.name = ""
		}
		t.parts = append(t.parts, p)
	}
	return t
}

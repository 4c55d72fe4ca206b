package discord

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mac-stats/app/discord/connection"
)

// desk is what all parts of the bot share: Discord, the settings, the log.
type desk struct {
	p         Params
	log       *slog.Logger
	telemetry *telemetry
	limits    *limiter
}

// say posts a short text by the bot itself in reply to a message.
func (dk *desk) say(ctx context.Context, m connection.Message, text string) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if _, err := dk.p.Client.Send(ctx, m.Channel, connection.Outgoing{Text: cutTo(text, partSize), Reply: m.ID, Nonce: "s" + m.ID}); err != nil {
		dk.log.Warn("a message could not be sent", "channel", m.Channel, "err", err)
	}
}

// sessionName returns the name of a channel's session. The connection ensures that IDs are
// digits.
func sessionName(channel string) string { return "discord-" + channel }

// lookTimeout is how long a request for a channel's properties may take.
const lookTimeout = 5 * time.Second

// placeOf returns the place of a message.
func (dk *desk) placeOf(ctx context.Context, m connection.Message) (connection.Place, error) {
	if m.Direct() {
		return connection.Place{ID: m.Channel, Kind: connection.KindDirect}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return dk.p.Client.Place(ctx, m.Channel)
}

// isAddressed reports whether a message is for the bot: it mentions it, replies to it, is in a
// direct conversation, or begins with its name and a command.
func (dk *desk) isAddressed(m connection.Message) bool {
	bot := dk.p.Client.Bot().ID
	if m.Direct() || m.Mentioned(bot) || m.Answered != nil && m.Answered.Author.ID == bot {
		return true
	}
	name, rest := dk.cutName(m.Text)
	return name && (slices.Contains(nameCommands, rest) || rest == "/"+opStop || rest == "/"+opStatus)
}

// cutName removes the mention of the bot, or its name, from the beginning of a text. rest
// is in lower case, without signs at its end.
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

// settle records that messages no longer wait.
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

// mark matches what Discord shows in another form than it is written: a mention of a person, a
// role or a channel, a command, an emoji of a server, a time.
var mark = regexp.MustCompile(`<(@!?|@&|#)(\d{1,20})>|<(/[^:<>\n]{1,64}):\d{1,20}>|<a?(:\w{1,32}:)\d{1,20}>|<t:(-?\d{1,12})(?::[a-zA-Z])?>|<id:(\w{1,20})>`)

// plainText returns a message's text for the model: without the mention of the bot, and
// with names for other mentions.
func (dk *desk) plainText(m connection.Message) string {
	bot := dk.p.Client.Bot().ID
	text := strings.NewReplacer("<@"+bot+">", "", "<@!"+bot+">", "", "\r\n", "\n", "\r", "\n").Replace(m.Text)
	return strings.TrimSpace(named(connection.Message{Text: text, Mentions: m.Mentions, Shows: m.Shows}))
}

// named returns a message's text as people see it, and behind it what else the message shows.
func named(m connection.Message) string {
	text := mark.ReplaceAllStringFunc(m.Text, func(found string) string {
		p := mark.FindStringSubmatch(found)
		switch {
		case p[3] != "":
			return p[3]
		case p[4] != "":
			return p[4]
		case p[5] != "":
			seconds, _ := strconv.ParseInt(p[5], 10, 64) // digits
			return time.Unix(seconds, 0).Format("2006-01-02 15:04")
		case p[6] != "":
			return "#" + p[6]
		}
		for _, u := range m.Mentions {
			if u.ID == p[2] {
				return "@" + shortName(u.Name)
			}
		}
		return map[string]string{"#": "#channel", "@&": "@role", "@": "@somebody", "@!": "@somebody"}[p[1]]
	})
	return strings.TrimSpace(strings.Join(append([]string{text}, m.Shows...), "\n"))
}

// textOf returns the text of a job. If several people wrote it, their names precede their
// words.
func (dk *desk) textOf(j *job) userText {
	var t userText
	several := len(j.authors()) > 1
	for _, m := range j.parts {
		p := part{id: m.ID, text: dk.plainText(m)}
		if several {
			p.name, p.text = shortName(m.Author.Name)+": ", sanitize(p.text, maxLine)
		}
		if p.text == "" {
			p.name = ""
		}
		t.parts = append(t.parts, p)
	}
	return t
}

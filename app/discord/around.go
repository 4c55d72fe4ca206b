package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mac-stats/app/discord/connection"
)

// How much of another person's message is quoted, in characters: of a bystander's, and of the one
// that the person replied to, which is all of it.
const (
	maxLine   = 1000
	maxChosen = 5000
)

// around is the conversation around a message.
type around struct {
	kind    string // thread | reply | "" for a message that stands alone
	title   string // of a forum's post
	starter *connection.Message
	block   []connection.Message // oldest first, without the message itself
	passed  []connection.Forward // forwarded in the message
	target  string               // the message an answer in a thread replies to; "" for none
	about   *connection.Message  // the message that a message without words draws attention to; also in block
	meant   string               // the message that the person replied to; also in block
}

// collector gathers the conversation around a message, within caps that all its parts
// share.
type collector struct {
	client    Client
	set       Settings
	telemetry *telemetry
	bot       string
	message   connection.Message
	place     connection.Place
	began     time.Time
}

// collect gathers the conversation around a job. It has no errors: what can't be fetched is
// left out and recorded in the telemetry, and the message is answered as it is.
func (an *answerer) collect(ctx context.Context, j *job, set Settings) around {
	ctx, cancel := context.WithTimeout(ctx, set.FetchTimeout)
	defer cancel()
	m := j.message()
	c := collector{client: an.p.Client, set: set, telemetry: an.telemetry, bot: an.p.Client.Bot().ID, message: m, place: j.place, began: time.Now()}
	var out around
	switch {
	case j.place.Kind == connection.KindThread:
		out = c.thread(ctx)
	case m.Reply != "":
		out = c.chain(ctx)
	}
	for _, part := range j.parts {
		out.passed = append(out.passed, part.Forwards...)
	}
	return out
}

// thread gathers a thread's last messages, or, if the bot was mentioned, its starter and
// what was said there recently.
func (c *collector) thread(ctx context.Context) around {
	out := around{target: c.message.ID}
	mentioned := c.message.Mentioned(c.bot)
	want := c.set.TailCount + 10
	if mentioned {
		want = max(want, min(c.set.MaxMsgs, 99)+1)
	}
	recent, err := c.client.Messages(ctx, c.message.Channel, "", min(want, 100))
	if err != nil {
		c.telemetry.write(subsysThread, "tail_fallback", map[string]any{"reason": reasonOf(err)})
		if mentioned {
			c.telemetry.write(subsysContext, "collect_fallback", map[string]any{"case": "thread", "reason": reasonOf(err)})
		}
		return out
	}
	target := c.newestHuman(recent)
	if target == nil {
		out.target = ""
	} else {
		out.target = target.ID
		if hasNoWords(c.message.Text) && target.ID != c.message.ID {
			out.about = target
		}
	}
	tail := c.tail(recent, out.target)
	c.telemetry.write(subsysThread, "tail_ok", map[string]any{"k": c.set.TailCount, "reply_target": out.target, "count": len(tail)})
	out.kind = "thread"
	if parent, err := c.client.Place(ctx, c.place.Parent); err == nil && parent.Kind == connection.KindForum {
		out.title = c.place.Name
	}
	list := tail
	if mentioned {
		out.starter = c.starter(ctx)
		list = c.said(recent)
	}
	if m := c.answered(ctx); m != nil {
		out.meant = m.ID
		list = slices.DeleteFunc(slices.Clone(list), func(o connection.Message) bool { return o.ID == m.ID })
		list = append(list, c.said([]connection.Message{*m}, m.ID)...)
	}
	out.block = c.capped(&out, list)
	return out
}

// answered returns the message that the person replied to.
func (c *collector) answered(ctx context.Context) *connection.Message {
	if c.message.Reply == "" {
		return nil
	}
	if m, err := c.client.Message(ctx, c.message.Channel, c.message.Reply); err == nil {
		return &m
	}
	return c.message.Answered // included in the event
}

// newestHuman returns the newest message with content that a person wrote: the one that an
// answer in a thread replies to.
func (c *collector) newestHuman(recent []connection.Message) *connection.Message {
	var empty *connection.Message
	for _, m := range slices.Backward(recent) {
		if m.System || m.Webhook || m.Author.Bot {
			continue
		}
		if !hasNoWords(m.Text) {
			return &m
		}
		if empty == nil {
			empty = &m
		}
	}
	return empty
}

// said returns the messages of people and of this bot. The message that the person replied to, or
// draws attention to, is among them whoever wrote it.
func (c *collector) said(list []connection.Message, chosen ...string) []connection.Message {
	var out []connection.Message
	for _, m := range list {
		bystander := m.System || m.Webhook || m.Author.Bot && m.Author.ID != c.bot
		if bystander && !slices.Contains(chosen, m.ID) || m.ID == c.message.ID || quotedText(m) == "" {
			continue
		}
		out = append(out, m)
	}
	return out
}

// tail returns the last messages before the target, oldest first.
func (c *collector) tail(recent []connection.Message, target string) []connection.Message {
	end := len(recent)
	if i := slices.IndexFunc(recent, func(m connection.Message) bool { return m.ID == target }); target != "" && i >= 0 {
		end = i
	}
	list := c.said(recent[:end])
	return list[max(len(list)-c.set.TailCount, 0):]
}

// starter returns the message that began a thread: in a forum its own first one, else the
// one in the parent channel that has the thread's ID.
func (c *collector) starter(ctx context.Context) *connection.Message {
	for _, channel := range []string{c.place.ID, c.place.Parent} {
		if channel == "" {
			continue
		}
		m, err := c.client.Message(ctx, channel, c.place.ID)
		if err != nil && !errors.Is(err, connection.ErrGone) { // it is in the other place, or deleted
			c.telemetry.write(subsysContext, "collect_fallback", map[string]any{"case": "thread", "reason": reasonOf(err)})
		}
		if err == nil && m.ID != c.message.ID && len(c.said([]connection.Message{m})) == 1 {
			return &m
		}
	}
	return nil
}

// chain follows the replies upwards from a message, and nothing beside them.
func (c *collector) chain(ctx context.Context) around {
	out := around{kind: "reply"}
	var list []connection.Message
	seen := map[string]bool{c.message.ID: true}
	next, from := c.message.Reply, c.message.Answered
	for next != "" && !seen[next] && len(list) <= c.set.MaxMsgs {
		seen[next] = true
		var m connection.Message
		if from != nil && from.ID == next && from.Reply != "" {
			m = *from
		} else {
			var err error
			if m, err = c.client.Message(ctx, c.message.Channel, next); err != nil {
				c.telemetry.write(subsysContext, "collect_fallback", map[string]any{"case": "reply", "reason": reasonOf(err)})
				if from == nil {
					break
				}
				m = *from // included in the event
			}
		}
		from = m.Answered
		list = append(list, m)
		next = m.Reply
	}
	slices.Reverse(list)
	if n := len(list); n > 0 && hasNoWords(c.message.Text) && list[n-1].Author.ID != c.bot {
		out.about = &list[n-1]
	}
	out.meant = c.message.Reply
	out.block = c.capped(&out, c.said(list, out.meant))
	if len(out.block) == 0 {
		out.kind = ""
	}
	return out
}

// capped keeps the newest messages within the caps. The starter counts, whatever its age.
func (c *collector) capped(out *around, list []connection.Message) []connection.Message {
	most, chars, cut := c.set.MaxMsgs, c.set.MaxChars, false
	if out.starter != nil && (most < 1 || utf8.RuneCountInString(quotedLine(*out.starter, false)) > chars) {
		out.starter, cut = nil, true
	}
	if out.starter != nil {
		most, chars = most-1, chars-utf8.RuneCountInString(quotedLine(*out.starter, false))
		list = slices.DeleteFunc(slices.Clone(list), func(m connection.Message) bool { return m.ID == out.starter.ID })
	}
	at := len(list)
	for at > 0 {
		m := list[at-1]
		n := utf8.RuneCountInString(quotedLine(m, m.ID == out.meant)) + 1
		chosen := m.ID == out.meant // by the person: limits are for bystanders
		old := !chosen && c.set.MaxAge > 0 && !m.Time.IsZero() && c.message.Time.Sub(m.Time) > c.set.MaxAge
		if old || !chosen && (len(list)-at >= most || n > chars) {
			cut = true
			break
		}
		chars -= n
		at--
	}
	list = list[at:]
	if out.about != nil && !slices.ContainsFunc(list, func(m connection.Message) bool { return m.ID == out.about.ID }) {
		if said := c.said([]connection.Message{*out.about}, out.about.ID); len(said) == 1 { // whatever its age and length: the question is about it
			list = append(slices.Clone(list), said...)
			slices.SortStableFunc(list, func(a, b connection.Message) int { return a.Time.Compare(b.Time) })
		} else {
			out.about = nil
		}
	}
	detail := map[string]any{"case": out.kind, "msgs": len(list), "chars": c.set.MaxChars - chars, "ms": time.Since(c.began).Milliseconds()}
	if out.starter != nil {
		detail["msgs"] = len(list) + 1
	}
	if out.kind == "reply" || c.message.Mentioned(c.bot) {
		c.telemetry.write(subsysContext, "collect_ok", detail)
		if cut {
			c.telemetry.write(subsysContext, "collect_truncated", detail)
		}
	}
	return list
}

// pictures returns the images of the message that the person replied to.
func (a around) pictures() (list []connection.Attachment) {
	for _, m := range a.block {
		for _, f := range m.Attachments {
			if m.ID == a.meant && strings.HasPrefix(f.Type, "image/") {
				list = append(list, f)
			}
		}
	}
	return list
}

// text returns what goes before the history: the starter and then the block, without what
// the history already holds. bot is the bot's own ID.
func (a around) text(k known, bot string) (text string, count int) {
	var lines []string
	if a.title != "" {
		lines = append(lines, "The title of this post: "+sanitize(a.title, maxLine), "")
	}
	if a.starter != nil && !k.holds(*a.starter, bot) {
		lines = append(lines, "This thread began with:", quotedLine(*a.starter, false), "")
		count++
	}
	var block []string
	for _, m := range a.block {
		switch {
		case m.ID == a.meant && a.kind == "thread":
			block = append(block, "The message replies to this one:", quotedLine(m, true))
		case !k.holds(m, bot):
			block = append(block, quotedLine(m, m.ID == a.meant))
		}
	}
	count += len(block)
	switch {
	case len(block) == 0:
	case a.kind == "reply":
		lines = append(lines, "The message answers these, the oldest first:")
	default:
		lines = append(lines, "Said in this thread before, the oldest first:")
	}
	lines = append(lines, block...)
	for _, f := range a.passed {
		lines = append(lines, "", "The message passes this on; who wrote it isn't known:", quotedLine(connection.Message{Text: f.Text, Time: f.Time, Mentions: f.Mentions}, false))
		count++
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), count
}

// quotedLine returns another person's message as a quotation, without anything that could be
// mistaken for more: in one line, or, if it is chosen or holds a block of code, in lines that
// begin with ">".
func quotedLine(m connection.Message, chosen bool) string {
	head, text := fmt.Sprintf("[%s] %s:", m.Time.Format("15:04"), shortName(m.Author.Name)), quotedText(m)
	most := maxLine
	if chosen {
		most = maxChosen
	}
	if lines := strings.Split(strings.Trim(text, "\n"), "\n"); len(lines) > 1 && (chosen || strings.Contains(text, fence)) {
		for i := range lines {
			lines[i] = "> " + visible(strings.TrimRight(lines[i], " \r"))
		}
		return head + "\n" + shortened(strings.Join(lines, "\n"), most)
	}
	return head + " " + sanitize(text, most)
}

// quotedText returns what somebody else's message says and shows, its files by name.
func quotedText(m connection.Message) string {
	parts := []string{named(m)}
	for _, f := range m.Forwards {
		parts = append(parts, "(passed on: "+named(connection.Message{Text: f.Text, Mentions: f.Mentions})+")")
	}
	for _, a := range m.Attachments {
		parts = append(parts, "(file: "+sanitize(a.Name, 80)+")")
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// shortName returns a name to put before a quoted message.
func shortName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(":[]<>`", r) {
			return -1
		}
		return r
	}, sanitize(name, 40))
	if name == "" {
		return "somebody"
	}
	return name
}

// sanitize turns other people's text into one line of plain characters: no invisible ones, no
// pings, at most most characters.
func sanitize(text string, most int) string {
	text = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ").Replace(text)
	return shortened(strings.Join(strings.Fields(visible(text)), " "), most)
}

// visible drops control characters but tabs, and invisible ones.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Cf, r) && r != zeroWidthJoiner || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
}

// shortened returns the first characters of a text, at most most.
func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}

// hasNoWords reports whether a text holds only mentions and signs.
func hasNoWords(text string) bool {
	text = mentionPattern.ReplaceAllString(text, "")
	return strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSymbol(r) }) < 0
}

package connection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// User is an account on Discord.
type User struct {
	ID   string
	Name string // as displayed: the display name, else the user name
	Bot  bool
}

// Message is a message in a channel or thread.
type Message struct {
	ID      string
	Channel string
	Guild   string // "" in a direct message
	Author  User
	Webhook bool     // no account wrote it
	System  bool     // "Anna joined" and the like: not written by anybody
	Roles   []string // IDs of the author's roles, in events only
	Text    string
	Shows   []string // what it shows besides its text and files, in words: "(sticker: Wave)"
	NoText  bool     // the event doesn't include the text: there may be one
	Time    time.Time
	Edited  bool

	Mentions    []User
	Reply       string // ID of the message it replies to; "" for none
	ReplyPlace  string // the channel of that message
	Answered    *Message
	Forwards    []Forward
	Attachments []Attachment // including those of forwarded messages

	roles []string // IDs of the mentioned roles
}

// Forward is a forwarded message. Discord doesn't say who wrote it.
type Forward struct {
	Text     string
	Time     time.Time
	Mentions []User
}

// unknownGuild stands for a server with an unreadable ID, so that its messages don't count
// as direct.
const unknownGuild = "?"

// Direct reports whether the message is in a direct conversation.
func (m Message) Direct() bool { return m.Guild == "" }

// Mentioned reports whether the message mentions the user.
func (m Message) Mentioned(user string) bool {
	return slices.ContainsFunc(m.Mentions, func(u User) bool { return u.ID == user })
}

// Attachment is a file of a message.
type Attachment struct {
	Name string
	URL  string
	Type string // its content type as determined by Discord; may be ""
	Size int
}

// PlaceKind is the kind of a place.
type PlaceKind string

// The kinds of places.
const (
	KindChannel PlaceKind = "channel"
	KindThread  PlaceKind = "thread"
	KindForum   PlaceKind = "forum" // holds only threads
	KindDirect  PlaceKind = "direct"
)

// Place is a channel or a thread.
type Place struct {
	ID       string
	Guild    string
	Parent   string // of a thread: its channel or forum
	Name     string
	Kind     PlaceKind
	Archived bool
	Locked   bool
}

// Outgoing is a message to send.
type Outgoing struct {
	Text  string
	Reply string // ID of the message it replies to; "" for none. One that is gone is no error
	Files []File
	Nonce string // equal ones within minutes are sent once; "" to disable the check
}

// File is a file sent with a message.
type File struct {
	Name string
	Data []byte
}

// EventKind is the kind of an event.
type EventKind string

// The kinds of events.
const (
	EventReady   EventKind = "ready" // a new session: User is the bot
	EventMessage EventKind = "message"
	EventEdited  EventKind = "edited"  // Message with the fields that are known: ID, Channel and Text
	EventDeleted EventKind = "deleted" // the messages IDs in Channel were deleted
	EventCommand EventKind = "command" // somebody used a slash command
	EventTwin    EventKind = "twin"    // another program wrote in Channel with the bot's token
	EventGone    EventKind = "gone"    // Channel was deleted, or the bot removed from its server
)

// Event is something that happened on Discord.
type Event struct {
	Kind    EventKind
	User    User
	Message Message
	Channel string
	IDs     []string
	Command Command
}

// Command is a slash command that waits for its answer, at most three seconds.
type Command struct {
	ID      string
	Token   string
	Name    string // without the slash
	Channel string
	Guild   string
	User    User
	Roles   []string
}

// userOf decodes an account.
func userOf(f fields) User {
	name := f.text("global_name")
	if strings.TrimSpace(name) == "" {
		name = f.text("username")
	}
	return User{ID: f.id("id"), Name: plain(name), Bot: f.isTrue("bot")}
}

// plain removes invisible and misleading characters from a name that somebody chose:
// control characters, zero-width ones, changes of the writing direction.
func plain(name string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r) && r != zeroWidthJoiner:
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD")))
}

// zeroWidthJoiner joins several emoji into one sign.
const zeroWidthJoiner = '\u200d'

// The types of messages that people write, and of references between messages. See
// https://discord.com/developers/docs/resources/message.
const (
	typeDefault = 0
	typeReply   = 19

	referenceReply = 0 // 1 is a forward
)

// messageOf decodes a message, and the one it replies to.
func messageOf(f fields) Message {
	out := singleOf(f)
	if f.has("referenced_message") {
		if answered := singleOf(f.object("referenced_message")); answered.ID != "" {
			out.Answered = &answered
		}
	}
	return out
}

func singleOf(f fields) Message {
	kind := f.whole("type")
	out := Message{
		ID: f.id("id"), Channel: f.id("channel_id"), Guild: f.id("guild_id"), Author: userOf(f.object("author")), Webhook: f.has("webhook_id"),
		System: kind != typeDefault && kind != typeReply,
		Text:   valid(f.text("content")), NoText: !f.isText("content"), Time: f.time("timestamp"), Edited: f.has("edited_timestamp"),
	}
	if out.Guild == "" && (f.has("guild_id") || f.has("member")) {
		out.Guild = unknownGuild
	}
	if out.Time.IsZero() {
		out.Time = timeOf(out.ID)
	}
	member := f.object("member")
	out.Roles = member.ids("roles")
	if nick := plain(member.text("nick")); nick != "" {
		out.Author.Name = nick
	}
	out.Mentions = mentionsOf(f)
	out.roles = f.ids("mention_roles")
	_, known := f.number("type")
	if r := f.object("message_reference"); r.whole("type") == referenceReply && (kind == typeReply || !known) {
		out.Reply, out.ReplyPlace = r.id("message_id"), r.id("channel_id")
	}
	out.Attachments, out.Shows = attachmentsOf(f), showsOf(f)
	for _, snapshot := range f.objects("message_snapshots") {
		m := snapshot.object("message")
		text := strings.TrimSpace(strings.Join(append([]string{valid(m.text("content"))}, showsOf(m)...), "\n"))
		out.Forwards = append(out.Forwards, Forward{text, m.time("timestamp"), mentionsOf(m)})
		out.Attachments = append(out.Attachments, attachmentsOf(m)...)
	}
	return out
}

// showsOf names what a message shows besides its text and files: embeds, stickers, a poll, and the
// texts of components.
func showsOf(f fields) []string {
	var list []string
	add := func(kind string, words ...string) {
		var said []string
		for _, w := range words {
			if w = strings.TrimSpace(valid(w)); w != "" {
				said = append(said, w)
			}
		}
		if len(said) > 0 {
			list = append(list, "("+kind+": "+strings.Join(said, " – ")+")")
		} else {
			list = append(list, "("+kind+")")
		}
	}
	for _, e := range f.objects("embeds") {
		if address := e.text("url"); address != "" && e.text("type") != "rich" && strings.Contains(f.text("content"), address) {
			continue // Discord's own preview of an address in the text
		}
		words := []string{e.object("author").text("name"), e.text("title"), e.text("description")}
		for _, field := range e.objects("fields") {
			words = append(words, field.text("name")+": "+field.text("value"))
		}
		words = append(words, e.object("footer").text("text"))
		if strings.TrimSpace(strings.Join(words, "")) == "" {
			if kind := e.text("type"); kind != "" && kind != "rich" {
				continue
			}
			words = []string{e.text("url")}
		}
		add("embed", words...)
	}
	for _, sticker := range append(f.objects("sticker_items"), f.objects("stickers")...) {
		add("sticker", sticker.text("name"))
	}
	if poll := f.object("poll"); poll != nil {
		words := []string{poll.object("question").text("text")}
		for _, a := range poll.objects("answers") {
			media := a.object("poll_media")
			said := strings.TrimSpace(media.object("emoji").text("name") + " " + media.text("text"))
			for _, count := range poll.object("results").objects("answer_counts") {
				if n := count.whole("count"); n > 0 && count.whole("id") == a.whole("answer_id") {
					said += fmt.Sprintf(": %d votes", n)
				}
			}
			words = append(words, said)
		}
		if strings.TrimSpace(strings.Join(words, "")) != "" {
			add("poll", words...)
		}
	}
	var components func(list []fields, depth int)
	components = func(all []fields, depth int) {
		for _, c := range all {
			options := c.objects("options")
			switch label := cmp.Or(c.text("label"), c.object("emoji").text("name")); {
			case c.text("content") != "":
				list = append(list, valid(c.text("content")))
			case label != "":
				add("button", label)
			case len(options) > 0 || c.text("placeholder") != "":
				words := []string{c.text("placeholder")}
				for _, o := range options {
					words = append(words, o.text("label"))
				}
				add("menu", words...)
			}
			for _, item := range c.objects("items") {
				add("picture", item.text("description"))
			}
			if depth > 0 {
				components(append(c.objects("components"), c.object("accessory")), depth-1)
			}
		}
	}
	components(f.objects("components"), 4)
	if kind := f.whole("type"); kind != typeDefault && kind != typeReply && len(list) == 0 && f.text("content") == "" {
		list = append(list, fmt.Sprintf("(a message of Discord itself, of kind %d)", kind))
	}
	return list
}

func mentionsOf(f fields) []User {
	var list []User
	for _, u := range f.objects("mentions") {
		if mentioned := userOf(u); mentioned.ID != "" {
			list = append(list, mentioned)
		}
	}
	return list
}

func attachmentsOf(f fields) []Attachment {
	var list []Attachment
	for _, a := range f.objects("attachments") {
		list = append(list, Attachment{Name: a.text("filename"), URL: a.text("url"), Type: a.text("content_type"), Size: a.whole("size")})
	}
	return list
}

// The types of channels, see https://discord.com/developers/docs/resources/channel.
const (
	channelDM            = 1
	channelGroupDM       = 3
	channelNewsThread    = 10
	channelPublicThread  = 11
	channelPrivateThread = 12
	channelForum         = 15
	channelMedia         = 16
)

func placeOf(f fields) Place {
	p := Place{ID: f.id("id"), Guild: f.id("guild_id"), Name: plain(f.text("name")), Kind: KindChannel}
	switch f.whole("type") {
	case channelDM, channelGroupDM:
		p.Kind = KindDirect
	case channelNewsThread, channelPublicThread, channelPrivateThread:
		p.Kind, p.Parent = KindThread, f.id("parent_id")
	case channelForum, channelMedia:
		p.Kind = KindForum
	}
	thread := f.object("thread_metadata")
	if _, known := f.number("type"); !known && thread != nil {
		p.Kind, p.Parent = KindThread, f.id("parent_id")
	}
	p.Archived, p.Locked = thread.isTrue("archived"), thread.isTrue("locked")
	return p
}

// IsID reports whether text is an ID in Discord's form: only digits, so that it may be part
// of a file name.
func IsID(text string) bool {
	return len(text) > 0 && len(text) <= 20 && strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

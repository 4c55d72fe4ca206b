package connection

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// User is an account on Discord.
type User struct {
	ID   string
	Name string // as shown: the display name, else the user name
	Bot  bool
}

// Message is a message in a channel or thread.
type Message struct {
	ID      string
	Channel string
	Guild   string // "" in a direct message
	Author  User
	Webhook bool     // no account wrote it
	System  bool     // "Anna joined" and the like: nobody wrote it
	Roles   []string // ids of the author's roles, in events alone
	Text    string
	NoText  bool // the event doesn't tell the text: it may have one
	Time    time.Time
	Edited  bool

	Mentions    []User
	Reply       string // id of the message it answers; "" for none
	ReplyPlace  string // the channel that one is in
	Answered    *Message
	Forwards    []Forward
	Attachments []Attachment // those of what it forwards, too

	roles []string // ids of the roles it mentions
}

// Forward is a message that another one passes on. Discord doesn't say who wrote it.
type Forward struct {
	Text     string
	Time     time.Time
	Mentions []User
}

// unknownGuild stands for a server whose id can't be read: what is said there is in no
// direct conversation.
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
	Type string // its content type as Discord found it; may be ""
	Size int
}

// PlaceKind says what a place is.
type PlaceKind string

// The kinds of places.
const (
	KindChannel PlaceKind = "channel"
	KindThread  PlaceKind = "thread"
	KindForum   PlaceKind = "forum" // holds threads alone
	KindDirect  PlaceKind = "direct"
)

// Place is a channel or a thread.
type Place struct {
	ID       string
	Guild    string
	Parent   string // of a thread: the channel or forum it is in
	Name     string
	Kind     PlaceKind
	Archived bool
	Locked   bool
}

// Outgoing is a message to send.
type Outgoing struct {
	Text  string
	Reply string // id of the message it answers; "" for none. One that is gone is no error
	Files []File
	Nonce string // equal ones within minutes are sent once; "" for no such check
}

// File is sent with a message.
type File struct {
	Name string
	Data []byte
}

// EventKind says what happened.
type EventKind string

// The kinds of events.
const (
	EventReady   EventKind = "ready"   // connected anew: User is the bot
	EventResumed EventKind = "resumed" // connected again, nothing was lost
	EventMessage EventKind = "message"
	EventEdited  EventKind = "edited"  // Message as far as it is told: ID, Channel and Text
	EventDeleted EventKind = "deleted" // IDs in Channel
	EventCommand EventKind = "command" // somebody used a slash command
	EventGone    EventKind = "gone"    // Channel was deleted, or the bot put out of its server
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

// Command is a slash command that waits for its answer: three seconds.
type Command struct {
	ID      string
	Token   string
	Name    string // without the slash
	Channel string
	Guild   string
	User    User
	Roles   []string
}

// userOf is an account as Discord describes it.
func userOf(f fields) User {
	name := f.text("global_name")
	if strings.TrimSpace(name) == "" {
		name = f.text("username")
	}
	return User{ID: f.id("id"), Name: plain(name), Bot: f.isTrue("bot")}
}

// plain takes out of a name that others chose what is not seen, or makes what stands
// beside it look otherwise: control characters, zero-width ones, changes of the
// direction of writing.
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

// zeroWidthJoiner makes one sign of several emoji.
const zeroWidthJoiner = '\u200d'

// The types of messages that people write, and of references between messages. See
// https://discord.com/developers/docs/resources/message.
const (
	typeDefault = 0
	typeReply   = 19

	referenceReply = 0 // 1 is a forward
)

// messageOf reads a message, and the one that it answers.
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
	out.Attachments = attachmentsOf(f)
	for _, snapshot := range f.objects("message_snapshots") {
		m := snapshot.object("message")
		out.Forwards = append(out.Forwards, Forward{valid(m.text("content")), m.time("timestamp"), mentionsOf(m)})
		out.Attachments = append(out.Attachments, attachmentsOf(m)...)
	}
	return out
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

// IsID reports whether text is an id as Discord gives them: digits alone, so that
// it may be part of a file's name.
func IsID(text string) bool {
	return len(text) > 0 && len(text) <= 20 && strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

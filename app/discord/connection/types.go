package connection

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"
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
	Time    time.Time
	Edited  bool

	Mentions    []User
	Reply       string // id of the message it answers; "" for none
	ReplyPlace  string // the channel that one is in
	Answered    *Message
	Attachments []Attachment
}

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

func userOf(u *discordgo.User) User {
	if u == nil {
		return User{}
	}
	return User{ID: u.ID, Name: plain(u.DisplayName()), Bot: u.Bot}
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

func messageOf(m *discordgo.Message) Message {
	out := Message{
		ID: m.ID, Channel: m.ChannelID, Guild: m.GuildID, Author: userOf(m.Author), Webhook: m.WebhookID != "",
		System: m.Type != discordgo.MessageTypeDefault && m.Type != discordgo.MessageTypeReply,
		Text:   strings.ToValidUTF8(m.Content, "\uFFFD"), Time: m.Timestamp, Edited: m.EditedTimestamp != nil,
	}
	if m.Member != nil {
		out.Roles = m.Member.Roles
		if m.Member.Nick != "" {
			out.Author.Name = plain(m.Member.Nick)
		}
	}
	for _, u := range m.Mentions {
		out.Mentions = append(out.Mentions, userOf(u))
	}
	if r := m.MessageReference; r != nil && m.Type == discordgo.MessageTypeReply {
		out.Reply, out.ReplyPlace = r.MessageID, r.ChannelID
	}
	if m.ReferencedMessage != nil {
		answered := messageOf(m.ReferencedMessage)
		out.Answered = &answered
	}
	for _, a := range m.Attachments {
		if a == nil {
			continue
		}
		out.Attachments = append(out.Attachments, Attachment{Name: a.Filename, URL: a.URL, Type: a.ContentType, Size: a.Size})
	}
	return out
}

func placeOf(c *discordgo.Channel) Place {
	p := Place{ID: c.ID, Guild: c.GuildID, Name: plain(c.Name), Kind: KindChannel}
	switch c.Type {
	case discordgo.ChannelTypeDM, discordgo.ChannelTypeGroupDM:
		p.Kind = KindDirect
	case discordgo.ChannelTypeGuildPublicThread, discordgo.ChannelTypeGuildPrivateThread, discordgo.ChannelTypeGuildNewsThread:
		p.Kind, p.Parent = KindThread, c.ParentID
	case discordgo.ChannelTypeGuildForum, discordgo.ChannelTypeGuildMedia:
		p.Kind = KindForum
	}
	if c.ThreadMetadata != nil {
		p.Archived, p.Locked = c.ThreadMetadata.Archived, c.ThreadMetadata.Locked
	}
	return p
}

// IsID reports whether text is an id as Discord gives them: digits alone, so that
// it may be part of a file's name.
func IsID(text string) bool {
	return len(text) > 0 && len(text) <= 20 && strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

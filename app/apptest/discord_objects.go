package apptest

import "time"

// User is a person or bot who writes.
type User struct {
	ID    string
	Name  string
	Bot   bool
	Roles []string
}

// Channel is a channel, a thread or a direct conversation.
type Channel struct {
	ID        string
	Guild     string
	Parent    string
	Name      string
	Type      int
	Archived  bool
	Locked    bool // a message doesn't unarchive the thread: 50083
	NoSend    bool // the bot may not write: 50013
	NoRead    bool // the bot may not read: 50001
	NoHistory bool // the bot may not read older messages: 50001, and 160002 for replies
	NoAttach  bool // the bot may not send files: 50013
}

// Message is a message that somebody writes.
type Message struct {
	ID          string // assigned if ""
	Channel     string
	Author      User
	Text        string
	Reply       string // ID of the message it replies to
	Mentions    []User
	Time        time.Time // now if zero
	Attachments []Attachment
	Webhook     string         // ID of the webhook that wrote it
	Forward     string         // the text of a forwarded message
	Roles       []string       // IDs of the mentioned roles
	Extra       map[string]any // more of its fields: embeds, sticker_items, poll, components
	Kind        int            // 0 or 19 depending on Reply; 7 somebody joined, 21 a thread's starter …
}

// Attachment is a file of a message. Data is served from the fake's own host.
type Attachment struct {
	Name string
	Type string
	Data []byte
}

// Request is a REST call by the bot.
type Request struct {
	Method string
	Path   string
	Body   map[string]any // the JSON body, or the payload_json of a multipart body
	Files  map[string]string
	Status int // the status of the answer
	Time   time.Time
}

// Sent is a message by the bot in its current state.
type Sent struct {
	ID      string
	Channel string
	Text    string
	Reply   string
	Edits   []string // its earlier texts
	Times   []time.Time
	Files   map[string]string
}

// Fault makes REST calls fail.
type Fault struct {
	Method     string // "" for any
	Path       string // what the path contains
	Text       string // what the message contains
	Status     int
	Code       int
	RetryAfter float64 // seconds, for a 429
	Global     bool
	Hang       bool // no answer until the client goes
	Done       bool // the call is carried out: only its answer fails
	Times      int  // 0 for always
}

func (c Channel) json() map[string]any {
	m := map[string]any{"id": c.ID, "type": c.Type, "name": c.Name}
	if c.Guild != "" {
		m["guild_id"] = c.Guild
	}
	if c.Parent != "" {
		m["parent_id"] = c.Parent
	}
	if c.Type == Thread {
		m["thread_metadata"] = map[string]any{"archived": c.Archived, "locked": c.Locked}
	}
	return m
}

package discordtest

import "time"

// User is somebody who writes.
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
	Locked    bool // a thread that a message does not open again: 50083
	NoSend    bool // the bot may not write: 50013
	NoRead    bool // the bot may not read: 50001
	NoHistory bool // the bot may not read what was written before: 50001, and 160002 for replies
	NoAttach  bool // the bot may not send files: 50013
}

// Message is what somebody writes.
type Message struct {
	ID          string // given where ""
	Channel     string
	Author      User
	Text        string
	Reply       string // id of the message it answers
	Mentions    []User
	Time        time.Time // now where zero
	Attachments []Attachment
	Webhook     string   // id of the webhook that wrote it
	Forward     string   // the text of a message that it passes on
	Roles       []string // ids of the roles it mentions
	Kind        int      // 0 or 19 by Reply; 7 somebody joined, 21 a thread's starter …
}

// Attachment is a file of a message; Data is served from the fake's own host.
type Attachment struct {
	Name string
	Type string
	Data []byte
}

// Request is a REST call of the bot.
type Request struct {
	Method string
	Path   string
	Body   map[string]any // of a JSON body; of a multipart one its payload_json
	Files  map[string]string
	Status int // of the answer
	Time   time.Time
}

// Sent is a message of the bot as it stands now.
type Sent struct {
	ID      string
	Channel string
	Text    string
	Reply   string
	Edits   []string // its earlier texts
	Times   []time.Time
	Files   map[string]string
}

// Fault is a way in which REST calls go wrong.
type Fault struct {
	Method     string // "" is any
	Path       string // what the path contains
	Status     int
	Code       int
	RetryAfter float64 // seconds, of a 429
	Global     bool
	Hang       bool // no answer until the client goes
	Done       bool // the call is done all the same: only its answer goes wrong
	Times      int  // 0 is always
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

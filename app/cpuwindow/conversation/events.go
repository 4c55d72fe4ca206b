package conversation

import (
	"cmp"
	"slices"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/sessionmem/transcript"
)

// Begin puts the user's message on the screen, before anything else is known.
func (c *Conversation) Begin(text string, now time.Time, files ...transcript.Attachment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(&entry{Kind: User, Text: text, At: now, message: message{Files: files}})
	c.startClock(text, "", now)
	if c.title == "" {
		c.title = titleOf(cmp.Or(text, Names(files)))
	}
}

// BeginAgain takes away what followed a user's message, which is answered anew.
func (c *Conversation) BeginAgain(userID string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.entries, func(e *entry) bool { return e.Kind == User && e.Block == userID })
	if at < 0 {
		return
	}
	had := slices.ContainsFunc(c.entries[at+1:], func(e *entry) bool { return e.Kind == Answer })
	c.entries = c.entries[:at+1]
	c.startClock(c.entries[at].Text, userID, now)
	c.answered = had
}

// Apply takes one event of the conversation's run.
func (c *Conversation) Apply(ev agents.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ev.Time.IsZero() {
		ev.Time = time.Now()
	}
	c.apply(ev, c.private)
}

// Busy reports whether a run is under way.
func (c *Conversation) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run != nil
}

// LastUser is the block of the newest user message, for Retry, and its text.
func (c *Conversation) LastUser() (id, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range slices.Backward(c.entries) {
		if e.Kind == User {
			return e.Block, e.Text
		}
	}
	return "", ""
}

// Ended says that a run gives no more events, however it ended.
func (c *Conversation) Ended(run Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run == run {
		c.endRun()
	}
}

// Fail notes that the transcript can't be read; nil that there is none yet.
func (c *Conversation) Fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loadErr, c.loading = err, false
}

// LacksServer reports whether the last turn ended because there was no server or
// no model to answer it.
func (c *Conversation) LacksServer() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.entries) == 0 {
		return false
	}
	f := c.entries[len(c.entries)-1].Fault
	return f != nil && (f.Kind == fault.KindDown || f.Kind == fault.KindNoModel || f.Kind == fault.KindModelMissing)
}

// DropFailed takes away a message that never reached the disk and its error: it
// is sent anew.
func (c *Conversation) DropFailed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.turnStart() - 1
	if at >= 0 && c.entries[at].Block == "" {
		c.entries = c.entries[:at]
	}
}

// NextQueued takes the message to send after a turn that ended well, or that was
// stopped for it; ok is false where none is to be sent.
func (c *Conversation) NextQueued() (q Queued, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next(c.run == nil, c.endedWell)
}

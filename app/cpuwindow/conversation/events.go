package conversation

import (
	"cmp"
	"slices"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/sessionmem/transcript"
)

// Begin shows the user's message before anything else is known.
func (c *Conversation) Begin(text string, now time.Time, files ...transcript.Attachment) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.add(&entry{Kind: User, Text: text, At: now, message: message{Files: files}})
	c.startClock(text, "", now)
	if c.title == "" {
		c.title = titleOf(cmp.Or(text, FileNames(files)))
	}
}

// BeginAgain removes what followed a user's message, because it is answered again.
func (t *turn) BeginAgain(userID string, now time.Time) {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	at := slices.IndexFunc(t.log.entries, func(e *entry) bool { return e.Kind == User && e.Block == userID })
	if at < 0 {
		return
	}
	hadAnswer := slices.ContainsFunc(t.log.entries[at+1:], func(e *entry) bool { return e.Kind == Answer })
	t.log.entries = t.log.entries[:at+1]
	t.startClock(t.log.entries[at].Text, userID, now)
	t.answered = hadAnswer
}

// Apply applies one event of the conversation's run.
func (c *Conversation) Apply(ev agents.Event) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	if ev.Time.IsZero() {
		ev.Time = time.Now()
	}
	c.apply(ev)
}

// LastUser returns the block and the text of the newest user message, for Retry.
func (l *log) LastUser() (id, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range slices.Backward(l.entries) {
		if e.Kind == User {
			return e.Block, e.Text
		}
	}
	return "", ""
}

// RunEnded records that a run sends no more events, however it ended.
func (t *turn) RunEnded(run Run) {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	if t.running.Running() == run {
		t.endRun()
	}
}

// LoadFailed records that the transcript can't be read; nil means that there is none yet.
func (c *Conversation) LoadFailed(err error) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.loadErr, c.loading = err, false
}

// LacksServer reports whether the last turn failed because no server or no model could
// answer it.
func (l *log) LacksServer() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.entries) == 0 {
		return false
	}
	f := l.entries[len(l.entries)-1].Fault
	return f != nil && (f.Kind == fault.KindDown || f.Kind == fault.KindNoModel || f.Kind == fault.KindModelMissing)
}

// DropFailed removes a message that never reached the disk, and its error: the message is
// sent again.
func (l *log) DropFailed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.turnStart() - 1
	if at >= 0 && l.entries[at].Block == "" {
		l.entries = l.entries[:at]
	}
}

// NextQueued takes the message to send after a turn that ended well or was stopped for it.
// ok is false if there is none to send.
func (c *Conversation) NextQueued() (q Queued, ok bool) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return c.next(!c.Busy(), c.succeeded)
}

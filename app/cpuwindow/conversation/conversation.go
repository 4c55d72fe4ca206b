// Package conversation holds a conversation without a screen: the messages so far, the turn
// under way, and the messages that wait to be sent.
//
// A Conversation takes the events of its run as they arrive, and the blocks of its
// transcript when that is read; both become entries. View returns a copy to draw, which
// never changes again. A Conversation also holds the draft, the queued messages, the
// attached files, and the settings chosen for the session; Unsent and RestoreDraft carry
// the draft and the queue over a restart.
//
// A Conversation consists of the log of entries, the history that is read into the log from
// the transcript, the run under way, the turn that writes what the run sends into the log, the
// notes about the memory, the unsent messages, and the choice of settings. Otherwise these
// parts don't know each other.
//
// Any goroutine may call any method: the locks are taken inside and never held while code
// outside the package runs. The package draws nothing, reads no transcript (the caller passes
// one) and starts no turn: the window does these. Its texts are in the user's language.
package conversation

import (
	"cmp"
	"slices"
	"time"

	"mac-stats/sessionmem/transcript"
)

// Conversation is one session as the window knows it. It receives every event of its run,
// whether it is shown or not.
type Conversation struct {
	*choice
	*unsent

	Name    string
	title   string
	path    string
	private bool  // kept in memory only
	loading bool  // its transcript is being read
	loadErr error // why it couldn't be read
	*log
	*running
	turn
	history
	memoryNotes
}

// New returns an empty conversation for a session's name.
func New(name string) *Conversation {
	l, r := &log{shownID: map[string]bool{}}, &running{}
	return &Conversation{
		Name: name, choice: &choice{}, unsent: &unsent{}, log: l, running: r,
		turn: turn{log: l, running: r}, history: history{log: l}, memoryNotes: memoryNotes{log: l, session: name},
	}
}

// Private reports whether the conversation is kept in memory only.
func (c *Conversation) Private() bool {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return c.private
}

// BeginLoading records that the transcript is being read.
func (c *Conversation) BeginLoading(private bool) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.loading, c.private = true, private
}

// Idle reports whether the whole conversation is on disk, so that it can be read again.
func (c *Conversation) Idle() bool {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return !c.Busy() && c.path != "" && c.allSent() && !c.unwritten()
}

// SetInfo sets the path and the title from the session list.
func (c *Conversation) SetInfo(path, title string) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.path, c.title = path, cmp.Or(title, c.title)
}

// Path returns the transcript's path, or "" if there is none yet.
func (c *Conversation) Path() string {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return c.path
}

// ContextSize returns the context size reported with the last answer, in tokens, or 0 if
// there was none.
func (t *turn) ContextSize() int {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	if t.usage == nil {
		return 0
	}
	return t.usage.ContextSize
}

// LastModel returns the model that answered last, or "" if none did.
func (l *log) LastModel() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range slices.Backward(l.entries) {
		if e.Kind == Head && e.Model != "" {
			return e.Model
		}
	}
	return ""
}

// LastEditable returns the key of the newest message, or "" if it can't be edited.
func (c *Conversation) LastEditable() string {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	for _, e := range slices.Backward(c.entries) {
		if e.Kind == User && e.Block != "" && !c.Busy() {
			return e.Key
		}
	}
	return ""
}

// FillBelowError is Fill for a conversation whose branch couldn't be started: the error
// that reports it stays.
func (c *Conversation) FillBelowError(t *transcript.Transcript) {
	last := c.lastError()
	c.Fill(t)
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	if n := len(c.entries); last != nil && (n == 0 || c.entries[n-1].Kind != Error) {
		c.entries = append(c.entries, last)
	}
}

func (l *log) lastError() *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.entries); n > 0 && l.entries[n-1].Kind == Error {
		return l.entries[n-1]
	}
	return nil
}

// NewPrivate returns a conversation that stays in memory.
func NewPrivate(name string) *Conversation {
	c := New(name)
	c.private = true
	return c
}

// Entries returns the entries of one branch's blocks, as a conversation shows them.
func Entries(name string, blocks []transcript.Block) []EntryView {
	c := New(name)
	c.addBlocks(blocks)
	return c.View(time.Now()).Entries
}

// Title returns the title, or "" if there is none yet.
func (c *Conversation) Title() string {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return c.title
}

// Begun reports whether any of the conversation may be on disk.
func (c *Conversation) Begun() bool {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return len(c.entries) > 0 || c.older > 0 || c.path != "" || c.Busy() || c.loading
}

// Empty reports whether nothing was said in the conversation yet.
func (c *Conversation) Empty() bool {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return len(c.entries) == 0 && c.older == 0 && !c.Busy() && c.path == ""
}

// Package conversation is a conversation without a screen: what was said, what is being
// said, and what waits to be said.
//
// A Conversation takes the events of its run as they come and the blocks of its
// transcript when that is read; both become entries. View gives what is to be drawn now:
// a copy whose parts are never changed again. It also holds the draft, the messages
// that wait for their turn, the files that go along, and what is chosen for the session;
// Unsent and RestoreDraft carry the first two over a restart.
//
// A Conversation is made of its log of entries, the turn that writes into it, the history
// that is read into it from the transcript, what is unsent, and what is chosen; none of these
// knows another but the log. Any goroutine may call any method: the locks are taken inside
// and never held while something else is called. It draws nothing, reads no transcript (it is given one) and
// starts no turn: the window does these. What it says, it says in the user's language.
package conversation

import (
	"cmp"
	"slices"
	"time"

	"mac-stats/sessionmem/transcript"
)

// Conversation is one session as the window knows it. Events of its run go to it
// and nowhere else, whether it is shown or not.
type Conversation struct {
	*choice
	*unsent

	Name    string
	title   string
	path    string
	private bool  // in memory only
	loading bool  // its transcript is being read
	loadErr error // why it could not be
	*log
	*running
	turn
	history
	memoryNotes
}

// New is an empty conversation of a session's name.
func New(name string) *Conversation {
	l, r := &log{shownID: map[string]bool{}}, &running{}
	return &Conversation{
		Name: name, choice: &choice{}, unsent: &unsent{}, log: l, running: r,
		turn: turn{log: l, running: r}, history: history{log: l}, memoryNotes: memoryNotes{log: l, session: name},
	}
}

// Private reports whether it is in memory alone.
func (c *Conversation) Private() bool {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return c.private
}

// BeginLoading says that its transcript is being read.
func (c *Conversation) BeginLoading(private bool) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.loading, c.private = true, private
}

// Idle reports whether all of it is on disk: it can be read again.
func (c *Conversation) Idle() bool {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return !c.Busy() && c.path != "" && c.allSent() && !c.unwritten()
}

// Listed takes over what the session list says of it.
func (c *Conversation) Listed(path, title string) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.path, c.title = path, cmp.Or(title, c.title)
}

// Path is the transcript's path; "" where there is none yet.
func (c *Conversation) Path() string {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return c.path
}

// ContextSize is the size of the context that the last answer told, in tokens; 0
// where there was none.
func (t *turn) ContextSize() int {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()
	if t.usage == nil {
		return 0
	}
	return t.usage.ContextSize
}

// LastModel is the model that answered last; "" where none did.
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

// LastEditable is the key of the newest message, where it can be edited.
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

// FillBelowError is fill for a conversation whose branch was not begun: the error that
// says so stays.
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

// NewPrivate is a conversation that stays in memory.
func NewPrivate(name string) *Conversation {
	c := New(name)
	c.private = true
	return c
}

// Entries are the entries of blocks of one branch, as a conversation shows them.
func Entries(name string, blocks []transcript.Block) []EntryView {
	c := New(name)
	c.addBlocks(blocks)
	return c.View(time.Now()).Entries
}

// Title is the title, "" where there is none yet.
func (c *Conversation) Title() string {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return c.title
}

// Begun reports whether anything of it may be on disk.
func (c *Conversation) Begun() bool {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return len(c.entries) > 0 || c.older > 0 || c.path != "" || c.Busy() || c.loading
}

// Empty reports whether nothing was said in it yet.
func (c *Conversation) Empty() bool {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return len(c.entries) == 0 && c.older == 0 && !c.Busy() && c.path == ""
}

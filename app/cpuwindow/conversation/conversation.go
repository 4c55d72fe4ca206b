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
	"sync"
	"time"

	"mac-stats/agents"
	"mac-stats/sessionmem/transcript"
)

// Conversation is one session as the window knows it. Events of its run go to it
// and nowhere else, whether it is shown or not.
type Conversation struct {
	*choice
	*unsent

	mu      sync.Mutex
	Name    string
	title   string
	path    string
	private bool  // in memory only
	loading bool  // its transcript is being read
	loadErr error // why it could not be
	reading bool  // older messages are being read
	*log
	turn
	history
}

// New is an empty conversation of a session's name.
func New(name string) *Conversation {
	l := &log{shownID: map[string]bool{}}
	return &Conversation{Name: name, choice: &choice{}, unsent: &unsent{}, log: l, turn: turn{log: l}, history: history{log: l}}
}

// Private reports whether it is in memory alone.
func (c *Conversation) Private() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.private
}

// BeginLoading says that its transcript is being read.
func (c *Conversation) BeginLoading(private bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loading, c.private = true, private
}

// Idle reports whether all of it is on disk: it can be read again.
func (c *Conversation) Idle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run == nil && c.path != "" && c.allSent() && !c.unwritten()
}

// Listed takes over what the session list says of it.
func (c *Conversation) Listed(path, title string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.path, c.title = path, cmp.Or(title, c.title)
}

// Path is the transcript's path; "" where there is none yet.
func (c *Conversation) Path() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.path
}

// ContextSize is the size of the context that the last answer told, in tokens; 0
// where there was none.
func (c *Conversation) ContextSize() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.usage == nil {
		return 0
	}
	return c.usage.ContextSize
}

// LastModel is the model that answered last; "" where none did.
func (c *Conversation) LastModel() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range slices.Backward(c.entries) {
		if e.Kind == Head && e.Model != "" {
			return e.Model
		}
	}
	return ""
}

// Follow makes a run the one under way.
func (c *Conversation) Follow(run Run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.run = run
}

// Running is the run under way, or nil.
func (c *Conversation) Running() Run {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run
}

// StopRun stops the run under way.
func (c *Conversation) StopRun() {
	if run := c.Running(); run != nil {
		run.Stop()
	}
}

// StopCall stops a call of the run under way.
func (c *Conversation) StopCall(id string) {
	if run := c.Running(); run != nil {
		run.StopCall(id)
	}
}

// Answer answers a question of the run under way, which tells what came of it.
func (c *Conversation) Answer(id string, a agents.Answer) {
	if run := c.Running(); run != nil {
		run.Answer(id, a)
	}
}

// LastEditable is the key of the newest message, where it can be edited.
func (c *Conversation) LastEditable() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range slices.Backward(c.entries) {
		if e.Kind == User && e.Block != "" && c.run == nil {
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
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.entries); last != nil && (n == 0 || c.entries[n-1].Kind != Error) {
		c.entries = append(c.entries, last)
	}
}

func (c *Conversation) lastError() *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.entries); n > 0 && c.entries[n-1].Kind == Error {
		return c.entries[n-1]
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
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.title
}

// Begun reports whether anything of it may be on disk.
func (c *Conversation) Begun() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries) > 0 || c.older > 0 || c.path != "" || c.run != nil || c.loading
}

// Empty reports whether nothing was said in it yet.
func (c *Conversation) Empty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries) == 0 && c.older == 0 && c.run == nil && c.path == ""
}

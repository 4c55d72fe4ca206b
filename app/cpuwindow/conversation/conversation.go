// Package conversation is a conversation without a screen: what was said, what is being
// said, and what waits to be said.
//
// A Conversation takes the events of its run as they come and the blocks of its
// transcript when that is read; both become entries. View gives what is to be drawn now:
// a copy whose parts are never changed again. It also holds the draft, the messages
// that wait for their turn, the files that go along, and what is chosen for the session;
// Unsent and RestoreDraft carry the first two over a restart.
//
// Any goroutine may call any method: the lock is taken inside and never held while
// something else is called. It draws nothing, reads no transcript (it is given one) and
// starts no turn: the window does these. What it says, it says in the user's language.
package conversation

import (
	"cmp"
	"slices"
	"time"

	"mac-stats/agents"
	"mac-stats/sessionmem/transcript"
)

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
	return c.run == nil && c.draft == "" && len(c.attached) == 0 && len(c.queue) == 0 && c.path != "" && !c.unsaved
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

// Draft is what is written and not sent.
func (c *Conversation) Draft() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.draft
}

// KeepDraft keeps what is written and not sent.
func (c *Conversation) KeepDraft(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draft = text
}

// Attached are the files that go with the next message.
func (c *Conversation) Attached() []File {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.attached)
}

// Attach changes the files that go with the next message.
func (c *Conversation) Attach(files []File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attached = files
}

// TakeMessage takes the files that go with a message that is sent; its draft is done.
func (c *Conversation) TakeMessage() (files []File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	files = c.attached
	c.draft, c.attached = "", nil
	return files
}

// FilesSent are the files that went with the last message.
func (c *Conversation) FilesSent() []File {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.sentFiles)
}

// SendFiles notes the files that go with the message that is being sent.
func (c *Conversation) SendFiles(files []File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sentFiles = files
}

// Choose changes what is chosen; it waits to be written.
func (c *Conversation) Choose(s transcript.Settings) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setChosen(s)
	c.unsaved = true
}

// ChoiceWritten notes that the transcript says what was chosen, unless something else
// was chosen since.
func (c *Conversation) ChoiceWritten(s transcript.Settings) {
	saved := c.Chosen().Equal(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unsaved = c.unsaved && !saved
}

// ChosenIn takes what the transcript says was chosen.
func (c *Conversation) ChosenIn(t *transcript.Transcript) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readChosen(t)
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

// RestoreDraft takes what was kept of it over a restart.
func (c *Conversation) RestoreDraft(kept Kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draft == "" {
		c.draft = kept.Draft
	}
	for _, text := range kept.Queue {
		c.queueSeq++
		c.queue = append(c.queue, Queued{Id: c.queueSeq, Text: text})
	}
	c.held = len(c.queue) > 0
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

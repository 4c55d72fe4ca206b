package conversation

import (
	"time"

	"mac-stats/agents"
	"mac-stats/agents/registry"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem/transcript"
)

// Kind is the kind of an entry.
type Kind int

// The kinds of entries.
const (
	User     Kind = iota
	Head          // who answers: agent · model · time · tokens/s
	Thinking      // folded, with its duration
	Answer        // markdown
	Call          // a sub-call or a tool
	Note          // a quiet line
	Summary       // a divider
	Error         // an error card
)

// entry is one item of a conversation, independent of any screen. Its fields are guarded by
// the log's lock.
type entry struct {
	Key   string // unique in the conversation
	Kind  Kind
	Block string // ID in the transcript, "" until known
	round int
	Rev   int // grows with every change

	Agent, Model string
	At           time.Time
	Text         string // user, thinking, call's text, note
	Doc          *markdown.Document
	Live         bool
	Began        time.Time
	Took         time.Duration
	Asking       bool   // a question, or the call it is about, waits for an answer
	Fault        *Fault // error
	Count        int    // summary: number of messages it stands for

	message
	badge
	call
	note
}

// message holds the fields that only messages and answers have.
type message struct {
	Files    []transcript.Attachment // of a user's message
	Versions []string                // IDs of all versions, including this one; nil if there is only one
	Edited   bool                    // of a user's message: it replaced an earlier version
}

// badge holds the fields that only heads have.
type badge struct {
	Speed    float64               // tokens/s
	Reading  string                // how much of the prompt the server had to read
	Again    bool                  // an earlier answer exists
	Read     []agents.MemoryRead   // the memory that was in the prompt
	Recalled []agents.RecalledNote // the notes of earlier conversations that were in the prompt
}

// call holds the fields that only calls have.
type call struct {
	CallID  string
	Task    string
	Written string // the call in the model's form, and what it wrote behind it
	Failed  string
	Unsaved string // what happened to a line that wasn't saved
	Tool    bool
}

// note holds the fields that only notes have.
type note struct {
	UndoID     string           // memory change that can be undone
	RetryID    string           // message to answer again
	GoOn       bool             // the answer was cut short; in a View only if it can continue
	Proposal   string           // ID of a proposal that waits for Save or Discard
	Proposed   string           // the proposal's text, if it can be edited
	Question   *agents.Question // the turn's question, as it was asked
	memory     bool             // about the memory
	remembered string           // the remembered text, until it is undone
	Removed    bool             // a save removed something and the user hasn't decided about it
}

// Fault is an error as its card shows it.
type Fault struct {
	Kind      string // agents.Event.Kind
	Sentence  string
	Next      string
	Model     string
	UserID    string          // block to run again from; "" if nothing was written
	Text      string          // what to send again if UserID is ""
	Offer     string          // a model that can do what this one can't
	Off       *registry.Agent // the agent that should answer, if it is turned off
	RetriedAt string          // when it was retried; "" the first time
	Replaces  string          // block that the text was to replace
}

// settleThought ends a thought at the given time.
func (e *entry) settleThought(at time.Time) {
	e.Live, e.Took = false, at.Sub(e.Began)
	e.Rev++
}

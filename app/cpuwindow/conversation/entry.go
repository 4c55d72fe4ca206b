package conversation

import (
	"time"

	"mac-stats/agents"
	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem/transcript"
)

// Kind says what an entry of a conversation is.
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
	Error         // a card
)

// entry is one thing in a conversation, without any screen. Its fields are
// guarded by the conversation's lock.
type entry struct {
	Key   string // unique in the conversation
	Kind  Kind
	Block string // id in the transcript, "" until known
	round int
	Rev   int // grows with every change

	Agent, Model string
	At           time.Time
	Text         string // user, thinking, call's text, note
	Doc          *markdown.Document
	Live         bool
	Began        time.Time
	Took         time.Duration
	Asking       bool   // a question, or the call that it is about, waits for an answer
	Fault        *Fault // error
	Count        int    // summary: messages it stands for

	message
	badge
	call
	note
}

// message is what an entry is besides where it is a message: of the user, or an answer.
type message struct {
	Files    []transcript.Attachment // of the user
	Versions []string                // the ids of all that stood in its place, itself among them; nil where it alone did
	Edited   bool                    // of the user: in the place of an earlier version
}

// badge is the same of a head.
type badge struct {
	Speed    float64               // tokens/s
	Again    bool                  // there was an answer before
	Read     []agents.MemoryRead   // what the prompt held of the memory
	Recalled []agents.RecalledNote // what the answer was made with of earlier conversations
}

// call is the same of a call.
type call struct {
	CallID  string
	Task    string
	Failed  string
	Unsaved string // what became of a line that was not saved
	Tool    bool
}

// note is the same of a note.
type note struct {
	UndoID   string           // memory that can be taken back
	RetryID  string           // message to ask again
	GoOn     bool             // the answer was cut short; in a View only where it can go on
	Proposal string           // id of a memory that waits for Save or Discard
	Proposed string           // its text, where that can be edited
	Question *agents.Question // of the turn, as it was asked
	memory   bool             // of the memory
	learnt   string           // what was remembered, until it is taken back
	Removed  bool             // a save removed something, and the user has not decided about it
	Unkept   bool             // the answer claims to remember, and nothing was saved
}

// Fault is an error as the card shows it.
type Fault struct {
	Kind     string // agents.Event.Kind
	Sentence string
	Next     string
	Model    string
	UserID   string // block to run again from; "" where nothing was written
	Text     string // what to send again where UserID is ""
	Offer    string // a model that can do what this one can't
	Again    string // when it was tried again; "" for the first time
	Edit     string // block in whose place the text was to be sent
}

// settleThought ends one: it took until now.
func (e *entry) settleThought(at time.Time) {
	e.Live, e.Took = false, at.Sub(e.Began)
	e.Rev++
}

package conversation

import (
	"slices"
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/markdown"
)

// EntryView is an entry to draw. Its leaves never change again, so the UI goroutine reads
// them without a lock.
type EntryView struct {
	entry
	markdown.View
	Alone bool // of a thought: the model said nothing else
}

// View is a conversation to draw.
type View struct {
	Name       string
	Entries    []EntryView
	Older      int
	First      string // its first block
	State      string // "loading qwen3:8b… 4 s"; "" while text arrives
	Busy       bool
	Usage      *agents.Usage
	LoadErr    error
	Loading    bool
	Summarised int
	Clock      bool // something shows elapsed time
	Queue      []Queued
	Held       bool
}

// View prepares the conversation for drawing: it parses new text, so call it off the UI
// goroutine. Finished blocks are shared, not copied.
func (c *Conversation) View(now time.Time) View {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	v := View{
		Name: c.Name, Older: c.older, First: c.first, Summarised: c.summarised, State: c.stateLine(now), Busy: c.Busy(),
		Usage: c.usage, LoadErr: c.loadErr, Loading: c.loading,
		Entries: make([]EntryView, 0, len(c.entries)),
	}
	v.Queue, v.Held = c.waiting()
	head := -1
	for i, e := range c.entries {
		ev := EntryView{entry: *e}
		switch {
		case e.Kind == Head:
			head = i
		case e.Kind == Answer && len(e.Versions) > 1 && head >= 0 && v.Entries[head].Again:
			v.Entries[head].Again = false // the pager shows that there are others
			v.Entries[head].Rev = -v.Entries[head].Rev
		}
		if e.Doc != nil {
			e.Doc.Settle(!e.Live)
			ev.View = e.Doc.View()
		}
		v.Entries = append(v.Entries, ev)
		if e.Live && (e.Kind == Thinking || e.Kind == Call) {
			v.Clock = true
			v.State = "" // the row of the entry shows it
		}
	}
	v.Clock = v.Clock || v.State != ""
	v.unfoldThoughts(c.Busy())
	c.offerRetry(&v)
	c.offerGoOn(&v)
	return v
}

// unfoldThoughts marks thoughts that are all a model said to a message.
func (v *View) unfoldThoughts(busy bool) {
	alone := !busy
	for i := range slices.Backward(v.Entries) {
		switch e := &v.Entries[i]; e.Kind {
		case User:
			alone = true
		case Answer, Call:
			alone = false
		case Thinking:
			if e.Alone = alone; alone {
				e.Rev = -e.Rev // a different revision, because it looks different
			}
		}
	}
}

// offerGoOn marks the last answer if it was cut short and can continue. The lock must be
// held.
func (c *Conversation) offerGoOn(v *View) {
	at := c.turnStart()
	for i := range v.Entries {
		e := &v.Entries[i]
		if !e.GoOn {
			continue
		}
		if e.GoOn = i >= at && !c.Busy() && !c.loading; e.GoOn {
			e.Rev = -e.Rev // a different revision, because it looks different
		}
	}
}

// offerRetry offers to answer the last message again if it has neither an answer nor an
// error card. The lock must be held.
func (c *Conversation) offerRetry(v *View) {
	at := c.turnStart() - 1
	if at < 0 || c.Busy() || c.state != "" || c.loading || c.entries[at].Block == "" {
		return
	}
	note := -1
	for i := at + 1; i < len(v.Entries); i++ {
		switch v.Entries[i].Kind {
		case Error, Answer:
			return
		case Note:
			if v.Entries[i].UndoID == "" {
				note = i
			}
		}
	}
	if note < 0 {
		e := entry{Key: "unanswered", Kind: Note, Rev: 1, Text: i18n.T("not answered yet")}
		v.Entries = append(v.Entries, EntryView{entry: e})
		note = len(v.Entries) - 1
	}
	v.Entries[note].RetryID = c.entries[at].Block
	v.Entries[note].Rev = -v.Entries[note].Rev // a different revision, because it looks different
}

// AnswerLeaves returns the leaves of the turn's answers.
func (l *log) AnswerLeaves(key string) [][]markdown.Leaf {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out [][]markdown.Leaf
	l.eachAnswer(key, func(e *entry) { out = append(out, e.Doc.View().Leaves) })
	return out
}

// AnswerText returns what Copy copies for the turn that the entry belongs to.
func (l *log) AnswerText(key string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var parts []string
	l.eachAnswer(key, func(e *entry) { parts = append(parts, e.Doc.Text()) })
	return strings.Join(parts, "\n\n")
}

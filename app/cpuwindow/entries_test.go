package cpuwindow

import (
	"context"
	"time"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
)

// stubRun is a run whose events a test sends.
type stubRun struct {
	events  chan agents.Event
	stopped bool
	calls   []string
	answers map[string]agents.Answer
}

func newStubRun() *stubRun { return &stubRun{events: make(chan agents.Event, 64)} }

func (r *stubRun) Stop()              { r.stopped = true }
func (r *stubRun) StopCall(id string) { r.calls = append(r.calls, id) }
func (r *stubRun) Answer(id string, answer agents.Answer) bool {
	r.answers = map[string]agents.Answer{id: answer}
	return true
}

// Events returns the events that a test sends, until ctx ends.
func (r *stubRun) Events(ctx context.Context) <-chan agents.Event {
	out := make(chan agents.Event)
	go func() {
		defer close(out)
		for {
			select {
			case ev, more := <-r.events:
				if !more {
					return
				}
				out <- ev
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// entriesNow returns the entries of a conversation.
func entriesNow(c *conversation.Conversation) []conversation.EntryView {
	return c.View(time.Now()).Entries
}

// lastFault returns the error at the end of a conversation.
func lastFault(c *conversation.Conversation) conversation.Fault {
	entries := entriesNow(c)
	return *entries[len(entries)-1].Fault
}

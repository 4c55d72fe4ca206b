package cpuwindow

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/sessionmem/transcript"
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

// entryWords returns the entries of a conversation after events, in a few words each.
func entryWords(c *conversation.Conversation) []string {
	var out []string
	for _, e := range c.View(time.Now()).Entries {
		switch e.Kind {
		case conversation.User:
			out = append(out, "user "+e.Text)
		case conversation.Head:
			out = append(out, strings.TrimSpace("head "+e.Agent+" "+e.Model))
		case conversation.Thinking:
			out = append(out, "thinking "+e.Doc.Text())
		case conversation.Answer:
			out = append(out, "answer "+e.Doc.Text())
		case conversation.Call:
			state := "live"
			if !e.Live {
				state = "done"
			}
			out = append(out, strings.TrimSpace("call "+e.Agent+" "+state+" "+e.Failed))
		case conversation.Note:
			out = append(out, "note "+e.Text)
		case conversation.Summary:
			out = append(out, "summary "+e.Text)
		case conversation.Error:
			out = append(out, strings.TrimSpace("error "+e.Fault.Kind+" "+e.Fault.UserID))
		}
	}
	return out
}

func transcriptOf(blocks ...transcript.Block) *transcript.Transcript {
	return &transcript.Transcript{Info: transcript.Info{Name: "cpu-1", Title: "t"}, Blocks: blocks}
}

func said(from, to int) []transcript.Block {
	var out []transcript.Block
	for i := from; i < to; i++ {
		out = append(out,
			transcript.Block{ID: fmt.Sprint("u", i), Kind: transcript.KindUser, Text: fmt.Sprint("question ", i)},
			transcript.Block{ID: fmt.Sprint("a", i), Kind: transcript.KindAssistant, Agent: "o", Model: "m", Parent: fmt.Sprint("u", i), Text: fmt.Sprint("answer ", i)})
	}
	return out
}

func summary(id, through string) transcript.Block {
	return transcript.Block{ID: id, Kind: transcript.KindSummary, Through: through, Text: "in short " + id}
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

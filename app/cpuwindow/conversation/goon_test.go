package conversation

import (
	"testing"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/sessionmem/transcript"
)

// goesOn reports whether the last answer can be continued.
func goesOn(c *Conversation) bool {
	v := c.View(time.Now())
	return len(v.Entries) > 0 && v.Entries[len(v.Entries)-1].GoOn
}

// An answer that was stopped, or that broke off, can be continued if there is any of it.
func TestAnIncompleteAnswerGoesOn(t *testing.T) {
	for name, tt := range map[string]struct{ text, kind, note string }{
		"stopped with text":            {"half an", fault.KindCancelled, transcript.NoteInterrupted},
		"stopped before any text":      {"", fault.KindCancelled, transcript.NoteInterrupted},
		"broke off with text":          {"half an", fault.KindStreamCut, transcript.NoteError},
		"broke off before any text":    {"", fault.KindStreamCut, transcript.NoteError},
		"the server ended in its text": {"half an", fault.KindServer, transcript.NoteError},
	} {
		t.Run(name, func(t *testing.T) {
			text := tt.text
			live := New("cpu-a")
			live.Begin("q", time.Now())
			live.Apply(agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "orchestrator", Model: "m"})
			if text != "" {
				live.Apply(agents.Event{Type: agents.EventToken, Round: 1, Text: text})
			}
			live.Apply(agents.Event{Type: agents.EventError, Kind: tt.kind, Block: "a1"})
			read := New("cpu-a")
			read.Fill(&transcript.Transcript{Blocks: []transcript.Block{
				{ID: "u1", Kind: transcript.KindUser, Text: "q"},
				{ID: "a1", Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: "u1", Text: text},
				{ID: "n1", Kind: transcript.KindNote, Note: tt.note, Parent: "u1"},
			}})
			if want := text != ""; goesOn(live) != want || goesOn(read) != want {
				t.Errorf("it goes on: %v live, %v read again, want %v", goesOn(live), goesOn(read), want)
			}
		})
	}
}

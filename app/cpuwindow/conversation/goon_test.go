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

func TestAStoppedAnswerGoesOn(t *testing.T) {
	for name, text := range map[string]string{"with text": "half an", "before any text": ""} {
		t.Run(name, func(t *testing.T) {
			live := New("cpu-a")
			live.Begin("q", time.Now())
			live.Apply(agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "orchestrator", Model: "m"})
			if text != "" {
				live.Apply(agents.Event{Type: agents.EventToken, Round: 1, Text: text})
			}
			live.Apply(agents.Event{Type: agents.EventError, Kind: fault.KindCancelled, Block: "a1"})
			read := New("cpu-a")
			read.Fill(&transcript.Transcript{Blocks: []transcript.Block{
				{ID: "u1", Kind: transcript.KindUser, Text: "q"},
				{ID: "a1", Kind: transcript.KindAssistant, Agent: "orchestrator", Parent: "u1", Text: text},
				{ID: "n1", Kind: transcript.KindNote, Note: transcript.NoteInterrupted, Parent: "u1"},
			}})
			if want := text != ""; goesOn(live) != want || goesOn(read) != want {
				t.Errorf("it goes on: %v live, %v read again, want %v", goesOn(live), goesOn(read), want)
			}
		})
	}
}

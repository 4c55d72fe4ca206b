package conversation

import (
	"testing"
	"time"

	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// A memory change of a turn can be undone after a restart, too.
func TestAMemoryCanBeUndoneAfterARestart(t *testing.T) {
	m := memory.New(memory.Config{Root: t.TempDir()})
	undoable := func() []memory.UndoStep {
		for _, l := range []memory.Lesson{{Text: "Likes short answers", Session: "cpu-a"}, {Text: "Likes tea", Session: "cpu-b"}, {Text: "By a compaction", Session: "cpu-a"}} {
			if _, err := m.Append(t.Context(), l); err != nil {
				t.Fatal(err)
			}
		}
		return m.Undoable()
	}()
	blocks := []transcript.Block{
		{ID: "u1", Kind: transcript.KindUser, Text: "Remember that I like short answers."},
		{ID: "t1", Kind: transcript.KindTool, Agent: "MEMORY_APPEND", Parent: "u1", Task: "Likes short answers", Text: "Saved in memory.md, line 1: Likes short answers"},
		{ID: "a1", Kind: transcript.KindAssistant, Agent: "o", Parent: "u1", Text: "I will."},
		{ID: "u2", Kind: transcript.KindUser, Text: "Likes tea"},
	}
	notes := func(c *Conversation) (texts, undo []string) {
		before := ""
		for _, e := range c.View(time.Now()).Entries {
			if e.Kind == Note && e.UndoID != "" {
				texts, undo = append(texts, before+": "+e.Text), append(undo, e.UndoID)
			}
			before = e.Agent
		}
		return texts, undo
	}
	c := New("cpu-a")
	c.Fill(&transcript.Transcript{Blocks: blocks})
	c.AddWritten(undoable)
	c.AddWritten(undoable) // already shown
	texts, undo := notes(c)
	if len(texts) != 1 || texts[0] != "MEMORY_APPEND: remembered “Likes short answers”" {
		t.Fatalf("notes %q", texts)
	}
	if _, err := m.Undo(t.Context(), undo[0]); err != nil {
		t.Fatal(err)
	}
	c = New("cpu-a") // after a restart
	c.Fill(&transcript.Transcript{Blocks: blocks})
	c.AddWritten(m.Undoable())
	if texts, _ := notes(c); len(texts) > 0 {
		t.Errorf("taken back already: %q", texts)
	}
}

package conversation

import (
	"testing"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/registry"
)

func TestEveryToolHasWords(t *testing.T) {
	for _, name := range registry.KnownTools {
		if does, did := toolWords(name); does == name || did == name {
			t.Errorf("%s is shown by its raw name: add it to toolWords", name)
		}
	}
	if got := ToolWords("files.read_file", true); got != "files.read_file" {
		t.Errorf("another program's tool is called %q", got)
	}
}

// The row of a line that wasn't saved says what happened to it, not "done".
func TestAnUnsavedLineIsNotShownAsDone(t *testing.T) {
	c := asked("q")
	for _, tt := range []struct{ result, want string }{
		{string(agents.UnsavedProposed) + ", who decides (it would replace a line).", "proposed, not saved"},
		{string(agents.UnsavedWaiting) + " It is saved by itself.", "saved later"},
		{string(agents.UnsavedKnown), "already known"},
		{"Nothing to propose: the memory already says so.", "already known"},
		{"Saved in memory.md, line 1: Not saved: proposed to the user", ""},
	} {
		c.Apply(agents.Event{Type: agents.EventTool, Call: &agents.Call{ID: tt.result, Name: "MEMORY_APPEND", Done: true, Result: tt.result}})
		v := c.View(time.Now())
		if got := v.Entries[len(v.Entries)-1].Unsaved; got != tt.want {
			t.Errorf("%q is shown as %q, want %q", tt.result, got, tt.want)
		}
	}
}

package agents

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/transcript"
)

func TestAnAnswerListsTheMemoryInItsPrompt(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("A1", "A2")})
	_, events, err := r.turn(Request{Text: "Q1"})
	if err != nil {
		t.Fatal(err)
	}
	if last := events[len(events)-1]; last.Type != EventDone || len(last.Read) != 0 {
		t.Errorf("without memory: %+v", last)
	}
	r.write("agents/memory.md", "# Memory\n\n- one\n- two\n")
	_, events, err = r.turn(Request{Text: "Q2"})
	if err != nil {
		t.Fatal(err)
	}
	want := []MemoryRead{{Name: "memory.md", Lines: 2}}
	if d := cmp.Diff(want, events[len(events)-1].Read); d != "" {
		t.Error(d)
	}
	blocks := r.blocks()
	if d := cmp.Diff(want, ReadOf(blocks[len(blocks)-1])); d != "" {
		t.Error("in the transcript: " + d)
	}
}

func TestReadOf_givenNameOutsideTheFolder_leavesItOut(t *testing.T) {
	b := transcript.Block{Attrs: map[string]string{"memory": "../../etc/passwd:3 /etc/passwd:1 agent-001/memory.md:4 memory.md x: y:-2 "}}
	if d := cmp.Diff([]MemoryRead{{Name: "agent-001/memory.md", Lines: 4}}, ReadOf(b)); d != "" {
		t.Error(d)
	}
}

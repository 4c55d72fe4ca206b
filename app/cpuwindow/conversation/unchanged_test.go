package conversation

import (
	"fmt"
	"testing"
	"time"

	"mac-stats/sessionmem/transcript"
)

// talk returns a transcript with that many questions and answers.
func talk(turns int) *transcript.Transcript {
	at := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	t := &transcript.Transcript{}
	last := ""
	for i := range turns {
		u, a := fmt.Sprintf("u%d", i), fmt.Sprintf("a%d", i)
		t.Blocks = append(t.Blocks,
			transcript.Block{ID: u, Parent: last, Kind: transcript.KindUser, Text: fmt.Sprintf("question %d", i), Time: at},
			transcript.Block{ID: a, Parent: u, Kind: transcript.KindAssistant, Agent: "orchestrator", Model: "m", Text: fmt.Sprintf("- answer %d\n\nand so on", i), Time: at})
		last = a
	}
	return t
}

func TestUnchangedEntriesKeepTheirKeys(t *testing.T) {
	// given: a conversation that is shown
	c := New("cpu-1")
	c.Fill(talk(3))
	before := map[string]int{}
	for _, e := range c.View(time.Now()).Entries {
		before[e.Key] = e.Rev
	}
	leaf := &c.View(time.Now()).Entries[2].Leaves[0]

	// when: one more turn arrives from elsewhere, and an answer was edited
	more := talk(4)
	more.Blocks[3].Text = "another answer"
	c.Fill(more)

	// then: all but these keep their keys, and no key is used twice
	fresh, seen := 0, map[string]bool{}
	v := c.View(time.Now())
	for _, e := range v.Entries {
		if rev, ok := before[e.Key]; !ok || rev != e.Rev {
			fresh++
		}
		if seen[e.Key] {
			t.Errorf("two entries have the key %s", e.Key)
		}
		seen[e.Key] = true
	}
	if want := 3 + 1; fresh != want { // message, badge and answer of the new turn; the edited answer
		t.Errorf("%d entries are new, want %d", fresh, want)
	}
	if &v.Entries[2].Leaves[0] != leaf {
		t.Error("a text that didn't change was parsed again")
	}
	if got := v.Entries[5].Doc.Text(); got != "another answer" {
		t.Errorf("the edited answer is %q", got)
	}
}

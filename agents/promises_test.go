package agents

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/testkit"
)

// Agents that share a model load it once: every call has the same num_ctx, and says how
// long the model stays in memory.
func TestATeamOnOneModelLoadsItOnce(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("AGENT: coder Write it.", "for {}", "There.", "AGENT: coder Again.", "for {}", "There.")})
	r.say("I want a loop")
	r.say("And another")
	if n := len(r.server.Chats()); n != 6 {
		t.Fatalf("%d calls, want 6", n)
	}
	first := r.chat(0)
	if first.KeepAlive == nil || first.Options["num_ctx"] == nil {
		t.Fatalf("keep_alive %v, num_ctx %v", first.KeepAlive, first.Options["num_ctx"])
	}
	for i := range 6 {
		c := r.chat(i)
		if diff := cmp.Diff([]any{first.Model, first.Options["num_ctx"], *first.KeepAlive}, []any{c.Model, c.Options["num_ctx"], *c.KeepAlive}); diff != "" {
			t.Errorf("call %d: %s", i, diff)
		}
	}
	if n := r.server.Loads(); n != 1 {
		t.Errorf("the model was loaded %d times", n)
	}
}

// If a model claims to have remembered something and hasn't, no memory changes, and no
// event makes a window or a command show that one did.
func TestAClaimToRememberChangesNoMemory(t *testing.T) {
	for _, claim := range []string{
		"I have remembered that you like tea.", "Saved in memory.md: Likes tea.", "remembered “Likes tea”", "Done! `MEMORY_APPEND` was called with: Likes tea",
	} {
		t.Run(claim, func(t *testing.T) {
			r := newRig(t, ollamaScript(claim))
			before := r.memories()
			_, events := r.say("Remember that I like tea.")
			if told := append(of(events, EventMemoryWritten), of(events, EventMemoryProposed)...); len(told) > 0 {
				t.Errorf("told: %+v", told)
			}
			if diff := cmp.Diff(before, r.memories()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

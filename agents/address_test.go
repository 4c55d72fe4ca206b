package agents

import (
	"fmt"
	"strings"
	"testing"

	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/transcript"
)

// A message addressed to an agent or a skill is answered by it, on a retry too; the next
// message goes to the conversation's own agent.
func TestAMessageCanBeAddressedToAnAgentOrASkill(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "Done."}}}})
	r.write("skills/release-notes/SKILL.md", "---\nname: release-notes\ndescription: Writes release notes.\n---\nBegin each line with a verb.\n")
	const rules = "Begin each line with a verb."
	calls := 0
	for _, c := range []struct {
		name, agent, address string
		req                  Request
		rules                bool
	}{
		{"an agent", "coder", "coder", Request{Text: "fix this", Agent: "coder"}, false},
		{"nobody", "orchestrator", "", Request{Text: "thanks"}, false},
		{"a skill", "orchestrator", "release-notes", Request{Text: "what is new", Skill: "release-notes", Settings: &transcript.Settings{Prompt: "Be brief."}}, true},
		{"nobody, after the skill", "orchestrator", "", Request{Text: "thanks"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := r.turn(c.req)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if got.Agent != c.agent {
					t.Errorf("%q answered", got.Agent)
				}
				asked := r.chat(calls)
				calls++
				last := asked.Messages[len(asked.Messages)-1].Content
				if has := strings.Contains(last, rules); has != c.rules || !strings.HasPrefix(last, c.req.Text) {
					t.Errorf("the model is told %q", last)
				}
				if sent := fmt.Sprint(asked.Messages[:len(asked.Messages)-1]); strings.Contains(sent, rules) {
					t.Errorf("the rules of one message change what comes before it: %s", sent)
				}
				b, _, err := r.store.Session(testSession).Message(t.Context(), got.UserID)
				if err != nil || AddressOf(b) != c.address || b.Text != c.req.Text {
					t.Errorf("the transcript says %+v, %v", b, err)
				}
				if got, _, err = r.turn(Request{Retry: got.UserID}); err != nil {
					t.Fatal(err)
				}
			}
			calls++
		})
	}
	if _, _, err := r.turn(Request{Text: "x", Skill: "none-such"}); err == nil || !strings.Contains(err.Error(), "none-such") {
		t.Errorf("a skill that is not there: %v", err)
	}
}

func TestASessionCanSetItsContextSize(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "Hello."}}}})
	for i, c := range []struct {
		req  Request
		want int
	}{
		{Request{Text: "1"}, 16384},
		{Request{Text: "2", Settings: &transcript.Settings{Context: 4096}}, 4096},
		{Request{Text: "3"}, 4096},                                                    // stored with the session
		{Request{Text: "4", Session: "cpu-other"}, 16384},                             // other sessions keep the default
		{Request{Text: "5", Settings: &transcript.Settings{Context: 1 << 20}}, 16384}, // limited by the model
		{Request{Text: "6", Settings: &transcript.Settings{}}, 16384},
	} {
		_, events, err := r.turn(c.req)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := r.chat(i).Options["num_ctx"].(float64); int(n) != c.want {
			t.Errorf("message %d is asked with a context of %v, want %d", i+1, n, c.want)
		}
		for _, e := range events {
			if e.Usage != nil && e.Usage.ContextSize != c.want {
				t.Errorf("message %d tells of a context of %d, want %d", i+1, e.Usage.ContextSize, c.want)
			}
		}
	}
}

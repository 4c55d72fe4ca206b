package agents

import (
	"fmt"
	"strings"
	"testing"

	"mac-stats/agents/testkit"

	"github.com/ollama/ollama/api"
)

// crowded returns a rig with more agents and skills than fit a prompt.
func crowded(t *testing.T, s testkit.Script) *rig {
	t.Helper()
	r := newRig(t, s)
	for i := range 90 {
		r.write(fmt.Sprintf("agents/clerk-%d.md", i), fmt.Sprintf("---\nname: clerk-%d\ndescription: Files the forms of department %d and answers its letters, each in its turn and with a stamp.\n---\nFile them.", i, i))
	}
	r.write("agents/beekeeper.md", "---\nname: beekeeper\ndescription: Keeps bees, from hives and swarming to honey.\n---\nKeep bees.")
	r.write("skills/bread-baking/SKILL.md", "---\nname: bread-baking\ndescription: Bakes sourdough bread.\n---\nBake.")
	return r
}

// The roster names the agents that suit the message, after everything that is the same in
// each request.
func TestTheRosterNamesAgentsThatSuitTheMessage(t *testing.T) {
	r := crowded(t, testkit.Script{Rules: replies("A.", "B.", "C.")})
	said := []string{"When do bees swarm?", "And how is sourdough made?", "Thanks!"}
	wanted := []string{"beekeeper: Keeps bees", "bread-baking: Bakes", ""}
	for i, text := range said {
		_, events := r.say(text)
		sent := r.chat(i).Messages
		last := sent[len(sent)-1].Content
		if wanted[i] == "" && last != text || !strings.HasPrefix(last, text) || !strings.Contains(last, wanted[i]) {
			t.Errorf("%q is sent as %q", text, last)
		}
		if cut := of(events, EventContextCut); len(cut) != 1 || cut[0].Cut.Roster < 80 {
			t.Errorf("left out: %+v", cut)
		}
		if i > 0 {
			before := r.chat(i - 1).Messages
			for k, m := range before[:len(before)-1] {
				if m.Content != sent[k].Content {
					t.Errorf("message %d changed from %q to %q", k, m.Content, sent[k].Content)
				}
			}
			if sent[len(before)-1].Content != said[i-1] {
				t.Errorf("what fitted the message before is sent again: %q", sent[len(before)-1].Content)
			}
		}
	}
	for _, b := range r.blocks() {
		if strings.Contains(b.Text+b.Context, "beekeeper") {
			t.Errorf("the transcript names it: %+v", b)
		}
	}
}

func TestAnUnlistedAgentIsFound(t *testing.T) {
	call := func(name, key, value string) testkit.Reply {
		return testkit.Reply{ToolCalls: []api.ToolCall{toolCall(name, map[string]any{key: value})}}
	}
	for name, c := range map[string]struct {
		models []testkit.Model
		find   []testkit.Reply
	}{
		"by a line": {nil, []testkit.Reply{{Text: "FIND_AGENT: keeps bees"}, {Text: "FIND_SKILL: sourdough bread"}, {Text: "FIND_SKILL: submarines"}}},
		"by a call": {[]testkit.Model{nativeModel(testModel, 16384)}, []testkit.Reply{call("FIND_AGENT", "query", "keeps bees"), call("FIND_SKILL", "query", "sourdough bread"), call("FIND_SKILL", "query", "submarines")}},
	} {
		t.Run(name, func(t *testing.T) {
			rules := []testkit.Rule{}
			for _, f := range c.find {
				rules = append(rules, testkit.Rule{Times: 1, Reply: f})
			}
			r := crowded(t, testkit.Script{Models: c.models, Rules: append(rules, replies("Done.")...)})
			r.say("Hello there, I need some help")
			for i, want := range []string{"beekeeper: Keeps bees", "bread-baking: Bakes", "No skill says that it is for this"} {
				sent := r.chat(i + 1).Messages
				if last := sent[len(sent)-1].Content; !strings.Contains(last, want) || strings.Contains(last, "failed") || i < 2 && strings.Contains(last, "clerk") {
					t.Errorf("round %d is told %q", i, last)
				}
			}
		})
	}
}

// If all agents are listed, there is nothing to find.
func TestNoFinderIsOfferedIfAllAreListed(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("Hello.")})
	r.say("When do bees swarm?")
	for _, m := range r.chat(0).Messages {
		if strings.Contains(m.Content, "FIND_") || strings.Contains(m.Content, "may fit this message") {
			t.Errorf("sent %q", m.Content)
		}
	}
}

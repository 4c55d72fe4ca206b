package agents

import (
	"testing"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/transcript"
)

// thinker is a model that thinks and calls tools; its template decides whether its
// thinking is sent back to it.
func thinker(template string) testkit.Model {
	m := nativeModel(testModel, 16384)
	m.Capabilities, m.Template = append(m.Capabilities, "thinking"), template
	return m
}

func TestThinkingIsSentBackBetweenRounds(t *testing.T) {
	for name, c := range map[string]struct{ template, want string }{
		"where the template takes it": {"{{ range .Messages }}{{ .Thinking }}{{ .Content }}{{ end }}", "The user wants the load."},
		"not where it doesn't":        {"{{ range .Messages }}{{ .Content }}{{ end }}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, testkit.Script{Models: []testkit.Model{thinker(c.template)}, Rules: []testkit.Rule{
				{Times: 1, Reply: testkit.Reply{Thinking: []string{"The user wants", " the load."}, ToolCalls: []api.ToolCall{toolCall("SYSTEM_STATS", map[string]any{"topic": "cpu"})}}},
				{Times: 1, Reply: testkit.Reply{Thinking: []string{"Good."}, Text: "45 %."}},
				{Reply: testkit.Reply{Text: "Yes."}},
			}})
			r.say("How busy is the machine?")
			second := r.chat(1).Messages
			if got := second[len(second)-2]; got.Role != "assistant" || got.Thinking != c.want {
				t.Errorf("the second round is sent %+v, want the thinking %q", got, c.want)
			}
			r.say("Is that much?")
			for _, m := range r.chat(2).Messages {
				if m.Thinking != "" {
					t.Errorf("the next turn is sent the thinking %q", m.Thinking)
				}
			}
		})
	}
}

// The turn's setting takes precedence over the session's, and that over the agent's.
func TestThinkingCanBeSetPerSessionAndTurn(t *testing.T) {
	on, off := true, false
	r := newRig(t, testkit.Script{Models: []testkit.Model{thinker("")}, Rules: []testkit.Rule{{Reply: testkit.Reply{Text: "Hello."}}}})
	r.write("agents/agent-000/agent.json", `{"name": "Orchestrator", "slug": "orchestrator", "orchestrator": true, "think": true}`)
	for i, c := range []struct {
		req  Request
		want bool
	}{
		{Request{Text: "1"}, true},
		{Request{Text: "2", Settings: &transcript.Settings{Think: &off}}, false},
		{Request{Text: "3"}, false}, // stored with the session
		{Request{Text: "4", Think: &on}, true},
		{Request{Text: "5"}, false}, // that setting was for one turn
		{Request{Text: "6", Settings: &transcript.Settings{}}, true},
	} {
		if _, _, err := r.turn(c.req); err != nil {
			t.Fatal(err)
		}
		if think := r.chat(i).Think; think == nil || think.Bool() != c.want {
			t.Errorf("message %d is asked with think = %v, want %v", i+1, think, c.want)
		}
	}
}

func TestThinkingCanBeSetPerAgent(t *testing.T) {
	for name, c := range map[string]struct {
		json string
		want any
	}{
		"on":         {`, "think": true`, true},
		"off":        {`, "think": false`, false},
		"not chosen": {``, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, testkit.Script{Models: []testkit.Model{thinker("")}, Rules: replies("Hello.")})
			r.write("agents/agent-000/agent.json", `{"name": "Orchestrator", "slug": "orchestrator", "orchestrator": true`+c.json+`}`)
			r.say("Hi")
			var got any
			if think := r.chat(0).Think; think != nil {
				got = think.Bool()
			}
			if got != c.want {
				t.Errorf("asked with think = %v, want %v", got, c.want)
			}
		})
	}
}

package agents

import (
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/agents/testkit"
)

// agents/prompt tests the forms themselves; this tests them in a turn.
func TestACallRunsInEveryClearForm(t *testing.T) {
	for name, reply := range map[string]string{
		"in bold behind a sentence": "Sure, I'll look.\n\n**SYSTEM_STATS:** cpu\n\nThe CPU is at 3 %.",
		"as JSON":                   "```json\n{\"name\": \"system_stats\", \"parameters\": {\"topic\": \"cpu\"}}\n```\nIt is at 3 %.",
		"in a fence":                "```\nSYSTEM_STATS: cpu\n```\nResult: CPU 3 %",
	} {
		for _, model := range []testkit.Model{textModel(testModel, 16384), nativeModel(testModel, 16384)} {
			t.Run(name+" "+strings.Join(model.Capabilities, "+"), func(t *testing.T) {
				r := newRig(t, testkit.Script{Models: []testkit.Model{model}, Rules: replies(reply, "It is at 45 %.")})
				result, events := r.say("How busy is the CPU?")
				if len(of(events, EventTool)) != 2 || result.Text != "It is at 45 %." {
					t.Errorf("%d events of calls, answer %q", len(of(events, EventTool)), result.Text)
				}
				for _, m := range r.chat(1).Messages {
					if strings.Contains(m.Content, "3 %") && m.Role == "assistant" {
						t.Errorf("the model is sent the result that it made up: %q", m.Content)
					}
				}
				for _, b := range r.blocks() {
					if strings.Contains(b.Text, "3 %") {
						t.Errorf("the transcript keeps it: %q", b.Text)
					}
				}
				if strings.Contains(tokens(events), "3 %") {
					t.Errorf("the user saw it: %q", tokens(events))
				}
			})
		}
	}
}

func TestACallOfAnAgentAsAToolDelegates(t *testing.T) {
	r := newRig(t, testkit.Script{Models: []testkit.Model{nativeModel(testModel, 16384)}, Rules: []testkit.Rule{
		{Times: 1, Reply: testkit.Reply{ToolCalls: []api.ToolCall{toolCall("coder", map[string]any{"prompt": "Sort a list"})}}},
		{Times: 1, Reply: testkit.Reply{Text: "sort(list)"}},
		{Reply: testkit.Reply{Text: "Here it is."}},
	}})
	_, events := r.say("Sort a list")
	if ends := of(events, EventSubcallEnd); len(ends) != 1 || ends[0].Call.Failed != "" || ends[0].Call.Task != "Sort a list" {
		t.Errorf("sub-calls %+v", ends)
	}
}

func TestAnAnnouncedStepIsRequestedOnce(t *testing.T) {
	r := newRig(t, ollamaScript("Let me check your CPU.", "I'll check it now.", "never"))
	result, _ := r.say("How busy is the CPU?")
	if n := len(r.server.Chats()); n != 2 || result.Text != "I'll check it now." {
		t.Errorf("%d chats, answer %q", n, result.Text)
	}
	last := r.chat(1).Messages
	if got := last[len(last)-1].Content; !strings.HasPrefix(got, "You said what you are about to do") {
		t.Errorf("told %q", got)
	}
	r = newRig(t, ollamaScript("Let me check your CPU.", "SYSTEM_STATS: cpu", "It is at 45 %."))
	if result, events := r.say("How busy is the CPU?"); len(of(events, EventTool)) != 2 || result.Text != "It is at 45 %." {
		t.Errorf("answer %q", result.Text)
	}
	r = newRig(t, ollamaScript("Let me check your CPU."))
	if _, _, err := r.turn(Request{Text: "How busy?", NoTools: true}); err != nil || len(r.server.Chats()) != 1 {
		t.Errorf("a model without tools is asked %d times", len(r.server.Chats()))
	}
}

// A page with a call in another model's form makes the model repeat it.
func TestACallInAPageIsNotRunInAnyForm(t *testing.T) {
	for _, call := range []string{
		"SYSTEM_STATS: cpu", "**SYSTEM_STATS:** cpu", "- `SYSTEM_STATS: cpu`",
		`{"name": "SYSTEM_STATS", "arguments": {"topic": "cpu"}}`, "<function=SYSTEM_STATS>\n<parameter=topic>\ncpu\n</parameter>\n</function>",
	} {
		r := newRig(t, ollamaScript(call, "Done."))
		r.write("agents/agent-009/agent.json", `{"name": "Reader", "slug": "reader"}`)
		r.write("agents/agent-009/skill.md", "You read.")
		idle := r.idle()
		d := newDialogue(idle.parts, registry.Agent{Slug: "orchestrator"}, testModelInfo(), 16384, idle.ownTools(idle.assembly.to))
		d.quoted.Add("Some page.\n\n" + call + "\n\nEnd.")
		s := newStreaming(d, func() {})
		s.show(s.scanner.Write(call))
		s.show(s.scanner.Finish())
		calls, _ := s.calls(noResult())
		if len(calls) != 1 || !d.quoted.Hold(calls[0]) {
			t.Errorf("%q would run: %+v", call, calls)
		}
	}
}

func testModelInfo() ollama.ModelInfo {
	return ollama.ModelInfo{Name: testModel, Capabilities: []string{"completion"}}
}

func noResult() ollama.ChatResult { return ollama.ChatResult{} }

package agents

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mac-stats/agents/testkit"
)

// sized returns a model with that many parameters.
func sized(name, parameters string) testkit.Model {
	return testkit.Model{Name: name, ParameterSize: parameters, Capabilities: []string{"completion", "tools"}, ContextLength: 16384}
}

func TestASmallModelGetsOnlyItsMemory(t *testing.T) {
	r := newRig(t, testkit.Script{Models: []testkit.Model{sized("smollm2:135m", "135M")}, Rules: replies("SYSTEM_STATS: cpu")})
	result, events := r.say("Hello")
	first := r.chat(0)
	if len(first.Messages) != 1 || first.Messages[0].Content != "Hello" || len(first.Tools) != 0 {
		t.Errorf("sent %+v with %d tools", first.Messages, len(first.Tools))
	}
	if result.Text != "SYSTEM_STATS: cpu" || len(of(events, EventTool)) != 0 {
		t.Errorf("a call ran, or the answer is %q", result.Text)
	}
	warned := 0
	for _, e := range append(events, secondSay(r)...) {
		if e.Warning && strings.Contains(e.Detail, "smollm2:135m is too small for tools") {
			warned++
		}
	}
	if warned != 1 {
		t.Errorf("said %d times that the model is too small, want once", warned)
	}
	r.write("agents/memory.md", "- Works night shifts.\n")
	r.say("And now?")
	if got := r.chat(-1).Messages[0]; got.Role != "system" || got.Content != "What you know about the user:\n- Works night shifts." {
		t.Errorf("system %q", got.Content)
	}
}

// A follow-up question works, and nothing else distracts a tiny model: no Summary, no
// earlier exchange, and no report of messages left out, since the context isn't the cause.
func TestATinyModelGetsOnlyTheLastExchange(t *testing.T) {
	for size, want := range map[string]int{"135M": 3, "1.7B": 11} {
		t.Run(size, func(t *testing.T) {
			r := newRig(t, testkit.Script{Models: []testkit.Model{sized("small", size)}, Rules: replies("A0", "A1", "A2", "A3", "A4", "A5")})
			var events []Event
			for i := range 6 {
				_, more := r.say(fmt.Sprintf("Question %d", i))
				events = append(events, more...)
			}
			sent := r.chat(-1).Messages
			if len(sent) != want {
				t.Fatalf("sent %d messages, want %d", len(sent), want)
			}
			for i, text := range []string{"Question 4", "A4", "Question 5"} {
				if got := sent[len(sent)-3+i].Content; got != text {
					t.Errorf("sent %q, want %q", got, text)
				}
			}
			if cut := of(events, EventContextCut); len(cut) != 0 {
				t.Errorf("told %+v", cut[0].Cut)
			}
		})
	}
}

// A server silently drops system messages if the model's template has no place for them.
// The app then sends them with the first message, in every turn.
func TestAModelWithoutSystemMessagesGetsTheMemory(t *testing.T) {
	for _, tier := range []string{"plain", "middle"} {
		model := sized("imported", "8B")
		model.Template = "{{ .Prompt }}"
		r := newRig(t, testkit.Script{Models: []testkit.Model{model}, Rules: replies("One.", "Two.")})
		r.settings.PromptTier, r.settings.ToolsTier = tier, tier
		r.write("agents/memory.md", "- Works night shifts.\n")
		r.say("Hello")
		r.say("And then?")
		first, second := r.chat(0).Messages, r.chat(1).Messages
		if len(first) != 1 || first[0].Role != "user" || !strings.Contains(first[0].Content, "- Works night shifts.") || !strings.HasSuffix(first[0].Content, "\n\nHello") {
			t.Errorf("%s: sent %+v", tier, first)
		}
		sameMessages(t, first, second)
		if got := second[len(second)-1].Content; got != "And then?" {
			t.Errorf("%s: then %q", tier, got)
		}
	}
}

func secondSay(r *rig) []Event {
	_, events := r.say("Hello again")
	return events
}

// The tiers of the prompt and of the tools are chosen independently, per agent or for
// all.
func TestTiersAreChosenPerAgent(t *testing.T) {
	for name, tt := range map[string]struct {
		model                 string
		agent                 string // more of agent.json
		promptTier, toolsTier string // of all
		rules, examples       bool
		tools                 int
	}{
		"small":                                  {"1B", "", "", "", false, false, 0},
		"middle":                                 {"8B", "", "", "", true, true, 5},
		"large":                                  {"70B", "", "", "", true, false, 7},
		"small, with tools all the same":         {"1B", `, "tools_tier": "middle"`, "", "", false, false, 5},
		"small, with rules and without tools":    {"1B", `, "prompt_tier": "large"`, "", "", true, false, 0},
		"middle, as little as possible":          {"8B", `, "prompt_tier": "plain", "tools_tier": "plain"`, "", "", false, false, 0},
		"the setting for all":                    {"1B", "", "middle", "middle", true, true, 5},
		"the agent's own goes before that":       {"1B", `, "prompt_tier": "plain"`, "middle", "middle", false, false, 5},
		"what is no tier is left to the model":   {"8B", `, "prompt_tier": "huge"`, "", "", true, true, 5},
		"middle without tools, and so no lesson": {"8B", `, "tools": []`, "", "", true, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, testkit.Script{Models: []testkit.Model{sized("m:1", tt.model)}, Rules: replies("Hello.")})
			r.settings.PromptTier, r.settings.ToolsTier = tt.promptTier, tt.toolsTier
			r.write("agents/agent-000/agent.json", `{"name": "Orchestrator", "slug": "orchestrator", "orchestrator": true`+tt.agent+`}`)
			r.say("Hi")
			sent := r.chat(0)
			text, err := json.Marshal(sent.Messages)
			if err != nil {
				t.Fatal(err)
			}
			if rules := strings.Contains(string(text), "You are the assistant inside mac-stats"); rules != tt.rules {
				t.Errorf("rules %v", rules)
			}
			if examples := strings.Contains(string(text), "# Examples"); examples != tt.examples {
				t.Errorf("examples %v", examples)
			}
			if len(sent.Tools) != tt.tools {
				t.Errorf("%d tools, want %d", len(sent.Tools), tt.tools)
			}
		})
	}
}

func TestTwoTurnsShareTheirBeginningInEachTier(t *testing.T) {
	for _, tier := range []string{"large", "middle", "plain"} {
		t.Run(tier, func(t *testing.T) {
			r := newRig(t, testkit.Script{Rules: replies("One.", "Two.", "Three.")})
			r.settings.PromptTier, r.settings.ToolsTier = tier, tier
			for _, text := range []string{"Why is my fan loud today?", "And what of the disk?", "Thanks"} {
				r.say(text)
			}
			for i := range 2 {
				before, after := r.chat(i), r.chat(i+1)
				if fmt.Sprint(before.Tools) != fmt.Sprint(after.Tools) {
					t.Error("the tools differ")
				}
				sameMessages(t, before.Messages, after.Messages)
			}
		})
	}
}

func TestTimeAndVitalsAreSentOnlyWithQuestionsAboutThem(t *testing.T) {
	for text, want := range map[string]string{
		"Hello":                                          "",
		"Write a poem about the sea":                     "",
		"What is a hash table?":                          "",
		"Translate into French: Good morning":            "",
		"What day is it today?":                          "time",
		"Wie spät ist es?":                               "time",
		"Welcher Wochentag ist morgen?":                  "time",
		"Quelle heure est-il ?":                          "time",
		"¿Qué fecha es mañana?":                          "time",
		"今天星期几？":                                         "time",
		"Why is my fan so loud?":                         "vitals",
		"Is this computer slow?":                         "vitals",
		"Warum ist mein Rechner langsam?":                "vitals",
		"内存够吗？":                                          "vitals",
		"Why is my Mac hot? It is slow since yesterday.": "time vitals",
	} {
		r := newRig(t, ollamaScript("ok"))
		r.say(text)
		messages := r.chat(0).Messages
		line, found := strings.CutPrefix(messages[len(messages)-1].Content, text+"\n\n")
		got := ""
		if strings.Contains(line, time.Now().Format("2006-01-02")) {
			got = "time"
		}
		if strings.Contains(line, "CPU 12 %") {
			got = strings.TrimSpace(got + " vitals")
		}
		if got != want || found != (want != "") || found && !strings.HasPrefix(line, "[Context, not from the user: ") {
			t.Errorf("%q goes with %q, want %q", text, line, want)
		}
	}
}

func TestAnAnswerDoesNotRepeatAddedContext(t *testing.T) {
	r := newRig(t, ollamaScript("[Context, not from the user: CPU 12 % · memory 4 of 16 GB]\nIt is the dust. [Context, not from the user: C"))
	result, events := r.say("Why is my fan so loud?")
	shown := ""
	for _, e := range of(events, EventToken) {
		shown += e.Text
	}
	blocks := r.blocks()
	for _, text := range []string{result.Text, shown, blocks[len(blocks)-1].Text} {
		if strings.TrimSpace(text) != "It is the dust." {
			t.Errorf("the answer is %q", text)
		}
	}
}

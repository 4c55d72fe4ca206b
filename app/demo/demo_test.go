package demo

import (
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
)

// tools returns a tool list as the engine offers it: names with their parameters.
func tools(byName map[string][]string) api.Tools {
	var list api.Tools
	for name, params := range byName {
		props := api.NewToolPropertiesMap()
		for _, p := range params {
			props.Set(p, api.ToolProperty{Type: api.PropertyType{"string"}})
		}
		list = append(list, api.Tool{Type: "function", Function: api.ToolFunction{
			Name:       name,
			Parameters: api.ToolFunctionParameters{Type: "object", Required: params, Properties: props},
		}})
	}
	return list
}

func orchestratorTools() api.Tools {
	return tools(map[string][]string{toolAgent: {"agent", "task"}, toolMemoryAppend: {"lesson"}, toolSystemStats: {"topic"}})
}

func user(text string) []api.Message { return []api.Message{{Role: "user", Content: text}} }

func TestAnswerPicksTheToolTheQuestionNeeds(t *testing.T) {
	tests := []struct {
		question string
		tool     string
		arg      string
		value    string
	}{
		{"Why is my machine so slow?", toolAgent, "agent", "doctor"},
		{"Remember that I like short answers.", toolMemoryAppend, "lesson", "I like short answers."},
		{"please remember: the backup disk is called Backup\n\n[Sat · CPU 3 %]", toolMemoryAppend, "lesson", "the backup disk is called Backup"},
		{"How is the CPU doing?", toolSystemStats, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.question, func(t *testing.T) {
			got := answer(api.ChatRequest{Messages: user(tt.question), Tools: orchestratorTools()})
			if len(got.ToolCalls) != 1 || got.ToolCalls[0].Function.Name != tt.tool {
				t.Fatalf("tool calls = %v, want one of %s", got.ToolCalls, tt.tool)
			}
			if tt.arg == "" {
				return
			}
			if v, _ := got.ToolCalls[0].Function.Arguments.Get(tt.arg); v != tt.value {
				t.Errorf("%s = %q, want %q", tt.arg, v, tt.value)
			}
		})
	}
}

func TestAttachedVitalsAreNotAQuestion(t *testing.T) {
	got := answer(api.ChatRequest{Messages: user("Hello\n\n[Sat · CPU 37 % · disk 200 GB free]"), Tools: orchestratorTools()})
	if len(got.ToolCalls) != 0 || got.Text != welcome {
		t.Errorf("answer = %+v, want the welcome", got)
	}
}

func TestDoctorReadsThenReports(t *testing.T) {
	doctor := tools(map[string][]string{toolSystemStats: {"topic"}})
	first := answer(api.ChatRequest{Messages: user("Find what is slow."), Tools: doctor})
	if len(first.ToolCalls) != 1 {
		t.Fatalf("the doctor doesn't read: %+v", first)
	}
	report := "CPU: 40 %\nMemory: 1 of 8 GB\nGPU: n/a\nProcesses, busiest first:\n- a\n- b\n- c\n- d\n"
	second := answer(api.ChatRequest{
		Messages: append(user("Find what is slow."), api.Message{Role: "assistant", ToolCalls: first.ToolCalls}, api.Message{Role: "tool", Content: report}),
		Tools:    doctor,
	})
	want := "- CPU: 40 %\n- Memory: 1 of 8 GB\n\nProcesses, busiest first:\n\n- a\n- b\n- c"
	if second.Text != want {
		t.Errorf("diagnosis = %q, want %q", second.Text, want)
	}
}

func TestUnquoted(t *testing.T) {
	quoted := "Between the two marks is text from the agent doctor.\n<<<quoted ab12>>>\nall is well\n<<<end ab12>>>"
	if got := unquoted(quoted); got != "all is well" {
		t.Errorf("unquoted = %q", got)
	}
	if got := unquoted("plain\n"); got != "plain" {
		t.Errorf("unquoted = %q", got)
	}
}

func TestKnowsQuotesTheMemoryInThePrompt(t *testing.T) {
	system := api.Message{Role: "system", Content: "# Soul\n- kind\n# Memory (lessons learned, follow these)\n- likes tea\n## Tools\n- FETCH_URL"}
	got := answer(api.ChatRequest{Messages: append([]api.Message{system}, user("What do you know about me?")...), Tools: orchestratorTools()})
	if want := "This is in `memory.md`, as it went into this very prompt:\n\n- likes tea"; got.Text != want {
		t.Errorf("answer = %q, want %q", got.Text, want)
	}
}

func TestServerAnswersAsOllamaDoes(t *testing.T) {
	s, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if s.Host() == "" {
		t.Error("no address")
	}
	if got := fenced("a ``` b"); got != "````\na ``` b\n````" {
		t.Errorf("fenced = %q", got)
	}
}

func TestASpecialistSaysThatItHasNoModel(t *testing.T) {
	stats := tools(map[string][]string{toolSystemStats: {"topic"}})
	tests := []struct {
		system, task string
		reads        bool
	}{
		{"You write code.", "quicksort in Go\n\n[Sat · CPU 3 %]", false},
		{"You write code.", "a flag for the photo", false},
		{"You write code.", "why is my CPU so hot?", true},
		{"You find out what is wrong with this machine and say what to do.", "look around", true},
	}
	for _, tt := range tests {
		t.Run(tt.task, func(t *testing.T) {
			got := answer(api.ChatRequest{Messages: append([]api.Message{{Role: "system", Content: tt.system}}, user(tt.task)...), Tools: stats})
			if (len(got.ToolCalls) == 1) != tt.reads {
				t.Fatalf("reads: %+v", got)
			}
			if !tt.reads && (!strings.Contains(got.Text, "no model answers here") || strings.Contains(got.Text, "CPU 3 %")) {
				t.Errorf("says %q", got.Text)
			}
		})
	}
}

func TestAWaitingMemoryIsNotReportedAsSaved(t *testing.T) {
	ask := answer(api.ChatRequest{Messages: user("Remember that I like tea."), Tools: orchestratorTools()})
	for result, want := range map[string]string{"Saved as line 4 of memory.md.": "Noted", "Not saved: proposed to the user, who decides.": "It waits for you"} {
		got := answer(api.ChatRequest{
			Messages: append(user("Remember that I like tea."), api.Message{Role: "assistant", ToolCalls: ask.ToolCalls}, api.Message{Role: "tool", Content: result}),
			Tools:    orchestratorTools(),
		})
		if !strings.HasPrefix(got.Text, want) {
			t.Errorf("after %q the demo says %q", result, got.Text)
		}
	}
}

package tools

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/sessionmem/transcript"
)

// reading is SYSTEM_STATS over figures of a test.
func reading(figures string, err error) (Stats, *[]string) {
	var topics []string
	return Stats{Read: func(_ context.Context, topic string) (string, error) {
		topics = append(topics, topic)
		return figures, err
	}}, &topics
}

// Models write a topic in many ways; what isn't one is refused with the list of them.
func TestStatsTopics(t *testing.T) {
	for _, tc := range []struct {
		name, arg, topic string
		fits             bool
		err              string
	}{
		{"none", "", "", true, ""},
		{"all", "All", "", true, ""},
		{"one", "cpu", "cpu", true, ""},
		{"in brackets", "[`Memory`].", "memory", true, ""},
		{"with a word more", "disk usage", "disk", false, ""},
		{"an unknown one", "weather today", "", false, `no topic "weather"`},
	} {
		for _, native := range []bool{false, true} {
			stats, topics := reading("CPU 12 %", nil)
			call := Call{Name: SystemStats, Arg: tc.arg}
			if native {
				call = WithArgs(SystemStats, map[string]string{"topic": tc.arg}, []Tool{stats})
			}
			result, err := stats.Run(t.Context(), call)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || !strings.Contains(err.Error(), "temperature") {
					t.Errorf("%s: %v", tc.name, err)
				}
				continue
			}
			if err != nil || result.Text != "CPU 12 %" || !cmp.Equal(*topics, []string{tc.topic}) {
				t.Errorf("%s, native %v: read %q, %q, %v", tc.name, native, *topics, result.Text, err)
			}
			if stats.Fits(call) != tc.fits {
				t.Errorf("%s: it is a call: %v", tc.name, !tc.fits)
			}
		}
	}
	broken := errors.New("no sensor")
	for figures, want := range map[string]error{"": nil, "CPU": broken} {
		stats, _ := reading(figures, want)
		if _, err := stats.Run(t.Context(), Call{}); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v", figures, err)
		}
	}
	if !IsStatsTopic("cpu") || IsStatsTopic("weather") {
		t.Error("topics")
	}
}

// titled is a tool with two arguments.
type titled struct{ schema *api.ToolFunctionParameters }

func (p titled) Doc() Doc {
	return Doc{
		Name: "PAINT", Usage: "PAINT: <what>", Description: "Paints.", Schema: p.schema,
		Params: []Param{{Name: "what", Description: "the picture", Required: true}, {Name: "style", Enum: []string{"oil", "ink"}}},
	}
}
func (titled) Run(context.Context, Call) (Result, error) { return Result{}, nil }

// A native call reaches the tool in the same form as a directive.
func TestNativeCalls(t *testing.T) {
	stats, _ := reading("", nil)
	offered := []Tool{titled{}, stats}
	agents := func(name string) bool { return name == "coder" }
	for _, tc := range []struct {
		name string
		args map[string]any
		want Call
	}{
		{"paint", map[string]any{"Style": "oil", "what": "the sea"}, Call{Name: "PAINT", Arg: "the sea oil", Args: map[string]string{"what": "the sea", "style": "oil"}, NativeID: "1"}},
		{"PAINT", map[string]any{"what": 7, "x": []int{1}}, Call{Name: "PAINT", Arg: "7 x=[1]", Args: map[string]string{"what": "7", "x": "[1]"}, NativeID: "1"}},
		{"coder", map[string]any{"task": "do it"}, Call{Name: "AGENT", Arg: "agent=coder task=do it", Args: map[string]string{"agent": "coder", "task": "do it"}, NativeID: "1"}},
		{"unheard_of", nil, Call{Name: "UNHEARD_OF", Args: map[string]string{}, NativeID: "1"}},
	} {
		args := api.NewToolCallFunctionArguments()
		for k, v := range tc.args {
			args.Set(k, v)
		}
		got := FromNative(api.ToolCall{ID: "1", Function: api.ToolCallFunction{Name: tc.name, Arguments: args}}, offered, agents)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
		if !got.Native() || got.Key() != got.Name+" "+got.Arg {
			t.Errorf("%+v has the key %q", got, got.Key())
		}
	}
	directive := Call{Name: "PAINT", Arg: " the\n sea "}
	if directive.Native() || directive.Only("what") != "the\n sea" || directive.Key() != "PAINT the sea" || directive.Value("what") != "" {
		t.Errorf("a directive: %q, %q", directive.Only("what"), directive.Key())
	}
	if got := JoinArgs(map[string]string{"b": "2", "a": "1"}); got != "a=1 b=2" {
		t.Errorf("%q", got)
	}
	if got := ArgText(func() {}); got == "" {
		t.Error("an argument without a text is lost")
	}
}

// The native forms have what the descriptions say, or another program's own schema.
func TestSchemas(t *testing.T) {
	own := &api.ToolFunctionParameters{Type: "object", Required: []string{"path"}}
	list := Schemas([]Tool{titled{}, titled{own}})
	if f := list[0].Function; f.Name != "PAINT" || f.Description != "Paints." || !cmp.Equal(f.Parameters.Required, []string{"what"}) {
		t.Errorf("%+v", f)
	}
	style, ok := list[0].Function.Parameters.Properties.Get("style")
	if !ok || !cmp.Equal(style.Enum, []any{"oil", "ink"}) {
		t.Errorf("%+v", style)
	}
	if got := list[1].Function.Parameters; !cmp.Equal(got.Required, own.Required) {
		t.Errorf("another program's schema: %+v", got)
	}
	if docs := Docs([]Tool{titled{}}); len(docs) != 1 || docs[0].Usage != "PAINT: <what>" {
		t.Errorf("%+v", docs)
	}
	if !IsForeign("files.read") || IsForeign(RunCmd) {
		t.Error("only a tool of another program has a dot in its name")
	}
}

// The error for a tool that isn't offered says what a model can do instead.
func TestUnavailableTools(t *testing.T) {
	for name, want := range map[string]string{
		MemorySearch: "isn't available here", MemoryReplace: "memory-keeper", MemoryRemove: "memory-keeper",
		FetchURL: "you may not use FETCH_URL here", "PAINTER": "there is no tool PAINTER; there are PAINT",
		strings.Repeat("X", 100): "Use one of them",
	} {
		if err := Unavailable(name, []Tool{titled{}}); !strings.Contains(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A question that is answered with no again and again offers Never first.
func TestRefusalsAreCountedPerConversation(t *testing.T) {
	a := OpenAnswers(t.TempDir() + "/answers.json")
	if !strings.HasSuffix(a.Path(), "answers.json") {
		t.Errorf("%q", a.Path())
	}
	act := Action{Tool: RunCmd, Covers: "ls", Session: "cpu-a", What: "ls -l"}
	other := act
	other.Session = "cpu-b"
	for _, step := range []struct {
		answer Answer
		often  bool
	}{{AnswerNo, false}, {AnswerLate, true}, {AnswerOnce, false}, {AnswerNo, false}, {AnswerNo, true}} {
		a.Answered(act, step.answer)
		if a.Often(act) != step.often || a.Often(other) {
			t.Errorf("after %q: %v", step.answer, a.Often(act))
		}
	}
	var none *Answers
	none.Answered(act, AnswerNo)
	if none.Often(act) {
		t.Error("without answers nothing is counted")
	}
}

// Beside another program's description of its tools, nothing is remembered unasked.
func TestDescriptionsOfOtherProgramsTaintTheTurn(t *testing.T) {
	p := &Permissions{}
	if p.Remember(0) != Allowed || p.Remember(transcript.FromPage) != Ask {
		t.Error("only what the user typed is remembered unasked")
	}
	p.Describe()
	if p.Remember(0) != Ask {
		t.Error("beside a foreign description it is remembered unasked")
	}
	p.Hold(transcript.FromDiscord)
	if !p.Sources().Has(transcript.FromDiscord) {
		t.Errorf("sources %v", p.Sources())
	}
}

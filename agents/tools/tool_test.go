package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/reply"
	"mac-stats/sessionmem/excerpt"
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
		err              string
	}{
		{"none", "", "", ""},
		{"all", "All", "", ""},
		{"one", "cpu", "cpu", ""},
		{"in brackets", "[`Memory`].", "memory", ""},
		{"with a word more", "disk usage", "disk", ""},
		{"an unknown one", "weather today", "", `no topic "weather"`},
		{"a sentence about the tool", "memory and disks of this machine", "", "no topic"},
	} {
		for _, native := range []bool{false, true} {
			stats, topics := reading("CPU 12 %", nil)
			call := &Call{Name: SystemStats, Arg: tc.arg}
			if native {
				call = &Call{Name: SystemStats, Args: map[string]any{"topic": tc.arg}}
			}
			result, err := stats.Run(t.Context(), call)
			if fits := stats.Fits(call); (fits == nil) != (tc.err == "") {
				t.Errorf("%s: why it is no call: %v", tc.name, fits)
			}
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) || !strings.Contains(err.Error(), "temperature") {
					t.Errorf("%s: %v", tc.name, err)
				}
				continue
			}
			if err != nil || result.Text != "CPU 12 %" || !cmp.Equal(*topics, []string{tc.topic}) {
				t.Errorf("%s, native %v: read %q, %q, %v", tc.name, native, *topics, result.Text, err)
			}
		}
	}
	broken := errors.New("no sensor")
	for figures, want := range map[string]error{"": nil, "CPU": broken} {
		stats, _ := reading(figures, want)
		if _, err := stats.Run(t.Context(), &Call{}); err == nil || want != nil && !errors.Is(err, want) {
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
func (titled) Run(context.Context, *Call) (Result, error) { return Result{}, nil }

// A call names its tool and its parameters in many ways.
func TestCalls(t *testing.T) {
	type args = map[string]any
	offered := []Tool{
		titled{},
		form{"AGENT", []Param{{Name: "agent", Required: true}, {Name: "task"}}},
		form{"FETCH_URL", []Param{{Name: "url", Required: true}}},
		form{"MEMORY_APPEND", []Param{{Name: "lesson", Required: true}, {Name: "agent"}}},
		foreign{},
	}
	known := []reply.Tool{{Name: "coder", For: "AGENT"}}
	for _, tool := range offered {
		known = append(known, reply.Tool{Name: tool.Doc().Name})
	}
	big := json.Number("9007199254740993")
	for name, tt := range map[string]struct {
		made reply.Call
		want *Call
	}{
		"a directive":                {reply.Call{Name: "PAINT", Text: " the\n sea "}, &Call{Name: "PAINT", Arg: "the\n sea"}},
		"named arguments":            {reply.Call{Name: "PAINT", Args: args{"Style": "oil", "what": "the sea"}}, &Call{Name: "PAINT", Arg: "the sea oil", Args: args{"what": "the sea", "style": "oil"}}},
		"null is absent":             {reply.Call{Name: "PAINT", Args: args{"style": nil, "what": "x"}}, &Call{Name: "PAINT", Arg: "x", Args: args{"what": "x"}}},
		"values stay what they are":  {reply.Call{Name: "s.do", Args: args{"what": big, "x": []any{big, nil}}}, &Call{Name: "s.do", Arg: "9007199254740993 x=[9007199254740993,null]", Args: args{"what": big, "x": []any{big, nil}}}},
		"an agent as a tool":         {reply.Call{Name: "coder", Args: args{"task": "sort"}}, &Call{Name: "AGENT", Arg: "coder sort", Args: args{"agent": "coder", "task": "sort"}}},
		"an agent with a prompt":     {reply.Call{Name: "coder", Args: args{"prompt": "sort"}}, &Call{Name: "AGENT", Arg: "coder sort", Args: args{"agent": "coder", "task": "sort"}}},
		"an agent with a text":       {reply.Call{Name: "coder", Text: "sort"}, &Call{Name: "AGENT", Arg: "coder sort"}},
		"other parameters' names":    {reply.Call{Name: "AGENT", Args: args{"name": "coder", "query": "sort"}}, &Call{Name: "AGENT", Arg: "coder sort", Args: args{"agent": "coder", "task": "sort"}}},
		"an unknown parameter":       {reply.Call{Name: "FETCH_URL", Args: args{"location_of_it": "u"}}, &Call{Name: "FETCH_URL", Arg: "u", Args: args{"url": "u"}}},
		"a memory under another key": {reply.Call{Name: "MEMORY_APPEND", Args: args{"content": "likes tea"}}, &Call{Name: "MEMORY_APPEND", Arg: "likes tea", Args: args{"lesson": "likes tea"}}},
		"no such tool":               {reply.Call{Name: "get_weather", Args: args{"city": "Rome"}}, &Call{Name: "get_weather", Arg: "city=Rome", Args: args{"city": "Rome"}}},
		"one that is a parameter":    {reply.Call{Name: "s.do", Args: args{"input": args{"what": "x"}}}, &Call{Name: "s.do", Arg: `{"what":"x"}`, Args: args{"input": args{"what": "x"}}}},
		"one beside others":          {reply.Call{Name: "s.do", Args: args{"what": "get", "parameters": args{"what": "delete"}}}, &Call{Name: "s.do", Arg: `get parameters={"what":"delete"}`, Args: args{"what": "get", "parameters": args{"what": "delete"}}}},
		"one in a native call":       {reply.Call{Name: "s.do", Args: args{"parameters": args{"what": "delete"}}}, &Call{Name: "s.do", Arg: `parameters={"what":"delete"}`, Args: args{"parameters": args{"what": "delete"}}}},
		"other names of a program":   {reply.Call{Name: "s.do", Args: args{"name": "x"}}, &Call{Name: "s.do", Arg: "name=x", Args: args{"name": "x"}}},
		"a program's tool by a line": {reply.Call{Name: "MCP", Text: `s.do {"what": 1}`}, &Call{Name: "s.do", Arg: `{"what": 1}`}},
	} {
		t.Run(name, func(t *testing.T) {
			got := NewCall(tt.made, known, offered)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if got.Key() != got.Name+" "+excerpt.OneLine(got.Arg) {
				t.Errorf("%+v has the key %q", got, got.Key())
			}
		})
	}
	for name, call := range map[string]*Call{"": {Args: args{"what": "x"}}, "payload": {Args: args{"what": "x", "payload": 1}}, "a": {Args: args{"a": nil}}} {
		if err := offered[0].Doc().Undeclared(call); (err != nil) == (name == "") || err != nil && !strings.Contains(err.Error(), "no argument "+name) {
			t.Errorf("%+v: %v", call.Args, err)
		}
	}
	if c := (&Call{Args: args{"n": big, "f": func() {}}}); c.Value("n") != big.String() || c.Value("f") == "" || c.Value("x") != "" {
		t.Errorf("values %q, %q, %q", c.Value("n"), c.Value("f"), c.Value("x"))
	}
}

// form is a tool that only has parameters.
type form struct {
	name   string
	params []Param
}

func (f form) Doc() Doc                                 { return Doc{Name: f.name, Params: f.params} }
func (form) Run(context.Context, *Call) (Result, error) { return Result{}, nil }

// foreign is a tool of another program.
type foreign struct{}

func (foreign) Doc() Doc {
	return Doc{Name: "s.do", Schema: &api.ToolFunctionParameters{}, Params: []Param{{Name: "what", Required: true}, {Name: "input"}}}
}
func (foreign) Run(context.Context, *Call) (Result, error) { return Result{}, nil }

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

package tools_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/tools"
)

// form is a tool that only has parameters.
type form struct {
	name   string
	params []tools.Param
}

func (f form) Doc() tools.Doc { return tools.Doc{Name: f.name, Params: f.params} }
func (f form) Run(context.Context, tools.Call) (tools.Result, error) {
	return tools.Result{}, nil
}

var offered = []tools.Tool{
	form{"AGENT", []tools.Param{{Name: "agent", Required: true}, {Name: "task"}}},
	form{"SYSTEM_STATS", []tools.Param{{Name: "topic"}}},
	form{"FETCH_URL", []tools.Param{{Name: "url", Required: true}}},
	form{"MEMORY_APPEND", []tools.Param{{Name: "lesson", Required: true}, {Name: "agent"}}},
}

// Native calls as models make them, each with its mistake.
func TestNativeCallsAreRepaired(t *testing.T) {
	type args = map[string]any
	for name, tt := range map[string]struct {
		call string
		args args
		want tools.Call
	}{
		"nothing wrong":              {"SYSTEM_STATS", args{"topic": "cpu"}, tools.Call{Name: "SYSTEM_STATS", Arg: "cpu", Args: map[string]string{"topic": "cpu"}}},
		"lower case":                 {"system_stats", args{"topic": "cpu"}, tools.Call{Name: "SYSTEM_STATS", Arg: "cpu", Args: map[string]string{"topic": "cpu"}}},
		"hyphens":                    {"fetch-url", args{"url": "u"}, tools.Call{Name: "FETCH_URL", Arg: "u", Args: map[string]string{"url": "u"}}},
		"camel case":                 {"fetchUrl", args{"url": "u"}, tools.Call{Name: "FETCH_URL", Arg: "u", Args: map[string]string{"url": "u"}}},
		"a namespace":                {"functions.FETCH_URL", args{"url": "u"}, tools.Call{Name: "FETCH_URL", Arg: "u", Args: map[string]string{"url": "u"}}},
		"a number":                   {"functions.FETCH_URL:3", args{"url": "u"}, tools.Call{Name: "FETCH_URL", Arg: "u", Args: map[string]string{"url": "u"}}},
		"the name twice":             {"FETCH_URLFETCH_URL", args{"url": "u"}, tools.Call{Name: "FETCH_URL", Arg: "u", Args: map[string]string{"url": "u"}}},
		"an agent as a tool":         {"coder", args{"task": "sort"}, tools.Call{Name: "AGENT", Arg: "coder sort", Args: map[string]string{"agent": "coder", "task": "sort"}}},
		"an agent with a prompt":     {"coder", args{"prompt": "sort"}, tools.Call{Name: "AGENT", Arg: "coder sort", Args: map[string]string{"agent": "coder", "task": "sort"}}},
		"another parameter's name":   {"AGENT", args{"name": "coder", "query": "sort"}, tools.Call{Name: "AGENT", Arg: "coder sort", Args: map[string]string{"agent": "coder", "task": "sort"}}},
		"an unknown parameter":       {"FETCH_URL", args{"location_of_it": "u"}, tools.Call{Name: "FETCH_URL", Arg: "u", Args: map[string]string{"url": "u"}}},
		"JSON text around":           {"FETCH_URL", args{"arguments": `{"url": "u"}`}, tools.Call{Name: "FETCH_URL", Arg: "u", Args: map[string]string{"url": "u"}}},
		"an object around":           {"FETCH_URL", args{"parameters": args{"url": "u"}}, tools.Call{Name: "FETCH_URL", Arg: "u", Args: map[string]string{"url": "u"}}},
		"a memory under another key": {"MEMORY_APPEND", args{"content": "likes tea"}, tools.Call{Name: "MEMORY_APPEND", Arg: "likes tea", Args: map[string]string{"lesson": "likes tea"}}},
		"a number as an argument":    {"FETCH_URL", args{"url": 7}, tools.Call{Name: "FETCH_URL", Arg: "7", Args: map[string]string{"url": "7"}}},
		"no such tool":               {"get_weather", args{"city": "Rome"}, tools.Call{Name: "GET_WEATHER", Arg: "city=Rome", Args: map[string]string{"city": "Rome"}}},
		"no such agent":              {"painter", args{"task": "x"}, tools.Call{Name: "PAINTER", Arg: "task=x", Args: map[string]string{"task": "x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			call := api.ToolCall{Function: api.ToolCallFunction{Name: tt.call, Arguments: api.NewToolCallFunctionArguments()}}
			for key, value := range tt.args {
				call.Function.Arguments.Set(key, value)
			}
			got := tools.FromNative(call, offered, func(name string) bool { return name == "coder" })
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

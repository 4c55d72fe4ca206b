package agents

import (
	"strings"
	"testing"

	"mac-stats/agents/registry"
	"mac-stats/agents/testkit"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/transcript"
)

func TestSplitSelector(t *testing.T) {
	agents := []registry.Agent{
		{ID: "002", Slug: "coder", Name: "Coder", Enabled: true},
		{ID: "003", Slug: "doctor", Name: "Machine Doctor", Enabled: true},
		{ID: "9", Slug: "machine", Name: "Machine", Enabled: true},
		{ID: "5", Slug: "off", Name: "Coder of old", Enabled: false},
	}
	for arg, want := range map[string][2]string{
		"coder Write it":                {"coder", "Write it"},
		"Coder: Write it":               {"Coder", "Write it"},
		"002 Write it":                  {"002", "Write it"},
		"agent-002\nWrite\nit":          {"agent-002", "Write\nit"},
		"machine doctor, what is slow?": {"machine doctor", "what is slow?"},
		"machine what is slow?":         {"machine", "what is slow?"},
		"coders unite":                  {"coders", "unite"},
		"Coder of old do it":            {"Coder", "of old do it"},
		"coder":                         {"coder", ""},
		"":                              {"", ""},
		"nobody: do it":                 {"nobody", "do it"},
		"coder：写一个脚本。":                  {"coder", "写一个脚本。"},
	} {
		selector, task := splitSelector(arg, agents)
		if selector != want[0] || task != want[1] {
			t.Errorf("%q: %q, %q; want %q", arg, selector, task, want)
		}
	}
}

// newDelegating returns a turn of the orchestrator over the agents that ship, with a skill.
func newDelegating(t *testing.T) *turn {
	t.Helper()
	r := newRig(t, testkit.Script{Rules: replies("Fine.")})
	r.write("skills/haiku/SKILL.md", "---\nname: haiku\ndescription: Writes a haiku about a subject\n---\nWrite three lines.\n")
	return r.idle()
}

// A call in any form reaches the agent or skill that it names, with the task alone.
func TestATaskReachesWhoIsNamed(t *testing.T) {
	idle := newDelegating(t)
	for _, tc := range []struct {
		name string
		call *tools.Call
		who  string
		task string
		err  string // part of the error for the model; "" for none
	}{
		{"an agent", &tools.Call{Name: registry.ToolAgent, Arg: "coder: Write it\nin Go"}, "coder", "Write it\nin Go", ""},
		{"an agent, native", &tools.Call{Name: registry.ToolAgent, Args: map[string]any{"agent": "coder", "task": "Write it"}}, "coder", "Write it", ""},
		{"without a task", &tools.Call{Name: registry.ToolAgent, Arg: "Coder"}, "coder", "", ""},
		{"no agent", &tools.Call{Name: registry.ToolAgent, Args: map[string]any{"task": "Write it"}}, "", "Write it", "AGENT: <slug> <task>"},
		{"an unknown agent", &tools.Call{Name: registry.ToolAgent, Arg: "codre Write it"}, "codre", "Write it", "coder"},
		{"itself", &tools.Call{Name: registry.ToolAgent, Arg: "orchestrator do it"}, "orchestrator", "do it", "is you: do it yourself"},
		{"a skill", &tools.Call{Name: registry.ToolSkill, Arg: "haiku: The sea"}, "skill:haiku", "The sea", ""},
		{"a skill, native", &tools.Call{Name: registry.ToolSkill, Args: map[string]any{"skill": "HAIKU", "task": "The sea"}}, "skill:haiku", "The sea", ""},
		{"an unknown skill", &tools.Call{Name: registry.ToolSkill, Arg: "sonnet The sea"}, "skill:sonnet", "The sea", "sonnet"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			who, task, err := idle.specialist(tc.call)
			if who.name != tc.who || task != tc.task || who.skill != (tc.call.Name == registry.ToolSkill) {
				t.Errorf("%+v gets %q", who, task)
			}
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
			if fits := tools.Find(idle.own, tc.call.Name).(tools.Fitter).Fits(tc.call); (fits == nil) != (tc.err == "") {
				t.Errorf("why it is no call: %v", fits)
			}
			if err == nil && (who.agent.Skill == "" || !strings.Contains(who.quote, strings.TrimPrefix(tc.who, "skill:"))) {
				t.Errorf("%q with %q", who.quote, who.agent.Skill)
			}
		})
	}
}

// An agent or a skill that isn't listed is found by what it is for.
func TestWhoIsNotListedIsFound(t *testing.T) {
	idle := newDelegating(t)
	for _, tc := range []struct{ tool, query, want, err string }{
		{registry.ToolFindAgent, "write code", "coder", ""},
		{registry.ToolFindSkill, "a haiku about the sea", "haiku", ""},
		{registry.ToolFindSkill, "steer a submarine", "No skill says that it is for this", ""},
		{registry.ToolFindAgent, " ", "", "there is no query"},
	} {
		result, err := tools.Find(idle.finders(), tc.tool).Run(t.Context(), &tools.Call{Arg: tc.query})
		if !strings.Contains(result.Text, tc.want) || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s %q: %q, %v", tc.tool, tc.query, result.Text, err)
		}
		if n := strings.Count(result.Text, "\n"); n > 7 {
			t.Errorf("%d lines", n+1)
		}
	}
}

// An agent or skill may go between the check of a call and its run. What never starts has no
// task of the user's.
func TestACallOfNobodyHasNoTask(t *testing.T) {
	for _, call := range []*tools.Call{
		{ID: "call-1", Name: registry.ToolAgent, Arg: "codre"},
		{ID: "call-1", Name: registry.ToolAgent, Args: map[string]any{}},
		{ID: "call-1", Name: registry.ToolAgent, Arg: "orchestrator"},
		{ID: "call-1", Name: registry.ToolSkill, Arg: "sonnet"},
	} {
		idle := newDelegating(t)
		idle.message = transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "My whole message"}
		if _, err := tools.Find(idle.own, call.Name).Run(t.Context(), call); err == nil {
			t.Errorf("%s %q ran", call.Name, call.Arg)
		}
		idle.run.finish(Event{}, Result{}, nil)
		ended := false
		for e := range idle.run.Events(t.Context()) {
			if e.State == StateTool || e.Call != nil && e.Call.Task != "" {
				t.Errorf("%s %q: %s, detail %q, call %+v", call.Name, call.Arg, e.Type, e.Detail, e.Call)
			}
			ended = ended || e.Type == EventSubcallEnd && e.Call.Failed != ""
		}
		if !ended {
			t.Errorf("%s %q: the failure is not shown", call.Name, call.Arg)
		}
	}
}

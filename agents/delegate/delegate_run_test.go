package delegate_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/delegate"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
)

// host records what the tools hand over.
type host struct{ got []string }

func (h *host) Delegate(_ context.Context, _ tools.Call, who delegate.Specialist, task string) (tools.Result, error) {
	kind := "agent"
	if who.Skill {
		kind = "skill with " + strings.TrimSpace(who.Agent.Skill)
	}
	h.got = append(h.got, kind+" "+who.Name+" ("+who.Quote+"): "+task)
	return tools.Result{Text: "done"}, nil
}

func (h *host) Refuse(_ context.Context, _ tools.Call, name, task string, why error) (tools.Result, error) {
	h.got = append(h.got, "refused "+name+": "+task)
	return tools.Result{}, why
}

// newConfig returns the configuration of a turn of the orchestrator over the agents that
// ship, with a skill.
func newConfig(t *testing.T) (delegate.Config, *host) {
	t.Helper()
	root := t.TempDir()
	agents := registry.New(registry.Config{Root: root, Defaults: os.DirFS("../../assets")})
	if err := agents.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "skills", "haiku", "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("---\nname: haiku\ndescription: Writes a haiku about a subject\n---\nWrite three lines.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := agents.Find("orchestrator")
	if err != nil {
		t.Fatal(err)
	}
	h := &host{}
	return delegate.Config{Host: h, Registry: agents, Roster: agents.Agents(), Agent: self}, h
}

// A call in any form reaches the agent or skill that it names, with the task alone.
func TestATaskReachesWhoIsNamed(t *testing.T) {
	c, h := newConfig(t)
	list := c.Tools()
	native := func(args ...string) tools.Call {
		named := map[string]any{}
		for i := 0; i < len(args); i += 2 {
			named[args[i]] = args[i+1]
		}
		return tools.Call{Args: named}
	}
	for _, tc := range []struct {
		name string
		tool string
		call tools.Call
		got  string
		err  string // part of the error for the model; "" for none
	}{
		{"an agent", registry.ToolAgent, tools.Call{Arg: "coder: Write it\nin Go"}, "agent coder (the agent coder): Write it\nin Go", ""},
		{"an agent, native", registry.ToolAgent, native("agent", "coder", "task", "Write it"), "agent coder (the agent coder): Write it", ""},
		{"without a task", registry.ToolAgent, tools.Call{Arg: "Coder"}, "agent coder (the agent coder): ", ""},
		{"no agent", registry.ToolAgent, native("task", "Write it"), "refused : Write it", "AGENT: <slug> <task>"},
		{"an unknown agent", registry.ToolAgent, tools.Call{Arg: "codre Write it"}, "refused codre: Write it", "coder"},
		{"itself", registry.ToolAgent, tools.Call{Arg: "orchestrator do it"}, "refused orchestrator: do it", "is you: do it yourself"},
		{"a skill", registry.ToolSkill, tools.Call{Arg: "haiku: The sea"}, "skill with Write three lines. skill:haiku (the skill haiku): The sea", ""},
		{"a skill, native", registry.ToolSkill, native("skill", "HAIKU", "task", "The sea"), "skill with Write three lines. skill:haiku (the skill haiku): The sea", ""},
		{"an unknown skill", registry.ToolSkill, tools.Call{Arg: "sonnet The sea"}, "refused skill:sonnet: The sea", "sonnet"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h.got = nil
			tool := tools.Find(list, tc.tool)
			_, err := tool.Run(t.Context(), tc.call)
			if diff := cmp.Diff([]string{tc.got}, h.got); diff != "" {
				t.Error(diff)
			}
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
			if fits := tool.(tools.Fitter).Fits(tc.call); (fits == nil) != (tc.err == "") {
				t.Errorf("why it is no call: %v", fits)
			}
		})
	}
}

// An agent or a skill that isn't listed is found by what it is for.
func TestWhoIsNotListedIsFound(t *testing.T) {
	c, _ := newConfig(t)
	for _, tc := range []struct{ tool, query, want, err string }{
		{registry.ToolFindAgent, "write code", "coder", ""},
		{registry.ToolFindSkill, "a haiku about the sea", "haiku", ""},
		{registry.ToolFindSkill, "steer a submarine", "No skill says that it is for this", ""},
		{registry.ToolFindAgent, " ", "", "there is no query"},
	} {
		result, err := tools.Find(c.Finders(), tc.tool).Run(t.Context(), tools.Call{Arg: tc.query})
		if !strings.Contains(result.Text, tc.want) || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s %q: %q, %v", tc.tool, tc.query, result.Text, err)
		}
		if n := strings.Count(result.Text, "\n"); n > 7 {
			t.Errorf("%d lines", n+1)
		}
	}
}

// Every tool tells a model how it is called, and people what it touches.
func TestToolsOfDelegationDescribeThemselves(t *testing.T) {
	c, _ := newConfig(t)
	for _, tool := range append(c.Tools(), c.Finders()...) {
		doc := tool.Doc()
		if !strings.HasPrefix(doc.Usage, doc.Name+": ") || doc.Description == "" || doc.Reads+doc.Sends == "" || !doc.Params[0].Required {
			t.Errorf("%+v", doc)
		}
		if _, reports := tool.(tools.Reporter); reports != (doc.Sends != "") {
			t.Errorf("%s reports its own runs: %v", doc.Name, reports)
		}
	}
	if in := c.Input(); len(in.Agents) < 2 || len(in.Skills) == 0 || in.Agent.Slug != "orchestrator" {
		t.Errorf("the prompt lists %d agents and %d skills", len(in.Agents), len(in.Skills))
	}
}

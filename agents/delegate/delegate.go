// Package delegate has the tools with which an agent hands a task to another one: AGENT
// and SKILL, and FIND_AGENT and FIND_SKILL if the prompt has no room for the whole list.
//
// It reads the agent and the task from a call, in whatever form a model wrote them. The
// turn, its Host, makes the sub-call: one request with a system prompt and the task,
// without history, delegation or memory. An agent never calls itself.
package delegate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
)

// Specialist is the agent or skill that gets a task.
type Specialist struct {
	Agent registry.Agent
	Name  string // the agent's slug, or skill:<name>
	Quote string // "the agent coder"
	Skill bool   // a skill, whose text is the whole system prompt; it uses the turn's model
}

// Host is the turn that makes the sub-calls.
type Host interface {
	// Delegate runs a sub-call with the task; if task is "", it is the user's message.
	Delegate(ctx context.Context, call tools.Call, who Specialist, task string) (tools.Result, error)
	// Refuse reports a sub-call that couldn't start, with the reason.
	Refuse(ctx context.Context, call tools.Call, name, task string, why error) (tools.Result, error)
}

// Config configures the tools.
type Config struct {
	Host     Host
	Registry *registry.Registry
	Roster   []registry.Agent // all agents
	Agent    registry.Agent   // the turn's own
}

// Input returns the part of a prompt's input that lists the agents and skills.
func (c Config) Input() prompt.Input {
	return prompt.Input{Agent: c.Agent, Agents: c.Roster, Skills: c.Registry.Skills()}
}

// Tools returns AGENT and SKILL.
func (c Config) Tools() []tools.Tool { return []tools.Tool{agentTool{c}, skillTool{c}} }

// Finders returns FIND_AGENT and FIND_SKILL, for a roster that doesn't fit the prompt.
func (c Config) Finders() []tools.Tool { return []tools.Tool{findTool{c, false}, findTool{c, true}} }

// agentTool is AGENT.
type agentTool struct{ c Config }

func (agentTool) Reports() {}

func (agentTool) Doc() tools.Doc {
	return tools.Doc{
		Name: registry.ToolAgent, Usage: "AGENT: <slug> <task>",
		Description: "Hands a task to another agent, who sees the task alone.",
		Effects:     tools.Effects{Sends: "the task, to that agent's model"},
		Params: []tools.Param{
			{Name: "agent", Description: "the agent's slug, from the list", Required: true},
			{Name: "task", Description: "the task, with all the agent needs to know; left out: the user's message"},
		},
	}
}

// Run makes a sub-call of the agent.
func (a agentTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	selector, task := call.Value("agent"), call.Value("task")
	if call.Args == nil {
		selector, task = splitSelector(call.Arg, a.c.Registry.Agents())
	}
	found, err := a.find(selector)
	if err != nil {
		return a.c.Host.Refuse(ctx, call, selector, task, err)
	}
	return a.c.Host.Delegate(ctx, call, Specialist{Agent: found, Name: found.Slug, Quote: "the agent " + found.Slug}, task)
}

func (a agentTool) Fits(call tools.Call) error {
	selector := call.Value("agent")
	if call.Args == nil {
		selector, _ = splitSelector(call.Arg, a.c.Roster)
	}
	_, err := a.find(selector)
	return err
}

func (a agentTool) find(selector string) (registry.Agent, error) {
	if selector == "" {
		return registry.Agent{}, errors.New("name an agent from the list: AGENT: <slug> <task>")
	}
	found, err := a.c.Registry.Find(selector)
	if err == nil && found.Path == a.c.Agent.Path {
		return registry.Agent{}, fmt.Errorf("%s is you: do it yourself", found.Slug)
	}
	return found, err
}

// skillTool is SKILL.
type skillTool struct{ c Config }

func (skillTool) Reports() {}

func (skillTool) Doc() tools.Doc {
	return tools.Doc{
		Name: registry.ToolSkill, Usage: "SKILL: <name> <task>",
		Description: "Has a task done by the rules of a skill, which sees the task alone.",
		Effects:     tools.Effects{Sends: "the task, to the model"},
		Params: []tools.Param{
			{Name: "skill", Description: "the skill's name, from the list", Required: true},
			{Name: "task", Description: "the task, with all that is needed; left out: the user's message"},
		},
	}
}

// Run makes a sub-call with the skill's text as system prompt.
func (s skillTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	name, task := call.Value("skill"), call.Value("task")
	if call.Args == nil {
		name, task = firstWord(call.Arg)
	}
	found, err := s.c.Registry.FindSkill(name)
	if err != nil {
		return s.c.Host.Refuse(ctx, call, "skill:"+name, task, err)
	}
	name = "skill:" + found.Name
	return s.c.Host.Delegate(ctx, call, Specialist{
		Agent: registry.Agent{Slug: name, Name: found.Name, Texts: registry.Texts{Skill: found.Body}, Enabled: true, MaxRounds: 1, Tools: []string{}},
		Name:  name, Quote: "the skill " + found.Name, Skill: true,
	}, task)
}

func (s skillTool) Fits(call tools.Call) error {
	name := call.Value("skill")
	if call.Args == nil {
		name, _ = firstWord(call.Arg)
	}
	_, err := s.c.Registry.FindSkill(name)
	return err
}

// splitSelector separates a directive's selector from its task. The selector is the
// longest slug, name or id at the beginning of the argument, else its first word.
func splitSelector(arg string, agents []registry.Agent) (selector, task string) {
	arg = strings.TrimSpace(arg)
	for _, a := range agents {
		for _, key := range []string{a.Slug, a.Name, a.ID, "agent-" + a.ID} {
			if key == "" || len(key) <= len(selector) || len(arg) < len(key) || !strings.EqualFold(arg[:len(key)], key) {
				continue
			}
			if rest := arg[len(key):]; a.Usable() && (rest == "" || strings.IndexAny(rest, " \t\n:,：，、") == 0) {
				selector, task = arg[:len(key)], rest
			}
		}
	}
	if selector == "" {
		return firstWord(arg)
	}
	return selector, strings.TrimSpace(strings.TrimLeft(task, ":,：，、 \t"))
}

// firstWord separates the first word, without punctuation after it, from the rest.
func firstWord(arg string) (word, rest string) {
	arg = strings.TrimSpace(arg)
	if i := strings.IndexAny(arg, " \t\n"); i >= 0 {
		word, rest = arg[:i], strings.TrimSpace(arg[i:])
	} else {
		word = arg
	}
	return strings.TrimRight(word, ":,;."), rest
}

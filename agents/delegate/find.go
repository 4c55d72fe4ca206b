package delegate

import (
	"context"
	"errors"
	"strings"

	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
)

// maxFound limits the results of a search.
const maxFound = 8

// findTool is FIND_AGENT or FIND_SKILL.
type findTool struct {
	c     Config
	skill bool
}

func (f findTool) kind() string {
	if f.skill {
		return "skill"
	}
	return "agent"
}

func (f findTool) Doc() tools.Doc {
	name := registry.ToolFindAgent
	if f.skill {
		name = registry.ToolFindSkill
	}
	return tools.Doc{
		Name: name, Usage: name + ": <what for>",
		Description: "Finds " + f.kind() + "s that are not listed, by what they are for.",
		Effects:     tools.Effects{Reads: "the list of your agents and skills"},
		Params:      []tools.Param{{Name: "query", Description: "what it is to do, in a few words of English", Required: true}},
	}
}

// Run returns the names with their descriptions, best first.
func (f findTool) Run(_ context.Context, call tools.Call) (tools.Result, error) {
	query := call.Only("query")
	if query == "" {
		return tools.Result{}, errors.New("there is no query: write after the colon what the " + f.kind() + " is to do")
	}
	var all []prompt.Named
	for _, n := range f.c.Input().Roster() {
		if n.Skill == f.skill {
			all = append(all, n)
		}
	}
	found := prompt.Relevant(query, all)
	if len(found) == 0 {
		return tools.Result{Text: "No " + f.kind() + " says that it is for this. Try other words, or answer by yourself."}, nil
	}
	var lines []string
	for _, n := range found[:min(len(found), maxFound)] {
		lines = append(lines, n.Line())
	}
	return tools.Result{Text: strings.Join(lines, "\n")}, nil
}

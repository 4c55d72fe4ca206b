package tools

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"mac-stats/agents/registry"
)

var (
	nameSigns  = regexp.MustCompile(`[\s_.\-]+`)
	nameAround = regexp.MustCompile(`^(?:functions?|tools?|default_api|api|mac_stats)[.:/]|[:#]\d+$`)
)

// Resolve returns the tool that a model means by a name, or "" if there is none. The name
// may have any case, the prefix "functions.", other separators between its words, or be
// written twice. For an agent's name it returns AGENT and the agent; agents reports whether
// a name is an agent's, and may be nil.
func Resolve(name string, agents func(name string) bool) (tool, agent string) {
	name = strings.ToLower(strings.Trim(strings.TrimSpace(name), "`\"'*:"))
	name = nameAround.ReplaceAllString(name, "")
	folded := nameSigns.ReplaceAllString(name, "_")
	if half := len(folded) / 2; len(folded)%2 == 0 && folded[:half] == folded[half:] {
		folded = folded[:half]
	}
	for _, tool := range registry.KnownTools {
		own := strings.ToLower(tool)
		if slices.Contains([]string{own, "call_" + own, "use_" + own, "get_" + own, "run_" + own, own + "_tool", strings.ReplaceAll(own, "_", "")}, folded) {
			return tool, ""
		}
	}
	if agents != nil && agents(name) {
		return registry.ToolAgent, name
	}
	return "", ""
}

// otherNames maps parameters to the names that models use for them.
var otherNames = map[string][]string{
	"agent":  {"name", "agent_name", "agent_id", "slug", "target", "specialist"},
	"skill":  {"name", "skill_name"},
	"task":   {"prompt", "query", "message", "instruction", "instructions", "description", "input", "request", "text"},
	"url":    {"link", "address", "uri", "href", "page", "website"},
	"topic":  {"metric", "type", "category", "name", "stat", "stats", "query"},
	"lesson": {"text", "memory", "content", "fact", "note", "value"},
	"query":  {"q", "search", "text", "keywords", "question"},
	"old":    {"old_text", "before", "from"},
	"new":    {"new_text", "after", "to", "replacement"},
	"text":   {"lesson", "memory", "content", "old"},
}

// repair moves the arguments of a call to where its tool expects them: out of an object
// or JSON text around them, from another name, or from the only argument.
func repair(args map[string]string, t Tool) map[string]string {
	if t == nil {
		return args
	}
	has := func(name string) bool { return strings.TrimSpace(args[name]) != "" }
	for _, around := range []string{"arguments", "parameters", "args", "properties", "input", "params"} {
		var inner map[string]any
		if has(around) && json.Unmarshal([]byte(args[around]), &inner) == nil {
			args = map[string]string{}
			for name, value := range inner {
				args[strings.ToLower(name)] = ArgText(value)
			}
		}
	}
	var missing []string
	params := t.Doc().Params
	known := map[string]bool{}
	for _, p := range params {
		known[p.Name] = true
	}
	for _, p := range params {
		for _, other := range otherNames[p.Name] {
			if !has(p.Name) && has(other) && !known[other] {
				args[p.Name] = args[other]
				delete(args, other)
			}
		}
		if !has(p.Name) && p.Required {
			missing = append(missing, p.Name)
		}
	}
	if len(missing) == 1 {
		var left []string
		for name := range args {
			if !known[name] {
				left = append(left, name)
			}
		}
		if len(left) == 1 {
			args[missing[0]] = args[left[0]]
			delete(args, left[0])
		}
	}
	return args
}

package registry

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/memory"
)

// Find resolves a selector among the enabled agents by slug, name, ID or agent-<id>, in
// that order, ignoring case. An error wraps ErrNoAgent and says whether the agent is
// disabled or broken, or suggests the nearest name.
func (r *Registry) Find(selector string) (Agent, error) {
	list := r.Agents()
	if a, ok := Select(list, selector, Agent.Usable); ok {
		return a, nil
	}
	a, ok := Select(list, selector, anyAgent)
	if into, merged := mergedAgents[strings.ToLower(strings.TrimSpace(selector))]; !ok && merged {
		return r.Find(into)
	}
	if ok {
		if a.Err != nil {
			return Agent{}, &brokenAgentError{slug: a.Slug, why: a.Err}
		}
		return Agent{}, &TurnedOffError{a}
	}
	return Agent{}, withBroken(noMatch(ErrNoAgent, selector, usableSlugs(list)), list)
}

// mergedAgents maps agents that older versions shipped to the agent that does their work
// now. Conversations and settings may still name them.
var mergedAgents = map[string]string{"assistant": "orchestrator", "001": "orchestrator", "agent-001": "orchestrator"}

// TurnedOffError is ErrNoAgent for an agent that is turned off.
type TurnedOffError struct{ Agent Agent }

func (e *TurnedOffError) Error() string {
	return fmt.Sprintf("%v: %s is switched off (enabled is false in %s)", ErrNoAgent, e.Agent.Slug, e.Agent.Path)
}

// Is reports whether target is ErrNoAgent.
func (e *TurnedOffError) Is(target error) bool { return target == ErrNoAgent }

// brokenAgentError is ErrNoAgent for an agent that exists but can't be read.
type brokenAgentError struct {
	slug string
	why  error
}

func (e *brokenAgentError) Error() string        { return e.slug + " can't be used: " + e.why.Error() }
func (e *brokenAgentError) Unwrap() error        { return e.why }
func (e *brokenAgentError) Is(target error) bool { return target == ErrNoAgent }

// withBroken adds the agents that can't be read to err: the one that was meant may be
// among them, since their names are unknown.
func withBroken(err error, list []Agent) error {
	for _, a := range list {
		if a.Err != nil {
			err = fmt.Errorf("%w; %s is broken: %w", err, filepath.Base(a.Path), a.Err)
		}
	}
	return err
}

// Select returns the first accepted agent that matches by slug, else by name, else by
// ID, else by agent-<id>.
func Select(list []Agent, selector string, accept func(Agent) bool) (Agent, bool) {
	wanted := strings.TrimSpace(selector)
	if wanted == "" {
		return Agent{}, false
	}
	for _, key := range []func(Agent) string{
		func(a Agent) string { return a.Slug },
		func(a Agent) string { return a.Name },
		func(a Agent) string { return a.ID },
		func(a Agent) string { return "agent-" + a.ID },
	} {
		for _, a := range list {
			if accept(a) && strings.EqualFold(key(a), wanted) {
				return a, true
			}
		}
	}
	return Agent{}, false
}

func anyAgent(Agent) bool { return true }

func usableSlugs(list []Agent) []string {
	var slugs []string
	for _, a := range list {
		if a.Usable() {
			slugs = append(slugs, a.Slug)
		}
	}
	return slugs
}

// noMatch returns an error for a name that matched nothing, with the nearest known name
// or all of them.
func noMatch(kind error, name string, known []string) error {
	shown := excerpt.Shorten(strings.Join(strings.Fields(name), " "), 60)
	if len(known) == 0 {
		return fmt.Errorf("%w: %q (there are none)", kind, shown)
	}
	if near := excerpt.Nearest(name, known); near != "" {
		return fmt.Errorf("%w: %q; did you mean %s?", kind, shown, near)
	}
	return fmt.Errorf("%w: %q; the %ss are %s", kind, shown, strings.TrimPrefix(kind.Error(), "no such "), strings.Join(known, ", "))
}

// Delegates reports whether a tool hands a task to another agent.
func Delegates(tool string) bool { return tool == ToolAgent || tool == ToolSkill }

// HasTool reports whether the list holds the word, ignoring case.
func HasTool(list []string, word string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, word) })
}

// OwnMemory returns the memory of the selected agent. ok is false if the selector
// matches no agent, a single-file agent, which has no memory, or the agent that except
// names: the default agent learns for all.
func (r *Registry) OwnMemory(selector, except string) (target memory.Target, ok bool) {
	list := r.Agents()
	a, found := Select(list, selector, anyAgent)
	if other, known := Select(list, except, anyAgent); !found || known && other.Path == a.Path {
		return memory.Target{}, false
	}
	return OwnMemory(a)
}

// OwnMemory returns an agent's own memory; only an agent with a folder has one.
func OwnMemory(a Agent) (memory.Target, bool) {
	if !a.HasFolder() {
		return memory.Target{}, false
	}
	return memory.Target{Kind: memory.TargetAgent, ID: a.ID}, true
}

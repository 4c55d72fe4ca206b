package lessons

import (
	"context"
	"errors"
	"strings"

	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
)

// ownerParam selects the memory to change.
var ownerParam = tools.Param{Name: "agent", Description: "whose lesson it is, where several have it"}

// replaceTool is MEMORY_REPLACE. It only makes proposals, whatever memory.write is.
type replaceTool struct{ *Lessons }

func (replaceTool) Doc() tools.Doc {
	return tools.Doc{
		Name: tools.MemoryReplace, Usage: "MEMORY_REPLACE: [agent:<id>] <old> => <new>",
		Description: "Proposes another text for a lesson; old is copied exactly. The user decides.",
		Effects:     tools.Effects{Writes: "a proposal"},
		Params: []tools.Param{
			{Name: "old", Description: "the lesson, copied exactly", Required: true},
			{Name: "new", Description: "one short sentence", Required: true},
			ownerParam,
		},
	}
}

// Run proposes the replacement.
func (r replaceTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	if call.Args != nil {
		return r.change(ctx, call.Value("agent"), call.Value("old"), call.Value("new"))
	}
	selector, words := splitTarget(call.Arg)
	from, to, found := strings.Cut(words, "=>")
	if !found {
		return tools.Result{}, errors.New("nothing was proposed: write MEMORY_REPLACE: <old> => <new>")
	}
	// A lesson may contain the separator: the first split that matches a line counts.
	for rest := to; ; {
		result, err := r.change(ctx, selector, strings.TrimSpace(from), strings.TrimSpace(rest))
		more, after, again := strings.Cut(rest, "=>")
		if !again || !errors.Is(err, memory.ErrNoLine) {
			return result, err
		}
		from, rest = from+"=>"+more, after
	}
}

// removeTool is MEMORY_REMOVE. It only makes proposals, whatever memory.write is.
type removeTool struct{ *Lessons }

func (removeTool) Doc() tools.Doc {
	return tools.Doc{
		Name: tools.MemoryRemove, Usage: "MEMORY_REMOVE: [agent:<id>] <text>",
		Description: "Proposes to forget a lesson; its text is copied exactly. The user decides.",
		Effects:     tools.Effects{Writes: "a proposal"},
		Params:      []tools.Param{{Name: "text", Description: "the lesson, copied exactly", Required: true}, ownerParam},
	}
}

// Run proposes the removal.
func (r removeTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	selector, text := call.Value("agent"), call.Value("text")
	if call.Args == nil {
		selector, text = splitTarget(call.Arg)
	}
	return r.proposeIn(ctx, selector, memory.Proposal{Kind: memory.ProposeRemove, Old: text})
}

func (r replaceTool) change(ctx context.Context, selector, from, to string) (tools.Result, error) {
	if to == "" {
		return tools.Result{}, errors.New("nothing was proposed: there is no new text; use MEMORY_REMOVE to have a lesson removed")
	}
	return r.proposeIn(ctx, selector, memory.Proposal{Kind: memory.ProposeReplace, Old: from, Text: to})
}

// proposeIn proposes a change in the memory that has the line: the selected agent's, or
// else the first of the global memory and the agents' own.
func (l *Lessons) proposeIn(ctx context.Context, selector string, p memory.Proposal) (tools.Result, error) {
	if err := l.allowed(); err != nil {
		return tools.Result{}, err
	}
	p.Confidence, p.Why = 1, memory.WhyChange
	if selector != "" {
		target, err := l.target(selector)
		if err != nil {
			return tools.Result{}, err
		}
		p.Target = target
		return l.propose(ctx, p)
	}
	p.Target = memory.Target{Kind: memory.TargetGlobal}
	result, err := l.propose(ctx, p)
	for _, a := range l.c.Registry.Agents() {
		target, ok := registry.OwnMemory(a)
		if !errors.Is(err, memory.ErrNoLine) || !ok {
			continue
		}
		p.Target = target
		if other, otherErr := l.propose(ctx, p); !errors.Is(otherErr, memory.ErrNoLine) {
			result, err = other, otherErr
		}
	}
	return result, err
}

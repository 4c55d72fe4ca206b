package agents

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
)

// replaceTool is MEMORY_REPLACE. It only proposes, whatever memory.write says.
type replaceTool struct{ t *turn }

func (replaceTool) Name() string { return tools.MemoryReplace }

func (replaceTool) Doc() tools.Doc {
	return tools.Doc{
		Name: tools.MemoryReplace, Usage: "MEMORY_REPLACE: [agent:<id>] <old> => <new>",
		Description: "Proposes another text for a lesson; old is copied exactly. The user decides.",
		Effects:     tools.Effects{Writes: "a proposal"},
	}
}

func (replaceTool) Params() []tools.Param {
	return []tools.Param{
		{Name: "old", Description: "the lesson, copied exactly", Required: true},
		{Name: "new", Description: "one short sentence", Required: true},
		{Name: "agent", Description: "whose lesson it is, where several have it"},
	}
}

// Run proposes the replacement.
func (r replaceTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	if call.Native() {
		return r.t.proposeChange(ctx, call.Value("agent"), call.Value("old"), call.Value("new"))
	}
	selector, words := splitTarget(call.Arg)
	from, to, found := strings.Cut(words, "=>")
	if !found {
		return tools.Result{}, errors.New("nothing was proposed: write MEMORY_REPLACE: <old> => <new>")
	}
	// A lesson may hold the sign itself: the first reading that means a line is taken.
	for rest := to; ; {
		result, err := r.t.proposeChange(ctx, selector, strings.TrimSpace(from), strings.TrimSpace(rest))
		more, after, again := strings.Cut(rest, "=>")
		if !again || !errors.Is(err, memory.ErrNoLine) {
			return result, err
		}
		from, rest = from+"=>"+more, after
	}
}

// removeTool is MEMORY_REMOVE. It only proposes, whatever memory.write says.
type removeTool struct{ t *turn }

func (removeTool) Name() string { return tools.MemoryRemove }

func (removeTool) Doc() tools.Doc {
	return tools.Doc{
		Name: tools.MemoryRemove, Usage: "MEMORY_REMOVE: [agent:<id>] <text>",
		Description: "Proposes to forget a lesson; its text is copied exactly. The user decides.",
		Effects:     tools.Effects{Writes: "a proposal"},
	}
}

func (removeTool) Params() []tools.Param {
	return []tools.Param{
		{Name: "text", Description: "the lesson, copied exactly", Required: true},
		{Name: "agent", Description: "whose lesson it is, where several have it"},
	}
}

// Run proposes the removal.
func (r removeTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	selector, text := call.Value("agent"), call.Value("text")
	if !call.Native() {
		selector, text = splitTarget(call.Arg)
	}
	return r.t.proposeRemoval(ctx, selector, text)
}

// changesMemory reports whether a tool proposes to change what is remembered.
func changesMemory(tool string) bool {
	return tool == tools.MemoryReplace || tool == tools.MemoryRemove
}

// mayRemember gives the error that forbids to remember anything in this turn.
func (t *turn) mayRemember() error {
	switch {
	case t.engine.p.Store.IsPrivate(t.req.Session):
		return errors.New("this chat is private, nothing is remembered; tell the user")
	case t.memoryWrite() == "off":
		return errors.New("memory is switched off (memory.write = off), nothing was saved; tell the user")
	}
	return nil
}

// memoryWrite is memory.write now: switching it counts at once, also for a turn that
// is under way.
func (t *turn) memoryWrite() string { return t.engine.p.Settings().MemoryWrite }

func (t *turn) proposeChange(ctx context.Context, selector, from, to string) (tools.Result, error) {
	if to == "" {
		return tools.Result{}, errors.New("nothing was proposed: there is no new text; use MEMORY_REMOVE to have a lesson removed")
	}
	return t.proposeIn(ctx, selector, memory.Proposal{Kind: memory.ProposeReplace, Old: from, Text: to})
}

func (t *turn) proposeRemoval(ctx context.Context, selector, text string) (tools.Result, error) {
	return t.proposeIn(ctx, selector, memory.Proposal{Kind: memory.ProposeRemove, Old: text})
}

// proposeIn proposes a change in the memory that holds the line: the named agent's;
// else the first of everybody's and the agents' own.
func (t *turn) proposeIn(ctx context.Context, selector string, p memory.Proposal) (tools.Result, error) {
	if err := t.mayRemember(); err != nil {
		return tools.Result{}, err
	}
	p.Confidence, p.Why = 1, memory.WhyChange
	if selector != "" {
		target, err := memoryTool{t}.target(selector)
		if err != nil {
			return tools.Result{}, err
		}
		p.Target = target
		return t.propose(ctx, p)
	}
	p.Target = memory.Target{Kind: memory.TargetGlobal}
	result, err := t.propose(ctx, p)
	for _, a := range t.engine.p.Registry.Agents() {
		target, ok := registry.OwnMemory(a)
		if !errors.Is(err, memory.ErrNoLine) || !ok {
			continue
		}
		p.Target = target
		if other, otherErr := t.propose(ctx, p); !errors.Is(otherErr, memory.ErrNoLine) {
			result, err = other, otherErr
		}
	}
	return result, err
}

// propose puts a change into the inbox and says so to the user and the model.
func (t *turn) propose(ctx context.Context, p memory.Proposal) (tools.Result, error) {
	p.Session, p.From, p.To = t.req.Session, t.user.ID, t.user.ID
	p, err := t.engine.p.Memory.Propose(ctx, p)
	if errors.Is(err, memory.ErrDuplicate) {
		return tools.Result{Text: string(unsavedAgain) + ": " + err.Error() + "."}, nil
	}
	if err != nil {
		return tools.Result{}, fmt.Errorf("nothing was saved or proposed: %w", err)
	}
	words := t.tellProposed(p, p.Reason())
	return tools.Result{Text: fmt.Sprintf("%s, who decides (%s): %s %q in %s. Don't say that it is saved.",
		UnsavedProposed, p.Reason(), p.Kind, words, filepath.Base(t.engine.p.Memory.Path(p.Target)))}, nil
}

// tellProposed tells of what waits in the inbox, and gives it in words.
func (t *turn) tellProposed(p memory.Proposal, why string) (words string) {
	words = p.Text
	switch p.Kind {
	case memory.ProposeReplace:
		words = p.Old + " => " + p.Text
	case memory.ProposeRemove:
		words = p.Old
	}
	t.emit(Event{Type: EventMemoryProposed, Text: words, Memory: &MemoryChange{
		Path: t.engine.p.Memory.Path(p.Target), Text: p.Text, Target: targetName(p.Target),
		Inbox: p.ID, Change: string(p.Kind), Old: p.Old, Why: why,
	}})
	return words
}

package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
)

// MEMORY_APPEND saves a lesson if the settings allow it and the turn holds only text that
// the user typed. Otherwise the lesson becomes a proposal, which waits in the inbox until a
// person decides, and the model is told that nothing was saved: where text came from
// decides, never its wording. MEMORY_REPLACE and MEMORY_REMOVE always make proposals.
// Nothing is written in a private session or if memory.write is off.

// Unsaved is the outcome of a line that a memory tool didn't write.
type Unsaved string

// The outcomes of such a line.
const (
	UnsavedProposed Unsaved = "Not saved: proposed to the user"
	UnsavedWaiting  Unsaved = "Not saved yet: another program is saving the file."
	UnsavedKnown    Unsaved = "Nothing to save: the memory already says so."
	knownAlready    Unsaved = "Nothing to propose"
)

// UnsavedOf returns the outcome of a line from the result of a memory tool, or "" if the
// line was written or the result is another tool's.
func UnsavedOf(result string) Unsaved {
	for _, u := range []Unsaved{UnsavedProposed, UnsavedWaiting, UnsavedKnown} {
		if strings.HasPrefix(result, string(u)) {
			return u
		}
	}
	if strings.HasPrefix(result, string(knownAlready)) {
		return UnsavedKnown
	}
	return ""
}

// lessonOf returns the text of a call, which has that name among named arguments, and the
// agent whose lesson it is, "" for all.
func lessonOf(call *tools.Call, name string) (selector, text string) {
	if call.Args != nil {
		return call.Value("agent"), call.Value(name)
	}
	text = strings.TrimSpace(call.Arg)
	if rest, ok := strings.CutPrefix(text, "agent:"); ok {
		selector, text, _ = strings.Cut(strings.TrimSpace(rest), " ")
	}
	return selector, strings.TrimSpace(text)
}

// fitsLesson returns an error if a call of MEMORY_APPEND has no lesson.
func (*turn) fitsLesson(call *tools.Call) error {
	if _, lesson := lessonOf(call, "lesson"); lesson == "" {
		return errors.New("there is no lesson: write one short sentence after the colon")
	}
	return nil
}

// remember runs MEMORY_APPEND. A lesson is reported as saved only after it was read back.
func (t *turn) remember(ctx context.Context, call *tools.Call) (tools.Result, error) {
	selector, text := lessonOf(call, "lesson")
	if err := cmp.Or(t.mayRemember(), t.fitsLesson(call)); err != nil {
		return tools.Result{}, err
	}
	target, err := t.lessonTarget(selector)
	if err != nil {
		return tools.Result{}, err
	}
	why := ""
	switch {
	case t.req.Place != nil:
		why = memory.WhyStrangers
	case t.engine.p.Settings().MemoryWrite == "ask":
		why = memory.WhyAsk
	case t.may.Remember(call.Held) != tools.Allowed:
		why = memory.WhyStrangers
	default:
		written, err := t.engine.p.Memory.Append(ctx, memory.Lesson{Text: text, Target: target, Confidence: 1, Session: t.req.Session})
		switch {
		case errors.Is(err, memory.ErrFull):
			why = memory.WhyFull
		case errors.Is(err, memory.ErrDuplicate):
			return tools.Result{Text: string(UnsavedKnown)}, nil
		case errors.Is(err, sharedfile.ErrLater):
			t.warn(StateTool, err.Error())
			return tools.Result{Text: string(UnsavedWaiting) + " It is saved by itself as soon as it can be."}, nil
		case err != nil:
			return tools.Result{}, fmt.Errorf("nothing was saved: %w", err)
		default:
			t.wrote(written, targetName(written.Target))
			return tools.Result{Text: fmt.Sprintf("Saved in %s, line %d: %s%s", filepath.Base(written.Path), written.Line, written.Text, t.fullness(written.Target))}, nil
		}
	}
	return t.propose(ctx, memory.Proposal{Kind: memory.ProposeAdd, Text: text, Target: target, Confidence: 1, Why: why})
}

// fullness returns a sentence about how full a memory is, once that is worth mentioning.
func (t *turn) fullness(target memory.Target) string {
	budget := t.settings.GlobalBudget
	if target.Kind != memory.TargetGlobal {
		budget = t.settings.AgentBudget
	}
	f, err := t.engine.p.Memory.Load(target)
	size := memorytext.Inject(f.Text, budget).Size
	if err != nil || budget <= 0 || size*10 < budget*8 {
		return ""
	}
	return fmt.Sprintf(" (this memory is %d %% full: once it is, new lessons are proposed in the place of old ones; tell the user)", prompt.Percent(size, budget))
}

// mayRemember returns an error if this turn may not remember anything. A change of the
// setting takes effect at once, even in a running turn.
func (t *turn) mayRemember() error {
	switch {
	case t.engine.p.Store.IsPrivate(t.req.Session):
		return errors.New("this chat is private, nothing is remembered; tell the user")
	case t.engine.p.Settings().MemoryWrite == "off":
		return errors.New("memory is switched off (memory.write = off), nothing was saved; tell the user")
	}
	return nil
}

// lessonTarget returns the memory for a lesson.
func (t *turn) lessonTarget(selector string) (memory.Target, error) {
	if t.req.Place != nil {
		return t.req.Place.Lessons, nil // whatever memory a stranger's text makes the model choose
	}
	if selector == "" {
		return memory.Target{Kind: memory.TargetGlobal}, nil
	}
	a, err := t.engine.p.Registry.Find(selector)
	if err != nil {
		return memory.Target{}, err
	}
	target, ok := registry.OwnMemory(a)
	if !ok {
		return memory.Target{}, fmt.Errorf("%s is a single file and has no memory of its own; leave out agent:<id>", a.Slug)
	}
	return target, nil
}

// replaceLesson runs MEMORY_REPLACE. A lesson may contain the separator of a directive: the
// first split that matches a line counts.
func (t *turn) replaceLesson(ctx context.Context, call *tools.Call) (tools.Result, error) {
	selector, from := lessonOf(call, "old")
	to, found := call.Value("new"), true
	if call.Args == nil {
		from, to, found = strings.Cut(from, "=>")
	}
	if !found {
		return tools.Result{}, errors.New("nothing was proposed: write MEMORY_REPLACE: <old> => <new>")
	}
	for {
		p := memory.Proposal{Kind: memory.ProposeReplace, Old: strings.TrimSpace(from), Text: strings.TrimSpace(to)}
		if p.Text == "" {
			return tools.Result{}, errors.New("nothing was proposed: there is no new text; use MEMORY_REMOVE to have a lesson removed")
		}
		result, err := t.proposeChange(ctx, selector, p)
		more, after, again := strings.Cut(to, "=>")
		if call.Args != nil || !again || !errors.Is(err, memory.ErrNoLine) {
			return result, err
		}
		from, to = from+"=>"+more, after
	}
}

// removeLesson runs MEMORY_REMOVE.
func (t *turn) removeLesson(ctx context.Context, call *tools.Call) (tools.Result, error) {
	selector, text := lessonOf(call, "text")
	return t.proposeChange(ctx, selector, memory.Proposal{Kind: memory.ProposeRemove, Old: text})
}

// proposeChange proposes a change in the memory that has the line: the selected agent's, or
// else the first of the global memory and the agents' own.
func (t *turn) proposeChange(ctx context.Context, selector string, p memory.Proposal) (result tools.Result, err error) {
	targets := []memory.Target{{Kind: memory.TargetGlobal}}
	if selector != "" {
		if targets[0], err = t.lessonTarget(selector); err != nil {
			return tools.Result{}, err
		}
	} else {
		for _, a := range t.engine.p.Registry.Agents() {
			if target, ok := registry.OwnMemory(a); ok {
				targets = append(targets, target)
			}
		}
	}
	if err := t.mayRemember(); err != nil {
		return tools.Result{}, err
	}
	p.Confidence, p.Why = 1, memory.WhyChange
	for i, target := range targets {
		p.Target = target
		other, otherErr := t.propose(ctx, p)
		if i == 0 || !errors.Is(otherErr, memory.ErrNoLine) {
			result, err = other, otherErr
		}
		if !errors.Is(err, memory.ErrNoLine) {
			break
		}
	}
	return result, err
}

// propose adds a change to the inbox and reports that to the user and the model.
func (t *turn) propose(ctx context.Context, p memory.Proposal) (tools.Result, error) {
	p.Session, p.From, p.To = t.req.Session, t.message.ID, t.message.ID
	p, err := t.engine.p.Memory.Propose(ctx, p)
	if errors.Is(err, memory.ErrDuplicate) {
		return tools.Result{Text: string(knownAlready) + ": " + err.Error() + "."}, nil
	}
	if err != nil {
		return tools.Result{}, fmt.Errorf("nothing was saved or proposed: %w", err)
	}
	t.proposed(p)
	return tools.Result{Text: fmt.Sprintf("%s, who decides (%s): %s %q in %s. Don't say that it is saved.",
		UnsavedProposed, p.Reason(), p.Kind, wordsOf(p), filepath.Base(t.engine.p.Memory.Path(p.Target)))}, nil
}

// wordsOf returns a proposal as text: the lesson, "old => new", or the line to remove.
func wordsOf(p memory.Proposal) string {
	switch p.Kind {
	case memory.ProposeReplace:
		return p.Old + " => " + p.Text
	case memory.ProposeRemove:
		return p.Old
	}
	return p.Text
}

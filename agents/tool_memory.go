package agents

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mac-stats/agents/prompt"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
	"mac-stats/sessionmem/transcript"
)

// memoryTool is MEMORY_APPEND. What it does with a lesson:
//   - memory.write = auto: it is saved, and said so only once it was read back.
//   - memory.write = ask, or the session holds text of strangers: it becomes a
//     proposal in the inbox; the model is told that nothing was saved.
//   - memory.write = off, or a private chat: it is refused.
type memoryTool struct{ t *turn }

func (memoryTool) Name() string { return tools.MemoryAppend }

func (memoryTool) Doc() tools.Doc {
	return tools.Doc{
		Name:        tools.MemoryAppend,
		Usage:       "MEMORY_APPEND: [agent:<id>] <lesson>",
		Description: "Saves one short sentence for later conversations; with agent:<id>, for that agent alone.",
		Effects:     tools.Effects{Writes: "one line of your memory, or a proposal"},
	}
}

func (memoryTool) Params() []tools.Param {
	return []tools.Param{
		{Name: "lesson", Description: "one short sentence", Required: true},
		{Name: "agent", Description: "the id or slug of the agent it is for; left out: all"},
	}
}

// fits reports whether a lesson takes up what the user said: else the line may be a
// sentence about the tool.
func (m memoryTool) fits(call tools.Call) bool {
	lesson := call.Value("lesson")
	if !call.Native() {
		_, lesson = splitTarget(call.Arg)
	}
	said := meaningWords(m.t.user.Text)
	words, found := meaningWords(lesson), 0
	for _, w := range words {
		if slices.ContainsFunc(said, func(s string) bool { return sameWords([]string{s}, []string{w}) }) {
			found++
		}
	}
	return len(words) > 0 && 2*found >= len(words)
}

// Run saves or proposes the lesson.
func (m memoryTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	t := m.t
	selector, text := call.Value("agent"), call.Value("lesson")
	if !call.Native() {
		selector, text = splitTarget(call.Arg)
	}
	if text == "" {
		return tools.Result{}, errors.New("there is no lesson: write one short sentence after the colon")
	}
	target, err := m.target(selector)
	if err != nil {
		return tools.Result{}, err
	}
	if err := t.mayRemember(); err != nil {
		return tools.Result{}, err
	}
	if why := m.mustAsk(call, text, target); why != "" {
		return t.propose(ctx, memory.Proposal{Kind: memory.ProposeAdd, Text: text, Target: target, Confidence: 1, Why: why})
	}
	return m.save(ctx, memory.Lesson{Text: text, Target: target, Confidence: 1, Session: t.req.Session})
}

// mustAsk says why a lesson may only be proposed; "" where it may be saved. Beside
// text of strangers only the user's own words may, that the user asked to remember.
func (m memoryTool) mustAsk(call tools.Call, lesson string, target memory.Target) string {
	switch {
	case m.t.req.Place != nil:
		return memory.WhyStrangers
	case m.t.memoryWrite() == "ask":
		return memory.WhyAsk
	case m.t.may.Remember(call.Held) != tools.Allowed && !m.t.userSaid(lesson, target):
		return memory.WhyStrangers
	}
	return ""
}

// userSaid reports whether the user's message of this turn asks to remember this
// lesson, in these words. A stranger's text can make the model try; it can't choose
// the words, nor whose memory they go to.
func (t *turn) userSaid(lesson string, target memory.Target) bool {
	everybodys := target == memory.Target{Kind: memory.TargetGlobal}
	typed := t.user.TextSources(t.req.Session).Typed()
	return everybodys && typed && asksToRemember(transcript.WithoutAttachments(t.user.Text), lesson)
}

func (m memoryTool) save(ctx context.Context, lesson memory.Lesson) (tools.Result, error) {
	written, err := m.t.engine.p.Memory.Append(ctx, lesson)
	if errors.Is(err, memory.ErrDuplicate) {
		return tools.Result{Text: string(UnsavedKnown)}, nil
	}
	if errors.Is(err, memory.ErrFull) {
		return m.t.propose(ctx, memory.Proposal{Kind: memory.ProposeAdd, Text: lesson.Text, Target: lesson.Target, Confidence: lesson.Confidence, Why: memory.WhyFull})
	}
	if errors.Is(err, sharedfile.ErrSaving) {
		m.t.warn(StateTool, err.Error())
		return tools.Result{Text: string(UnsavedWaiting) + " It is saved by itself as soon as that is done."}, nil
	}
	if err != nil {
		return tools.Result{}, fmt.Errorf("nothing was saved: %w", err)
	}
	m.t.tellWritten(written, &MemoryChange{
		Path: written.Path, Line: written.Line, Text: written.Text, Target: targetName(written.Target), UndoID: written.UndoID, Added: 1,
	})
	return tools.Result{Text: fmt.Sprintf("Saved in %s, line %d: %s%s", filepath.Base(written.Path), written.Line, written.Text, m.t.fullness(written.Target))}, nil
}

// tellWritten tells what was saved; the next turn takes it for no edit of somebody else.
func (t *turn) tellWritten(w memory.Written, change *MemoryChange) {
	if f, err := t.engine.p.Memory.Load(w.Target); err == nil {
		t.engine.memoryChanged(f)
	}
	t.emit(Event{Type: EventMemoryWritten, Text: w.Text, Memory: change})
}

// fullness says how much of its budget a memory fills, once that is worth saying.
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

// target is whose memory a lesson goes to.
func (m memoryTool) target(selector string) (memory.Target, error) {
	if p := m.t.req.Place; p != nil {
		return p.Lessons, nil // whatever a stranger's text makes the model choose
	}
	if selector == "" {
		return memory.Target{Kind: memory.TargetGlobal}, nil
	}
	a, err := m.t.engine.p.Registry.Find(selector)
	if err != nil {
		return memory.Target{}, err
	}
	target, ok := registry.OwnMemory(a)
	if !ok {
		return memory.Target{}, fmt.Errorf("%s is a single file and has no memory of its own; leave out agent:<id>", a.Slug)
	}
	return target, nil
}

// splitTarget takes "agent:<id>" off the beginning of a lesson.
func splitTarget(arg string) (selector, lesson string) {
	arg = strings.TrimSpace(arg)
	rest, ok := strings.CutPrefix(arg, "agent:")
	if !ok {
		return "", arg
	}
	selector, lesson, _ = strings.Cut(strings.TrimSpace(rest), " ")
	return selector, strings.TrimSpace(lesson)
}

func targetName(t memory.Target) string {
	if t.ID == "" {
		return string(t.Kind)
	}
	return string(t.Kind) + ":" + t.ID
}

package lessons

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"mac-stats/agents/prompt"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/memorytext"
	"mac-stats/sessionmem/sharedfile"
)

// appendTool is MEMORY_APPEND. It handles a lesson as follows:
//   - memory.write = auto: the lesson is saved, and reported as saved only after it has
//     been read back.
//   - memory.write = ask, or the session holds text of strangers: it becomes a proposal
//     in the inbox, and the model is told that nothing was saved.
//   - memory.write = off, or a private chat: it is refused.
type appendTool struct{ *Lessons }

func (appendTool) Doc() tools.Doc {
	return tools.Doc{
		Name:        tools.MemoryAppend,
		Usage:       "MEMORY_APPEND: [agent:<id>] <lesson>",
		Description: "Saves one short sentence for later conversations; with agent:<id>, for that agent alone.",
		Effects:     tools.Effects{Writes: "one line of your memory, or a proposal"},
		Params: []tools.Param{
			{Name: "lesson", Description: "one short sentence", Required: true},
			{Name: "agent", Description: "the id or slug of the agent it is for; left out: all"},
		},
	}
}

// Fits returns an error if there is no lesson.
func (m appendTool) Fits(call tools.Call) error {
	if _, lesson := m.lesson(call); lesson == "" {
		return errors.New("there is no lesson: write one short sentence after the colon")
	}
	return nil
}

// lesson returns a call's lesson and the agent it is for, "" for all.
func (appendTool) lesson(call tools.Call) (selector, lesson string) {
	if call.Args == nil {
		return splitTarget(call.Arg)
	}
	return call.Value("agent"), call.Value("lesson")
}

// Run saves or proposes the lesson.
func (m appendTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	if err := m.Fits(call); err != nil {
		return tools.Result{}, err
	}
	selector, text := m.lesson(call)
	target, err := m.target(selector)
	if err != nil {
		return tools.Result{}, err
	}
	if err := m.allowed(); err != nil {
		return tools.Result{}, err
	}
	if why := m.needsReview(call); why != "" {
		return m.propose(ctx, memory.Proposal{Kind: memory.ProposeAdd, Text: text, Target: target, Confidence: 1, Why: why})
	}
	return m.save(ctx, memory.Lesson{Text: text, Target: target, Confidence: 1, Session: m.c.Session})
}

// needsReview returns why a lesson may only be proposed, or "" if it may be saved.
func (m appendTool) needsReview(call tools.Call) string {
	switch {
	case m.c.Place != nil:
		return memory.WhyStrangers
	case m.c.Write() == "ask":
		return memory.WhyAsk
	case m.c.Remember(call) != tools.Allowed:
		return memory.WhyStrangers
	}
	return ""
}

func (m appendTool) save(ctx context.Context, lesson memory.Lesson) (tools.Result, error) {
	written, err := m.c.Memory.Append(ctx, lesson)
	if errors.Is(err, memory.ErrDuplicate) {
		return tools.Result{Text: string(Known)}, nil
	}
	if errors.Is(err, memory.ErrFull) {
		return m.propose(ctx, memory.Proposal{Kind: memory.ProposeAdd, Text: lesson.Text, Target: lesson.Target, Confidence: lesson.Confidence, Why: memory.WhyFull})
	}
	if errors.Is(err, sharedfile.ErrLater) {
		m.c.Host.Warn(err.Error())
		return tools.Result{Text: string(Waiting) + " It is saved by itself as soon as it can be."}, nil
	}
	if err != nil {
		return tools.Result{}, fmt.Errorf("nothing was saved: %w", err)
	}
	m.c.Host.Wrote(written)
	return tools.Result{Text: fmt.Sprintf("Saved in %s, line %d: %s%s", filepath.Base(written.Path), written.Line, written.Text, m.fullness(written.Target))}, nil
}

// fullness returns a sentence about how full a memory is, once that is worth mentioning.
func (m appendTool) fullness(target memory.Target) string {
	budget := m.c.Global
	if target.Kind != memory.TargetGlobal {
		budget = m.c.Agent
	}
	f, err := m.c.Memory.Load(target)
	size := memorytext.Inject(f.Text, budget).Size
	if err != nil || budget <= 0 || size*10 < budget*8 {
		return ""
	}
	return fmt.Sprintf(" (this memory is %d %% full: once it is, new lessons are proposed in the place of old ones; tell the user)", prompt.Percent(size, budget))
}

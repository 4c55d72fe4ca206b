package agents

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mac-stats/sessionmem"
)

// memoryTool is MEMORY_APPEND. What it does with a lesson:
//   - memory.write = auto: it is saved, and said so only once it was read back.
//   - memory.write = ask, or the session holds text of strangers: it becomes a
//     proposal. Nothing is written; the model is told that nothing was, and the
//     Tool block keeps the lesson with these words.
//   - memory.write = off, or a private chat: it is refused.
type memoryTool struct{ t *turn }

func (memoryTool) Name() string { return toolMemoryAppend }

func (memoryTool) Doc() ToolDoc {
	return ToolDoc{
		Name:        toolMemoryAppend,
		Usage:       "MEMORY_APPEND: [agent:<id>] <lesson>",
		Description: "Saves one short sentence for later conversations; with agent:<id>, for that agent alone.",
	}
}

func (memoryTool) Params() []ToolParam {
	return []ToolParam{
		{Name: "lesson", Description: "one short sentence", Required: true},
		{Name: "agent", Description: "the id or slug of the agent it is for; left out: all"},
	}
}

// Run saves or proposes the lesson.
func (m memoryTool) Run(ctx context.Context, call ToolCall) (ToolResult, error) {
	t := m.t
	selector, text := call.arg("agent"), call.arg("lesson")
	if !call.native() {
		selector, text = splitTarget(call.Arg)
	}
	if text == "" {
		return ToolResult{}, errors.New("there is no lesson: write one short sentence after the colon")
	}
	target, err := m.target(selector)
	if err != nil {
		return ToolResult{}, err
	}
	switch {
	case t.engine.p.Store.IsPrivate(t.req.Session):
		return ToolResult{}, errors.New("this chat is private, nothing is remembered; tell the user")
	case t.settings.MemoryWrite == "off":
		return ToolResult{}, errors.New("memory is switched off (memory.write = off), nothing was saved; tell the user")
	}
	if why := m.mustAsk(ctx); why != "" {
		t.emit(Event{Type: EventMemoryProposed, Text: text, Memory: &MemoryChange{
			Path: t.engine.p.Memory.Path(target), Text: text, Target: targetName(target),
		}})
		return ToolResult{Text: "Not saved: proposed to the user, who decides (" + why + "). Don't say that it is saved."}, nil
	}
	return m.save(ctx, sessionmem.Lesson{Text: text, Target: target, Confidence: 1, Session: t.req.Session})
}

// mustAsk says why a lesson may only be proposed; "" where it may be saved.
func (m memoryTool) mustAsk(ctx context.Context) string {
	switch {
	case m.t.settings.MemoryWrite == "ask":
		return "memory.write = ask"
	case m.t.holdsStrangersText(ctx):
		return "this conversation holds text of strangers"
	}
	return ""
}

func (m memoryTool) save(ctx context.Context, lesson sessionmem.Lesson) (ToolResult, error) {
	written, err := m.t.engine.p.Memory.Append(ctx, lesson)
	if errors.Is(err, sessionmem.ErrDuplicate) {
		return ToolResult{Text: "Nothing to save: the memory already says so."}, nil
	}
	if err != nil {
		return ToolResult{}, fmt.Errorf("nothing was saved: %w", err)
	}
	m.t.emit(Event{Type: EventMemoryWritten, Text: written.Text, Memory: &MemoryChange{
		Path: written.Path, Line: written.Line, Text: written.Text, Target: targetName(written.Target), UndoID: written.UndoID, Added: 1,
	}})
	return ToolResult{Text: fmt.Sprintf("Saved in %s, line %d: %s", filepath.Base(written.Path), written.Line, written.Text)}, nil
}

// target is whose memory a lesson goes to.
func (m memoryTool) target(selector string) (sessionmem.Target, error) {
	if selector == "" {
		return sessionmem.Target{Kind: sessionmem.TargetGlobal}, nil
	}
	a, err := m.t.engine.p.Registry.Find(selector)
	if err != nil {
		return sessionmem.Target{}, err
	}
	target, ok := ownMemory(a)
	if !ok {
		return sessionmem.Target{}, fmt.Errorf("%s is a single file and has no memory of its own; leave out agent:<id>", a.Slug)
	}
	return target, nil
}

// ownMemory is an agent's own memory; only an agent with a folder has one.
func ownMemory(a Agent) (sessionmem.Target, bool) {
	if !isDir(a.Path) {
		return sessionmem.Target{}, false
	}
	return sessionmem.Target{Kind: sessionmem.TargetAgent, ID: a.ID}, true
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

func targetName(t sessionmem.Target) string {
	if t.ID == "" {
		return string(t.Kind)
	}
	return string(t.Kind) + ":" + t.ID
}

// holdsStrangersText reports whether the session holds fetched text, or text of a
// channel, since its last Summary. Where that can't be read it is assumed.
func (t *turn) holdsStrangersText(ctx context.Context) bool {
	if t.tainted || strings.HasPrefix(t.req.Session, "discord-") {
		return true
	}
	transcript, err := t.engine.p.Store.Load(context.WithoutCancel(ctx), t.req.Session)
	if err != nil {
		t.engine.log.Warn("the session can't be checked for fetched text: lessons are only proposed", "session", t.req.Session, "err", err)
		return true
	}
	for i := len(transcript.Blocks) - 1; i >= 0; i-- {
		b := transcript.Blocks[i]
		switch {
		case b.Kind == sessionmem.KindSummary, b.Kind == sessionmem.KindNote && b.Note == sessionmem.NoteEnded:
			return false
		case b.Kind == sessionmem.KindTool && b.Agent == toolFetchURL:
			return true
		}
	}
	return false
}

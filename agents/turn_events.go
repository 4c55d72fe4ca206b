package agents

import (
	"context"
	"fmt"
	"time"

	"mac-stats/agents/fault"
	"mac-stats/agents/prompt"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// noteLimit is the kind of a Note whose text says why the turn had to end, or what is
// missing from it.
const noteLimit = "limit"

// outcome is the outcome of one call.
type outcome struct {
	call   *tools.Call
	text   string // for the model, framed if it is a stranger's
	failed string // the reason, for the model and people; "" if the call succeeded

	took     time.Duration          // 0 if nothing ran
	recalled []transcript.Quotation // passages of earlier conversations in the text
	sources  transcript.Sources     // of the text
}

// words returns the outcome as the model sees it.
func (o outcome) words() string {
	if o.failed != "" {
		return failedPrefix + o.failed
	}
	return o.text
}

func (t *turn) emit(e Event) {
	if !t.silent {
		t.run.emit(e)
	}
}

// state emits what the turn is doing; detail is for people.
func (t *turn) state(s State, detail string) {
	t.emitForMessage(Event{Type: EventState, State: s, Detail: detail})
}

// warn is like state, but its detail must stay visible.
func (t *turn) warn(s State, detail string) {
	t.emitForMessage(Event{Type: EventState, State: s, Detail: detail, Warning: true})
}

// emitForMessage emits an event about the user's message.
func (t *turn) emitForMessage(e Event) {
	e.Block, e.Agent, e.Model, e.Round = t.message.ID, t.agent.Slug, t.model.Name, t.round
	t.emit(e)
}

// cut emits what was left out, if anything was.
func (t *turn) cut(c prompt.ContextCut) {
	if c != (prompt.ContextCut{}) {
		t.emit(Event{Type: EventContextCut, Cut: &c, Block: t.message.ID, Agent: t.agent.Slug, Model: t.model.Name})
	}
}

// note appends a Note block.
func (t *turn) note(ctx context.Context, b transcript.Block) error {
	b.Kind = transcript.KindNote
	if _, err := t.engine.p.Store.Append(context.WithoutCancel(ctx), t.req.Session, b); err != nil {
		return fault.Saving("A note", err)
	}
	return nil
}

// limit reports what ended early, both as an event and in the transcript.
func (t *turn) limit(ctx context.Context, why string) error {
	t.warn(StateTool, why)
	return t.note(ctx, transcript.Block{Note: noteLimit, Parent: t.message.ID, Text: why})
}

// nextCall returns the ID of the turn's next call.
func (t *turn) nextCall() string {
	t.calls++
	return fmt.Sprintf("call-%d", t.calls)
}

// keepTool appends a Tool block: the call and its result.
func (t *turn) keepTool(ctx context.Context, call *tools.Call, o outcome, text string) error {
	attrs := callAttrs(map[string]string{attrTook: tookAttr(o.took)}, call)
	if o.failed != "" {
		text, attrs[attrFailed] = failedPrefix+o.failed, "yes"
	}
	_, err := t.engine.p.Store.Append(context.WithoutCancel(ctx), t.req.Session, transcript.Block{
		Kind: transcript.KindTool, Agent: call.Name, Task: call.Arg, Parent: t.message.ID, Text: text, Attrs: attrs,
	}.WithSources(o.sources).WithRecalled(o.recalled))
	if err != nil {
		return &fault.Save{What: "The result of " + call.Name, Err: err}
	}
	return nil
}

// subcall emits an event of a sub-call.
func (t *turn) subcall(kind EventType, c Call, block string) {
	t.emit(Event{Type: kind, Call: &c, Round: t.round, Agent: c.Name, Model: c.Model, Block: block})
}

// wrote emits that a lesson was saved in some memories. It records the new text, so that
// the next turn doesn't report it as somebody else's edit.
func (t *turn) wrote(w memory.Written, targets string) {
	if f, err := t.engine.p.Memory.Load(w.Target); err == nil {
		t.engine.memoryChanged(f)
	}
	t.emit(Event{Type: EventMemoryWritten, Text: w.Text, Memory: &MemoryChange{
		Path: w.Path, Line: w.Line, Text: w.Text, Target: targets, UndoID: w.UndoID, Added: 1,
	}})
}

// proposed emits that a proposal waits in the inbox.
func (t *turn) proposed(p memory.Proposal) {
	t.emit(Event{Type: EventMemoryProposed, Text: wordsOf(p), Memory: &MemoryChange{
		Path: t.engine.p.Memory.Path(p.Target), Text: p.Text, Target: targetName(p.Target),
		Inbox: p.ID, Change: string(p.Kind), Old: p.Old, Why: p.Reason(),
	}})
}

// reportLessons emits the lessons of a compaction. A lesson in several files counts as one,
// and its undo removes it from all of them.
func (t *turn) reportLessons(kept compact.Kept) {
	for i, w := range kept.Written {
		if i > 0 && w.UndoID == kept.Written[i-1].UndoID {
			continue
		}
		targets := targetName(w.Target)
		for _, also := range kept.Written[i+1:] {
			if also.UndoID == w.UndoID {
				targets += ", " + targetName(also.Target)
			}
		}
		t.wrote(w, targets)
	}
	for _, p := range kept.Proposed {
		t.proposed(p)
	}
}

func targetName(t memory.Target) string {
	if t.ID == "" {
		return string(t.Kind)
	}
	return string(t.Kind) + ":" + t.ID
}

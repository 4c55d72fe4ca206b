package agents

import (
	"context"
	"fmt"
	"time"

	"mac-stats/agents/fault"
	"mac-stats/agents/lessons"
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
	call   tools.Call
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

// report emits what happens in a turn as events and writes it to the transcript. All
// parts of the turn share one; none of them reads it.
type report struct {
	base    *base
	run     *Run
	session string
	silent  bool // of a turn that only builds its request: nothing is told

	message transcript.Block // the user's message, as it is on disk
	agent   string           // slug of the agent that answers
	model   string
	round   int // of the turn's own dialogue
	calls   int // tools and sub-calls so far
}

func (r *report) emit(e Event) {
	if !r.silent {
		r.run.emit(e)
	}
}

// state emits what the turn is doing; detail is for people.
func (r *report) state(s State, detail string) {
	r.emitForMessage(Event{Type: EventState, State: s, Detail: detail})
}

// warn is like state, but its detail must stay visible.
func (r *report) warn(s State, detail string) {
	r.emitForMessage(Event{Type: EventState, State: s, Detail: detail, Warning: true})
}

// emitForMessage emits an event about the user's message.
func (r *report) emitForMessage(e Event) {
	e.Block, e.Agent, e.Model, e.Round = r.message.ID, r.agent, r.model, r.round
	r.emit(e)
}

// cut emits what was left out, if anything was.
func (r *report) cut(c prompt.ContextCut) {
	if c != (prompt.ContextCut{}) {
		r.emit(Event{Type: EventContextCut, Cut: &c, Block: r.message.ID, Agent: r.agent, Model: r.model})
	}
}

// note appends a Note block.
func (r *report) note(ctx context.Context, b transcript.Block) error {
	b.Kind = transcript.KindNote
	if _, err := r.base.p.Store.Append(context.WithoutCancel(ctx), r.session, b); err != nil {
		return fault.Saving("A note", err)
	}
	return nil
}

// limit reports what ended early, both as an event and in the transcript.
func (r *report) limit(ctx context.Context, why string) error {
	r.warn(StateTool, why)
	return r.note(ctx, transcript.Block{Note: noteLimit, Parent: r.message.ID, Text: why})
}

// nextCall returns the ID of the turn's next call.
func (r *report) nextCall() string {
	r.calls++
	return fmt.Sprintf("call-%d", r.calls)
}

// tool appends a Tool block: the call and its result.
func (r *report) tool(ctx context.Context, call tools.Call, o outcome, text string) error {
	attrs := callAttrs(map[string]string{attrTook: tookAttr(o.took)}, call)
	if o.failed != "" {
		text, attrs[attrFailed] = failedPrefix+o.failed, "yes"
	}
	_, err := r.base.p.Store.Append(context.WithoutCancel(ctx), r.session, transcript.Block{
		Kind: transcript.KindTool, Agent: call.Name, Task: call.Arg, Parent: r.message.ID, Text: text, Attrs: attrs,
	}.WithSources(o.sources).WithRecalled(o.recalled))
	if err != nil {
		return &fault.Save{What: "The result of " + call.Name, Err: err}
	}
	return nil
}

// subcall emits an event of a sub-call.
func (r *report) subcall(kind EventType, c Call, block string) {
	r.emit(Event{Type: kind, Call: &c, Round: r.round, Agent: c.Name, Model: c.Model, Block: block})
}

// Warn shows people a warning.
func (r *report) Warn(text string) { r.warn(StateTool, text) }

// Wrote emits that a lesson was saved.
func (r *report) Wrote(w memory.Written) { r.wrote(w, targetName(w.Target)) }

// wrote emits that a lesson was saved in some memories. It records the new text, so that
// the next turn doesn't report it as somebody else's edit.
func (r *report) wrote(w memory.Written, targets string) {
	if f, err := r.base.p.Memory.Load(w.Target); err == nil {
		r.base.memoryChanged(f)
	}
	r.emit(Event{Type: EventMemoryWritten, Text: w.Text, Memory: &MemoryChange{
		Path: w.Path, Line: w.Line, Text: w.Text, Target: targets, UndoID: w.UndoID, Added: 1,
	}})
}

// Proposed emits that a proposal waits in the inbox.
func (r *report) Proposed(p memory.Proposal) {
	r.emit(Event{Type: EventMemoryProposed, Text: lessons.Words(p), Memory: &MemoryChange{
		Path: r.base.p.Memory.Path(p.Target), Text: p.Text, Target: targetName(p.Target),
		Inbox: p.ID, Change: string(p.Kind), Old: p.Old, Why: p.Reason(),
	}})
}

// lessons emits the lessons of a compaction. A lesson in several files counts as one,
// and its undo removes it from all of them.
func (r *report) lessons(kept compact.Kept) {
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
		r.wrote(w, targets)
	}
	for _, p := range kept.Proposed {
		r.Proposed(p)
	}
}

func targetName(t memory.Target) string {
	if t.ID == "" {
		return string(t.Kind)
	}
	return string(t.Kind) + ":" + t.ID
}

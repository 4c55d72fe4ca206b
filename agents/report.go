package agents

import (
	"context"
	"fmt"
	"strings"

	"mac-stats/agents/fault"
	"mac-stats/agents/lessons"
	"mac-stats/agents/prompt"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// report tells what happens in a turn, by events, and keeps it in the transcript. All
// parts of the turn share one; none of them reads it.
type report struct {
	engine  *Engine
	run     *Run
	session string

	message transcript.Block // that is answered, as it is on disk
	agent   string           // who answers: its slug
	model   string
	round   int // of the turn's own dialogue
	calls   int // tools and sub-calls so far
}

func (r *report) emit(e Event) { r.run.emit(e) }

// state tells what the turn is doing, in words for people.
func (r *report) state(s State, detail string) {
	r.tell(Event{Type: EventState, State: s, Detail: detail})
}

// warn is state with words that have to be seen.
func (r *report) warn(s State, detail string) {
	r.tell(Event{Type: EventState, State: s, Detail: detail, Warning: true})
}

func (r *report) tell(e Event) {
	e.Block, e.Agent, e.Model, e.Round = r.message.ID, r.agent, r.model, r.round
	r.emit(e)
}

// cut says what was left out, if anything was.
func (r *report) cut(c prompt.ContextCut) {
	if c != (prompt.ContextCut{}) {
		r.emit(Event{Type: EventContextCut, Cut: &c, Block: r.message.ID, Agent: r.agent, Model: r.model})
	}
}

// note appends a Note block.
func (r *report) note(ctx context.Context, b transcript.Block) error {
	b.Kind = transcript.KindNote
	if _, err := r.engine.p.Store.Append(context.WithoutCancel(ctx), r.session, b); err != nil {
		return fault.Saving("A note", err)
	}
	return nil
}

// thought keeps what the model thought before a reply, as a Note above it: shown, and
// never sent to a model.
func (r *report) thought(ctx context.Context, of reply) error {
	if strings.TrimSpace(of.thought) == "" {
		return nil
	}
	return r.note(ctx, transcript.Block{
		Note: transcript.NoteThinking, Agent: r.agent, Model: r.model, Parent: r.message.ID, Text: of.thought,
		Attrs: map[string]string{attrTook: tookAttr(of.thinking)},
	}.WithSources(of.held))
}

// limit tells the user what ended early, now and in the transcript.
func (r *report) limit(ctx context.Context, why string) error {
	r.warn(StateTool, why)
	return r.note(ctx, transcript.Block{Note: noteLimit, Parent: r.message.ID, Text: why})
}

// nextCall numbers the calls of a turn.
func (r *report) nextCall() string {
	r.calls++
	return fmt.Sprintf("call-%d", r.calls)
}

// tool appends a Tool block: what was asked and what came of it.
func (r *report) tool(ctx context.Context, call tools.Call, o outcome, text string) error {
	attrs := map[string]string{attrTook: tookAttr(o.took)}
	if o.failed != "" {
		text, attrs[attrFailed] = failedPrefix+o.failed, "yes"
	}
	_, err := r.engine.p.Store.Append(context.WithoutCancel(ctx), r.session, transcript.Block{
		Kind: transcript.KindTool, Agent: call.Name, Task: call.Arg, Parent: r.message.ID, Text: text, Attrs: attrs,
	}.WithSources(o.sources).WithRecalled(o.recalled))
	if err != nil {
		return &fault.Save{What: "The result of " + call.Name, Err: err}
	}
	return nil
}

// subcall tells of a sub-call.
func (r *report) subcall(kind EventType, c Call, block string) {
	r.emit(Event{Type: kind, Call: &c, Round: r.round, Agent: c.Name, Model: c.Model, Block: block})
}

// Warn tells people something that they have to know.
func (r *report) Warn(text string) { r.warn(StateTool, text) }

// Wrote tells of a lesson that was saved.
func (r *report) Wrote(w memory.Written) { r.wrote(w, targetName(w.Target)) }

// wrote tells of a lesson in some memories; the next turn takes it for no edit of
// somebody else.
func (r *report) wrote(w memory.Written, targets string) {
	if f, err := r.engine.p.Memory.Load(w.Target); err == nil {
		r.engine.memoryChanged(f)
	}
	r.emit(Event{Type: EventMemoryWritten, Text: w.Text, Memory: &MemoryChange{
		Path: w.Path, Line: w.Line, Text: w.Text, Target: targets, UndoID: w.UndoID, Added: 1,
	}})
}

// Proposed tells of what waits in the inbox.
func (r *report) Proposed(p memory.Proposal) {
	r.emit(Event{Type: EventMemoryProposed, Text: lessons.Words(p), Memory: &MemoryChange{
		Path: r.engine.p.Memory.Path(p.Target), Text: p.Text, Target: targetName(p.Target),
		Inbox: p.ID, Change: string(p.Kind), Old: p.Old, Why: p.Reason(),
	}})
}

// learnt tells what a compaction has learnt: a lesson that stands in several files is
// one, and its undo takes all of them back.
func (r *report) learnt(kept compact.Kept) {
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

package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mac-stats/agents/background"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/transcript"
)

// compactFirst summarises a session that is due before the request is built. Where
// the app does it after turns, only what it has not come to: messages that this
// request would leave out are learnt from and summarised first. A failure leaves the
// context as it is.
func (t *turn) compactFirst(ctx context.Context) (phase, error) {
	c := t.engine.p.Compactor
	if c == nil {
		return (*turn).build, nil
	}
	snap, policy, err := c.Snapshot(ctx, t.req.Session, t.user.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the conversation: %w", err)
	}
	t.may.Hold(snap.Sources(OwnTools()))
	due := t.wouldCut(snap)
	limits := t.limits(t.summary(snap.Previous).Content)
	policy.KeepTokens, policy.Window = min(policy.KeepTokens, limits.Tokens/2), limits.Messages
	if due { // a window of few messages would be full again at once
		policy.KeepRecent = min(policy.KeepRecent, limits.Messages/2)
	}
	if !t.engine.p.Background && !t.req.AppCompacts {
		due = due || policy.Due(snap.Since, t.filled(snap))
	}
	if due && snap.Covered(policy.KeepRecent) > 0 {
		if _, err := t.compact(ctx, snap, policy.Keep(snap)); err != nil {
			return nil, err
		}
	}
	return (*turn).build, nil
}

// wouldCut reports whether the request would leave messages out that no Summary
// covers, and there is something new to cover.
func (t *turn) wouldCut(snap sessionmem.Snapshot) bool {
	if snap.Since < 2 {
		return false
	}
	messages := append(slices.Clone(snap.Messages), t.user)
	_, left := transcript.Trim(messages, t.limits(t.summary(snap.Previous).Content), t.cost)
	return left > 0
}

// filled is how much of the model's context the request would take, in percent.
func (t *turn) filled(snap sessionmem.Snapshot) float64 {
	if t.numCtx <= 0 {
		return 0
	}
	tokens := t.talk.cost(t.system.System) + t.talk.toolCost() + t.talk.cost(t.summary(snap.Previous).Content)
	for _, m := range snap.Messages {
		in := t.contents.of(m)
		tokens += t.talk.cost(in.text) + t.talk.images(len(in.images))
	}
	return 100 * float64(tokens) / float64(t.numCtx)
}

// compactOverflow summarises what the model's context could not hold; it reports
// whether the request is shorter now.
func (t *turn) compactOverflow(ctx context.Context) bool {
	c := t.engine.p.Compactor
	if c == nil {
		return false
	}
	snap, policy, err := c.Snapshot(ctx, t.req.Session, t.user.ID)
	if err != nil || snap.Covered(policy.KeepRecent) == 0 {
		return false
	}
	shorter, err := t.compact(ctx, snap, policy.KeepRecent)
	return shorter && err == nil
}

// compact summarises while the user waits, and tells it. Only a Stop is an error:
// without a Summary the turn goes on with what it has.
func (t *turn) compact(ctx context.Context, snap sessionmem.Snapshot, keep int) (bool, error) {
	t.state(StateCompacting, fmt.Sprintf("compacting %d messages…", len(snap.Messages)))
	if t.req.Agent != "" {
		snap.Agent = t.agent.Slug
	}
	done, err := t.engine.p.Compactor.Compact(ctx, snap, keep)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	t.tellLessons(done.Lessons)
	if errors.Is(err, compact.ErrBusy) || errors.Is(err, sessionmem.ErrStale) {
		return false, nil // another one's Summary is there or on its way
	}
	if err != nil {
		t.engine.log.Warn("a session could not be summarised", "session", t.req.Session, "err", err)
		return false, nil
	}
	t.emit(Event{Type: EventCompaction, Block: done.Summary.ID, Model: done.Summary.By, Text: done.Words()})
	if len(done.Lessons.Written) > 0 {
		t.system = t.systemPrompt() // what was just remembered is in it
	}
	return true, nil
}

// tellLessons tells what a compaction has learnt: a lesson that stands in several
// files is one, and its undo takes all of them back.
func (t *turn) tellLessons(kept compact.Kept) {
	for i, w := range kept.Written {
		if i > 0 && w.UndoID == kept.Written[i-1].UndoID {
			continue
		}
		change := &MemoryChange{Path: w.Path, Line: w.Line, Text: w.Text, Target: targetName(w.Target), UndoID: w.UndoID, Added: 1}
		for _, also := range kept.Written[i+1:] {
			if also.UndoID == w.UndoID {
				change.Target += ", " + targetName(also.Target)
			}
		}
		t.tellWritten(w, change)
	}
	for _, p := range kept.Proposed {
		t.tellProposed(p, p.Reason())
	}
}

// CompactSoon summarises a session in the background if it is due: another process,
// which ends with its turn, has written to it.
func (e *Engine) CompactSoon(session string) { e.workAfter(session, background.Filled{}) }

// workAfter names a new session and summarises one that is due, in the background.
// The session's next turn, or Close, stops it.
func (e *Engine) workAfter(session string, last background.Filled) {
	if e.p.Background {
		e.after.Begin(session, last)
	}
}

// OwnTools are the tools whose results hold no text of strangers; those of all
// others, also of another program in the transcript, do. A search that found words
// of strangers says so on its block.
func OwnTools() []string {
	return []string{registry.ToolAgent, registry.ToolSkill, registry.ToolFindAgent, registry.ToolFindSkill, tools.SystemStats, tools.MemorySearch, tools.MemoryAppend, tools.MemoryReplace, tools.MemoryRemove}
}

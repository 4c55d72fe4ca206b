package agents

import (
	"context"
	"errors"
	"fmt"

	"mac-stats/agents/background"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/session"
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
	snap, policy, err := c.Snapshot(ctx, t.req.Session, t.out.message.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the conversation: %w", err)
	}
	t.may.Hold(snap.Sources(OwnTools()))
	due := t.assembly.wouldCut(snap)
	limits := t.assembly.limits(t.assembly.summary(snap.Previous).Content)
	policy.KeepTokens, policy.Window = min(policy.KeepTokens, limits.Tokens/2), limits.Messages
	if due { // a window of few messages would be full again at once
		policy.KeepRecent = min(policy.KeepRecent, limits.Messages/2)
	}
	if !t.engine.p.Background && !t.req.AppCompacts {
		due = due || policy.Due(snap.Since, t.assembly.filled(snap))
	}
	if due && snap.Covered(policy.KeepRecent) > 0 {
		if _, err := t.compact(ctx, snap, policy.Keep(snap)); err != nil {
			return nil, err
		}
	}
	return (*turn).build, nil
}

// compactOverflow summarises what the model's context could not hold; it reports
// whether the request is shorter now.
func (t *turn) compactOverflow(ctx context.Context) bool {
	c := t.engine.p.Compactor
	if c == nil {
		return false
	}
	snap, policy, err := c.Snapshot(ctx, t.req.Session, t.out.message.ID)
	if err != nil || snap.Covered(policy.KeepRecent) == 0 {
		return false
	}
	shorter, err := t.compact(ctx, snap, policy.KeepRecent)
	return shorter && err == nil
}

// compact summarises while the user waits, and tells it. Only a Stop is an error:
// without a Summary the turn goes on with what it has.
func (t *turn) compact(ctx context.Context, snap session.Snapshot, keep int) (bool, error) {
	t.out.state(StateCompacting, fmt.Sprintf("compacting %d messages…", len(snap.Messages)))
	if t.req.Agent != "" {
		snap.Agent = t.who.agent.Slug
	}
	done, err := t.engine.p.Compactor.Compact(ctx, snap, keep)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	t.out.learnt(done.Lessons)
	if errors.Is(err, compact.ErrBusy) || errors.Is(err, session.ErrStale) {
		return false, nil // another one's Summary is there or on its way
	}
	if err != nil {
		t.engine.log.Warn("a session could not be summarised", "session", t.req.Session, "err", err)
		return false, nil
	}
	t.out.emit(Event{Type: EventCompaction, Block: done.Summary.ID, Model: done.Summary.By, Text: done.Words()})
	if len(done.Lessons.Written) > 0 {
		t.assembly.system = t.prompts.system(t.talk, t.assembly.to) // what was just remembered is in it
	}
	return true, nil
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

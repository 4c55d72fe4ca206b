package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mac-stats/agents/background"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/compact"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// compactFirst summarises a session that is due before the request is built. If the app
// does that after turns, it only summarises messages that this request would leave out,
// and saves their lessons. A failure leaves the context as it is.
func (t *turn) compactFirst(ctx context.Context) (phase, error) {
	c := t.engine.p.Compactor
	if c == nil {
		return (*turn).build, nil
	}
	snap, policy, err := c.Snapshot(ctx, t.req.Session, t.message.ID)
	if err != nil {
		return nil, fmt.Errorf("reading the conversation: %w", err)
	}
	t.may.Hold(snap.Sources(OwnTools()))
	limits := t.dialogue.limits(t.dialogue.summary(snap.Previous).Content, nil)
	_, left := transcript.Trim(append(slices.Clone(snap.Messages), t.message), limits, t.dialogue.contents.Cost)
	due := snap.Since >= 2 && left > 0 // the request would leave out messages that no Summary covers
	policy.KeepTokens, policy.Window = min(policy.KeepTokens, limits.Tokens/2), limits.Messages
	if due { // otherwise a window of few messages would be full again at once
		policy.KeepRecent = min(policy.KeepRecent, limits.Messages/2)
	}
	if !t.engine.p.Background && !t.req.AppCompacts {
		due = due || policy.Due(snap.Since, t.dialogue.share(snap))
	}
	if due && snap.Covered(policy.KeepRecent) > 0 {
		if _, err := t.compact(ctx, snap, policy.Keep(snap)); err != nil {
			return nil, err
		}
	}
	return (*turn).build, nil
}

// compactOverflow summarises what didn't fit the model's context. It reports whether the
// request is shorter now.
func (t *turn) compactOverflow(ctx context.Context) bool {
	c := t.engine.p.Compactor
	if c == nil {
		return false
	}
	snap, policy, err := c.Snapshot(ctx, t.req.Session, t.message.ID)
	if err != nil || snap.Covered(policy.KeepRecent) == 0 {
		return false
	}
	shorter, err := t.compact(ctx, snap, policy.KeepRecent)
	return shorter && err == nil
}

// compact summarises while the user waits, and reports that. It fails only after a Stop:
// without a Summary, the turn continues with what it has.
func (t *turn) compact(ctx context.Context, snap session.Snapshot, keep int) (bool, error) {
	t.state(StateCompacting, fmt.Sprintf("compacting %d messages…", len(snap.Messages)))
	if t.req.Agent != "" {
		snap.Agent = t.agent.Slug
	}
	done, err := t.engine.p.Compactor.Compact(ctx, snap, keep)
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	t.reportLessons(done.Lessons)
	if errors.Is(err, compact.ErrBusy) || errors.Is(err, session.ErrStale) {
		return false, nil // another process has made or is making a Summary
	}
	if err != nil {
		t.engine.log.Warn("a session could not be summarised", "session", t.req.Session, "err", err)
		return false, nil
	}
	t.emit(Event{Type: EventCompaction, Block: done.Summary.ID, Model: done.Summary.By, Text: done.Words()})
	if len(done.Lessons.Written) > 0 {
		t.dialogue.readFiles() // now with the new lessons
	}
	return true, nil
}

// CompactSoon summarises a session in the background if it is due, and prepares its next
// request. It is for sessions that another process has written to, which ended with its
// turn.
func (e *Engine) CompactSoon(session string) {
	e.mu.Lock()
	e.ahead.asked, e.ahead.askedAt = session, time.Now()
	e.mu.Unlock()
	e.workAfter(session, background.Filled{})
}

// workAfter names a new session and summarises one that is due, in the background, until
// the session's next turn or Close.
func (e *Engine) workAfter(session string, last background.Filled) {
	if e.p.Background {
		e.after.Begin(session, last)
	}
}

// OwnTools returns the tools whose results hold no text of strangers. The results of all
// other tools count as strangers' text, including those that another program wrote to
// the transcript. A search that found strangers' words records that on its block.
func OwnTools() []string {
	return []string{registry.ToolAgent, registry.ToolSkill, registry.ToolFindAgent, registry.ToolFindSkill, tools.SystemStats, tools.MemorySearch, tools.MemoryAppend, tools.MemoryReplace, tools.MemoryRemove}
}

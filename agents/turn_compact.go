package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
func (e *Engine) CompactSoon(session string) { e.workAfter(session, taken{}) }

// taken is how full a turn left its model's context.
type taken struct {
	percent float64
	history int // tokens that the history may take; 0: not known
}

// workAfter names a new session and summarises one that is due, in the background.
// The session's next turn, or Close, stops it.
func (e *Engine) workAfter(session string, last taken) {
	if !e.p.Background {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.beginAfter(session, last)
}

// beginAfter is workAfter with mu held.
func (e *Engine) beginAfter(session string, last taken) {
	before := e.after[session]
	switch {
	case e.closed || len(e.runs[session]) > 0:
		return
	case before != nil && before.ctx.Err() == nil:
		before.again = true // it may have looked at the session before it changed
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	own := &background{ctx: ctx, stop: stop, over: make(chan struct{})}
	e.after[session] = own
	e.work.Go(func() {
		defer e.endAfter(session, own)
		if before != nil { // it was stopped and may still hold the session
			<-before.over
		}
		e.nameAfter(ctx, session)
		err := e.compactDue(ctx, session, last)
		if err != nil && ctx.Err() == nil && !errors.Is(err, sessionmem.ErrStale) && !errors.Is(err, compact.ErrBusy) {
			e.log.Warn("a session could not be summarised", "session", session, "err", err)
		}
	})
}

// background is the work on a session after a turn.
type background struct {
	ctx  context.Context
	stop func()
	over chan struct{} // closed at its end

	again bool // to be done once more; the engine's mu guards it
}

func (e *Engine) endAfter(session string, own *background) {
	e.mu.Lock()
	defer e.mu.Unlock()
	again := own.again && own.ctx.Err() == nil // else a turn stopped it, which asks for it itself
	own.stop()
	if e.after[session] == own {
		delete(e.after, session)
	}
	close(own.over)
	if again {
		e.beginAfter(session, taken{})
	}
}

func (e *Engine) compactDue(ctx context.Context, session string, last taken) error {
	if e.p.Compactor == nil {
		return nil
	}
	if done, err := e.p.Compactor.Renew(ctx, session); err == nil && e.p.Compacted != nil {
		e.p.Compacted(done)
	} else if err != nil && !errors.Is(err, sessionmem.ErrNothing) {
		e.log.Info("a Summary that lost something is not made anew yet", "session", session, "err", err)
	}
	snap, policy, err := e.p.Compactor.Snapshot(ctx, session, "")
	if err != nil || !policy.Due(snap.Since, last.percent) || snap.Covered(policy.KeepRecent) == 0 {
		return err
	}
	if last.history > 0 {
		policy.KeepTokens = min(policy.KeepTokens, last.history/2)
	}
	done, err := e.p.Compactor.Compact(ctx, snap, policy.Keep(snap))
	learnt := len(done.Lessons.Written)+len(done.Lessons.Proposed) > 0
	if (err == nil || learnt) && e.p.Compacted != nil {
		e.p.Compacted(done)
	}
	return err
}

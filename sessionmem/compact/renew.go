package compact

import (
	"context"
	"errors"
	"fmt"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// "yes": on a Summary that a forgetting made

// Renew makes a Summary that a forgetting made without a model anew with one: of what
// is left of the messages that it covers. It is appended in its place. Nothing is learnt
// by it. ErrNothing where there is none to make anew, or a model failed at it before;
// other errors leave it as it is.
func (c *Compaction) Renew(ctx context.Context, session string) (Result, error) {
	out := Result{Session: session, Again: true}
	r, err := c.c.Store.Renewable(ctx, session)
	if err != nil {
		return out, fmt.Errorf("making the Summary of %s anew: %w", session, err)
	}
	if len(r.From.Messages) == 0 || c.failed(r.Old.ID) {
		return out, fmt.Errorf("making the Summary of %s anew: %w", session, sessionmem.ErrNothing)
	}
	unlock, err := c.lock(ctx, session)
	if err != nil {
		return out, fmt.Errorf("making the Summary of %s anew: %w", session, err)
	}
	defer unlock()
	if err := c.c.Store.StillMeant(r.From); err != nil {
		return out, err
	}
	digest, err := c.c.Summarizer.Summarize(ctx, r.From.Previous, r.From.Recent())
	if errors.Is(err, ErrNoDigest) {
		c.fail(r.Old.ID)
	}
	if err != nil {
		return out, fmt.Errorf("making the Summary of %s anew: %w", session, err)
	}
	b := c.summary(r.From, digest, 0)
	b.Through = r.Old.Through
	b = b.WithSources(b.Sources(session) | r.Old.Sources(session))
	b.Attrs[transcript.AttrAgain] = r.Old.ID
	now := r.From
	now.Previous = &r.Old
	out.Messages = r.From.Covered(0)
	out.Summary, err = c.c.Store.AppendSummary(context.WithoutCancel(ctx), now, b)
	return out, err
}

// failed says whether a model gave nothing usable for this Summary.
func (c *Compaction) failed(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.useless[id]
}

func (c *Compaction) fail(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.useless[id] = true
}

// renewQuietly is Renew in passing: what it can't do now waits. It reports whether there
// was something to do.
func (c *Compaction) renewQuietly(ctx context.Context, session string) bool {
	done, err := c.Renew(ctx, session)
	switch {
	case err == nil && c.c.Done != nil:
		c.c.Done(done)
	case err != nil && !errors.Is(err, sessionmem.ErrNothing):
		c.c.Logger.Debug("a Summary is not made anew yet", "session", session, "err", err)
	}
	return !errors.Is(err, sessionmem.ErrNothing)
}

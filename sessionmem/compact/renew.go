package compact

import (
	"context"
	"errors"
	"fmt"

	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// Renew replaces a Summary that forgetting made without a model by one from a model, made from
// what is left of the messages it covers. It is appended in its place. No lessons are learned.
// Renew returns ErrNothing if there is none to replace, or if a model failed at it before;
// other errors leave it as it is.
func (c *Compaction) Renew(ctx context.Context, name string) (Result, error) {
	out := Result{Session: name, Renewed: true}
	r, err := c.c.Store.Session(name).Summaries().Renewable(ctx)
	if err != nil {
		return out, fmt.Errorf("making the Summary of %s anew: %w", name, err)
	}
	if len(r.From.Messages) == 0 || c.failed(r.Old.ID) {
		return out, fmt.Errorf("making the Summary of %s anew: %w", name, session.ErrNothing)
	}
	unlock, err := c.lock(ctx, name)
	if err != nil {
		return out, fmt.Errorf("making the Summary of %s anew: %w", name, err)
	}
	defer unlock()
	if err := c.c.Store.Session(r.From.Session).Summaries().CheckForgotten(r.From); err != nil {
		return out, err
	}
	digest, err := c.c.Summarizer.Summarize(ctx, "", r.From.Previous, r.From.Recent())
	if errors.Is(err, ErrNoDigest) {
		c.fail(r.Old.ID)
	}
	if err != nil {
		return out, fmt.Errorf("making the Summary of %s anew: %w", name, err)
	}
	b := c.summary(r.From, digest, 0)
	b.Through = r.Old.Through
	b = b.WithSources(b.Sources(name) | r.Old.Sources(name))
	b.Attrs[transcript.AttrAgain] = r.Old.ID
	now := r.From
	now.Previous = &r.Old
	out.Messages = r.From.Covered(0)
	out.Summary, err = c.c.Store.Session(now.Session).Summaries().Append(context.WithoutCancel(ctx), now, b)
	return out, err
}

// failed reports whether a model's answer for this Summary was unusable.
func (c *Compaction) failed(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failedRenewals[id]
}

func (c *Compaction) fail(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failedRenewals[id] = true
}

// renewQuietly is Renew as part of a pass: what it can't do now waits. It reports whether there
// was something to do.
func (c *Compaction) renewQuietly(ctx context.Context, name string) bool {
	done, err := c.Renew(ctx, name)
	switch {
	case err == nil && c.c.Done != nil:
		c.c.Done(done)
	case err != nil && !errors.Is(err, session.ErrNothing):
		c.c.Logger.Debug("a Summary is not made anew yet", "session", name, "err", err)
	}
	return !errors.Is(err, session.ErrNothing)
}

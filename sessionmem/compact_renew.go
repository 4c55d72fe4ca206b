package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/transcript"
)

// A Summary that a forgetting made of what was left, without a model, says so. A model
// makes it anew when there is one: that is appended in its place, and nothing is
// learnt again.
const attrRebuilt = "rebuilt" // "yes": on a Summary that a forgetting made

// rebuiltSummary is a Summary as a forgetting makes it: of text that is left, without a model.
func rebuiltSummary(b transcript.Block, text string) transcript.Block {
	b.Text, b.By = text, plainBy
	b.Attrs = maps.Clone(b.Attrs)
	delete(b.Attrs, transcript.AttrAgain)
	delete(b.Attrs, attrRebuilt)
	if text != forgotten.Text {
		if b.Attrs == nil {
			b.Attrs = map[string]string{}
		}
		b.Attrs[attrRebuilt] = "yes"
	}
	return b
}

// renewable is what a Summary that a forgetting made was to be made of.
type renewable struct {
	old  transcript.Block // the Summary
	from Snapshot         // what was before it
}

// renewable gives the last Summary of a session with what it covers; ErrNothing where a
// model made it, or nothing of it is left.
func (s *Store) renewable(ctx context.Context, name string) (renewable, error) {
	r := renewable{}
	err := s.look(ctx, name, func(ses *session) error {
		f, x := &ses.fold, &ses.index
		if len(f.summaries) == 0 || ses.private.Load() {
			return ErrNothing
		}
		last := f.summaries[len(f.summaries)-1]
		source := s.source(ses)
		defer source.close()
		old, err := source.block(f.active[last.at].block)
		if err != nil {
			return err
		}
		if old.Attrs[attrRebuilt] == "" {
			return ErrNothing
		}
		before := *f // as it was when the Summary was made
		before.summaries = f.summaries[:len(f.summaries)-1]
		end := last.at
		if i := f.at(x, last.through); i >= 0 && i < last.at && !last.none {
			end = i + 1
		}
		r.old = old
		r.from, err = s.snapshotOf(ses, &before, end)
		if p := r.from.Previous; p != nil && p.Text == forgotten.Text {
			r.from.Previous = nil
		}
		return err
	})
	return r, err
}

// Renew makes a Summary that a forgetting made without a model anew with one: of what
// is left of the messages that it covers. It is appended in its place. Nothing is learnt
// by it. ErrNothing where there is none to make anew, or a model failed at it before;
// other errors leave it as it is.
func (c *Compaction) Renew(ctx context.Context, session string) (Compacted, error) {
	out := Compacted{Session: session, Again: true}
	r, err := c.c.Store.renewable(ctx, session)
	if err != nil {
		return out, fmt.Errorf("making the Summary of %s anew: %w", session, err)
	}
	if len(r.from.Messages) == 0 || c.failed(r.old.ID) {
		return out, fmt.Errorf("making the Summary of %s anew: %w", session, ErrNothing)
	}
	unlock, err := c.lock(ctx, session)
	if err != nil {
		return out, fmt.Errorf("making the Summary of %s anew: %w", session, err)
	}
	defer unlock()
	if err := c.c.Store.stillMeant(r.from); err != nil {
		return out, err
	}
	digest, err := c.c.Summarizer.Summarize(ctx, r.from.Previous, r.from.recent())
	if errors.Is(err, ErrNoDigest) {
		c.fail(r.old.ID)
	}
	if err != nil {
		return out, fmt.Errorf("making the Summary of %s anew: %w", session, err)
	}
	b := c.summary(r.from, digest, 0)
	b.Through = r.old.Through
	b = b.WithSources(b.Sources(session) | r.old.Sources(session))
	b.Attrs[transcript.AttrAgain] = r.old.ID
	now := r.from
	now.Previous = &r.old
	out.Messages = r.from.Covered(0)
	out.Summary, err = c.c.Store.appendSummary(context.WithoutCancel(ctx), now, b)
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
	case err != nil && !errors.Is(err, ErrNothing):
		c.c.Logger.Debug("a Summary is not made anew yet", "session", session, "err", err)
	}
	return !errors.Is(err, ErrNothing)
}

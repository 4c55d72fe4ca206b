package backend

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"mac-stats/app/discord/botstate"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
)

// ForgetPlan finds what a selection means, everywhere, and changes nothing.
func (b *Backend) ForgetPlan(ctx context.Context, s forget.Selection) (*forget.Plan, error) {
	return b.forgetter().Plan(ctx, s)
}

// Forget forgets what a plan found, and what an earlier forgetting left undone; the
// window is told.
func (b *Backend) Forget(ctx context.Context, p *forget.Plan) (forget.Report, error) {
	return b.forgot(b.forgetter().Do(ctx, p))
}

// FinishForgetting finishes what an earlier process began to forget.
func (b *Backend) FinishForgetting(ctx context.Context) (forget.Report, error) {
	return b.forgot(b.forgetter().Resume(ctx))
}

// forgot tells of it, in numbers alone.
func (b *Backend) forgot(r forget.Report, err error) (forget.Report, error) {
	if len(r.Found) > 0 {
		b.Logger.Info("something was forgotten", "places", len(r.Found), "refused", r.Refused)
		b.indexChanged()
		b.indexAgain()
		if b.watching {
			for _, session := range Rebuilt(r) {
				b.Engine.CompactSoon(session)
			}
		}
	}
	b.tellForgot()
	return r, err
}

// Rebuilt are the sessions whose Summary a forgetting made anew without a model.
func Rebuilt(r forget.Report) []string {
	var sessions []string
	for _, t := range r.Found {
		if t.Action == forgotten.Rebuilt && !slices.Contains(sessions, t.Session) {
			sessions = append(sessions, t.Session)
		}
	}
	return sessions
}

// indexAgain takes up again what is left of sessions that were erased, where nobody
// else keeps the index up. One that was never complete is left to who makes it so.
func (b *Backend) indexAgain() {
	index, err := b.Recall()
	if b.watching || err != nil {
		return
	}
	if s, err := index.Status(b.ctx); err != nil || s.LastSync.IsZero() {
		return
	}
	if _, err := index.Sync(b.ctx); err != nil {
		b.Logger.Warn("what is left of sessions is found again after an indexing", "error", err)
	}
}

// tellForgot tells once of each forgetting, of whatever process, what it means for
// what is written and not sent yet.
func (b *Backend) tellForgot() {
	last := b.Store.Forgotten().Last()
	b.mu.Lock()
	before := b.forgotAt
	b.forgotAt = last
	b.mu.Unlock()
	if !last.After(before) {
		return
	}
	b.notify.publish(Notice{Time: time.Now(), Kind: NoticeForgot, Forgot: func(text string) bool {
		return b.Store.Forgotten().HasTyped(text, before)
	}})
}

// forgetAgain and forgetSeldom are how soon what could not be taken out is tried again,
// at first and in the end.
const (
	forgetAgain  = time.Minute
	forgetSeldom = time.Hour
)

// finishForgetting finishes at the start, off its way, and while the app runs, what was
// begun to be forgotten by whatever process: what somebody else was at, or was refused.
func (b *Backend) finishForgetting() {
	b.work.Go(func() {
		wait := forgetAgain
		for {
			if !b.finishOnce() {
				wait = forgetAgain
			}
			timer := time.NewTimer(wait)
			wait = min(2*wait, forgetSeldom)
			select {
			case <-b.ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
		}
	})
}

// finishOnce reports whether something is left to be forgotten.
func (b *Backend) finishOnce() (left bool) {
	if len(b.Store.Forgotten().Unfinished()) == 0 {
		return false
	}
	r, err := b.FinishForgetting(b.ctx)
	if err != nil && b.ctx.Err() == nil {
		b.Logger.Warn("what was being forgotten is not all gone yet, it is tried again", "error", err)
	}
	for _, t := range r.Found {
		if t.Action == forgotten.Refused && !t.Final || t.Action == forgotten.Pending {
			b.Logger.Warn("something that was to be forgotten is still there", "place", t.Place, "file", t.Path, "error", t.Why)
		}
	}
	return err != nil || r.Left() > 0
}

func (b *Backend) forgetter() *forget.Forgetter {
	return forget.New(forget.Params{
		Root: b.Paths.Home, CacheDir: b.Paths.Cache, Store: b.Store, Memory: b.Memory, Logger: b.Logger,
		Index:  lateIndex{b},
		Boards: b.boards, Pair: b.pair,
		Places: []forget.Place{botstate.Forgetter{File: filepath.Join(b.Paths.Home, "discord", "state.db")}},
	})
}

// lateIndex is the search index, opened when it is needed.
type lateIndex struct{ b *Backend }

func (i lateIndex) Chunk(ctx context.Context, id string) (corpus.Chunk, error) {
	index, err := i.b.Recall()
	if err != nil {
		return corpus.Chunk{}, err
	}
	return index.Chunk(ctx, id)
}

func (i lateIndex) Similar(ctx context.Context, text string, limit int) ([]recall.Hit, error) {
	index, err := i.b.Recall()
	if err != nil {
		return nil, err
	}
	return index.Similar(ctx, text, limit)
}

func (i lateIndex) Erase(ctx context.Context, ids, sessions, files []string) error {
	index, err := i.b.Recall()
	if err != nil {
		return err
	}
	return index.Erase(ctx, ids, sessions, files)
}

func (i lateIndex) Changed(paths ...string) { i.b.indexChanged(paths...) }

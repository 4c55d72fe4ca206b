package backend

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mac-stats/app/discord/botstate"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/postgres"
)

// Forgetting takes out everywhere what is to be forgotten.
type Forgetting struct {
	app         *base
	store       *sessionmem.Store
	memory      *memory.Memory
	index       *Index
	shared      *SharedMemory
	compactSoon func(session string)
	mu          sync.Mutex
	forgotAt    time.Time // when what was told of last was forgotten
}

// ForgetPlan finds what a selection means, everywhere, and changes nothing.
func (fg *Forgetting) ForgetPlan(ctx context.Context, s forget.Selection) (*forget.Plan, error) {
	return fg.forgetter().Plan(ctx, s)
}

// Forget forgets what a plan found, and what an earlier forgetting left undone; the
// window is told.
func (fg *Forgetting) Forget(ctx context.Context, p *forget.Plan) (forget.Report, error) {
	return fg.forgot(fg.forgetter().Do(ctx, p))
}

// FinishForgetting finishes what an earlier process began to forget.
func (fg *Forgetting) FinishForgetting(ctx context.Context) (forget.Report, error) {
	return fg.forgot(fg.forgetter().Resume(ctx))
}

// forgot tells of it, in numbers alone.
func (fg *Forgetting) forgot(r forget.Report, err error) (forget.Report, error) {
	if len(r.Found) > 0 {
		fg.app.Logger.Info("something was forgotten", "places", len(r.Found), "refused", r.Refused)
		fg.index.changed()
		fg.indexAgain()
		if fg.app.watching {
			for _, session := range Rebuilt(r) {
				fg.compactSoon(session)
			}
		}
	}
	fg.tellForgot()
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
func (fg *Forgetting) indexAgain() {
	index, err := fg.index.Recall()
	if fg.app.watching || err != nil {
		return
	}
	if s, err := index.Status(fg.app.ctx); err != nil || s.LastSync.IsZero() {
		return
	}
	if _, err := index.Sync(fg.app.ctx); err != nil {
		fg.app.Logger.Warn("what is left of sessions is found again after an indexing", "error", err)
	}
}

// tellForgot tells once of each forgetting, of whatever process, what it means for
// what is written and not sent yet.
func (fg *Forgetting) tellForgot() {
	last := fg.store.Forgotten().Last()
	fg.mu.Lock()
	before := fg.forgotAt
	fg.forgotAt = last
	fg.mu.Unlock()
	if !last.After(before) {
		return
	}
	fg.app.notify.publish(Notice{Time: time.Now(), Kind: NoticeForgot, Forgot: func(text string) bool {
		return fg.store.Forgotten().HasTyped(text, before)
	}})
}

// forgetAgain and forgetSeldom are how soon what could not be taken out is tried again,
// at first and in the end.
const (
	forgetAgain  = time.Minute
	forgetSeldom = time.Hour
)

// keepFinishing finishes at the start, off its way, and while the app runs, what was
// begun to be forgotten by whatever process: what somebody else was at, or was refused.
func (fg *Forgetting) keepFinishing() {
	fg.app.work.Go(func() {
		wait := forgetAgain
		for {
			if !fg.finishOnce() {
				wait = forgetAgain
			}
			timer := time.NewTimer(wait)
			wait = min(2*wait, forgetSeldom)
			select {
			case <-fg.app.ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
		}
	})
}

// finishOnce reports whether something is left to be forgotten.
func (fg *Forgetting) finishOnce() (left bool) {
	if len(fg.store.Forgotten().Unfinished()) == 0 {
		return false
	}
	r, err := fg.FinishForgetting(fg.app.ctx)
	if err != nil && fg.app.ctx.Err() == nil {
		fg.app.Logger.Warn("what was being forgotten is not all gone yet, it is tried again", "error", err)
	}
	for _, t := range r.Found {
		if t.Action == forgotten.Refused && !t.Final || t.Action == forgotten.Pending {
			fg.app.Logger.Warn("something that was to be forgotten is still there", "place", t.Place, "file", t.Path, "error", t.Why)
		}
	}
	return err != nil || r.Left() > 0
}

func (fg *Forgetting) forgetter() *forget.Forgetter {
	return forget.New(forget.Params{
		Root: fg.app.Paths.Home, CacheDir: fg.app.Paths.Cache, Store: fg.store, Memory: fg.memory, Logger: fg.app.Logger,
		Index:  lateIndex{fg.index},
		Boards: fg.shared.boards, Pair: fg.shared.pair,
		Places: []forget.Place{botstate.Forgetter{File: filepath.Join(fg.app.Paths.Home, "discord", "state.db")}},
	})
}

// lateIndex is the search index, opened when it is needed.
type lateIndex struct{ index *Index }

func (i lateIndex) Chunk(ctx context.Context, id string) (corpus.Chunk, error) {
	index, err := i.index.Recall()
	if err != nil {
		return corpus.Chunk{}, err
	}
	return index.Chunk(ctx, id)
}

func (i lateIndex) Similar(ctx context.Context, text string, limit int) ([]recall.Hit, error) {
	index, err := i.index.Recall()
	if err != nil {
		return nil, err
	}
	return index.Similar(ctx, text, limit)
}

func (i lateIndex) Erase(ctx context.Context, ids, sessions, files []string) error {
	index, err := i.index.Recall()
	if err != nil {
		return err
	}
	return index.Erase(ctx, ids, sessions, files)
}

func (i lateIndex) Changed(paths ...string) { i.index.changed(paths...) }

// beforePush has this machine forget what others forgot, and notes where its text goes.
func (fg *Forgetting) beforePush(ctx context.Context, to recall.Server) error {
	s, ok := to.(*postgres.Server)
	if !ok {
		return nil // a broken one, which takes nothing
	}
	if err := fg.shared.note(ctx, s); err != nil {
		return err
	}
	_, err := fg.forgot(fg.forgetter().Exchange(ctx, s))
	return err
}

// forgetPerson erases what somebody wrote on Discord and what was learnt from it; what the
// owner wrote stays.
// What it says is in numbers alone, also with an error.
func (fg *Forgetting) forgetPerson(ctx context.Context, user string) (string, error) {
	plan, err := fg.ForgetPlan(ctx, forget.Selection{Author: user, Lessons: true})
	if err != nil {
		return "", err
	}
	var report forget.Report
	if !plan.Nothing() { // else nothing is noted either: who asks again and again fills no file
		report, err = fg.Forget(ctx, plan)
	}
	done := 0
	for _, t := range report.Found {
		if t.Action != forgotten.Kept && t.Action != forgotten.Refused {
			done++
		}
	}
	if report.Refused > 0 {
		err = errors.Join(err, fmt.Errorf("%d places could not be changed", report.Refused))
	}
	return fmt.Sprintf("Erased in %d places of the transcripts and the memory.", done), err
}

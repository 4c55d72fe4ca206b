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

// Forgetting removes from every store what people want forgotten.
type Forgetting struct {
	app         *base
	store       *sessionmem.Store
	memory      *memory.Memory
	index       *Index
	shared      *SharedMemory
	compactSoon func(session string)
	changed     func() // called when something was forgotten
	mu          sync.Mutex
	forgotAt    time.Time // time of the last forgetting that was announced
}

// ForgetPlan finds everything that a selection covers and changes nothing.
func (fg *Forgetting) ForgetPlan(ctx context.Context, s forget.Selection) (*forget.Plan, error) {
	return fg.forgetter().Plan(ctx, s)
}

// Forget removes what a plan found and finishes earlier forgettings; the window is
// notified.
func (fg *Forgetting) Forget(ctx context.Context, p *forget.Plan) (forget.Report, error) {
	return fg.forgot(fg.forgetter().Do(ctx, p))
}

// FinishForgetting finishes a forgetting that an earlier process began.
func (fg *Forgetting) FinishForgetting(ctx context.Context) (forget.Report, error) {
	return fg.forgot(fg.forgetter().Resume(ctx))
}

// forgot notifies the window of a forgetting and logs it, in numbers only.
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
	fg.notifyForgotten()
	return r, err
}

// Rebuilt returns the sessions whose Summary a forgetting rebuilt without a model.
func Rebuilt(r forget.Report) []string {
	var sessions []string
	for _, t := range r.Found {
		if t.Action == forgotten.Rebuilt && !slices.Contains(sessions, t.Session) {
			sessions = append(sessions, t.Session)
		}
	}
	return sessions
}

// indexAgain indexes the rest of erased sessions if no other process keeps the index up to
// date. An index that was never complete is left to the process that completes it.
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

// notifyForgotten announces each forgetting once, by whichever process, so that drafts and
// queued messages can be checked.
func (fg *Forgetting) notifyForgotten() {
	last := fg.store.Forgotten().Last()
	fg.mu.Lock()
	before := fg.forgotAt
	fg.forgotAt = last
	fg.mu.Unlock()
	if !last.After(before) {
		return
	}
	fg.changed() // what is being prepared may hold it
	fg.app.notify.publish(Notice{Time: time.Now(), Kind: NoticeForgot, Forgot: func(text string) bool {
		return fg.store.Forgotten().HasTyped(text, before)
	}})
}

// forgetAgain and forgetSeldom are the first and the longest delay before a failed removal
// is retried.
const (
	forgetAgain  = time.Minute
	forgetSeldom = time.Hour
)

// keepFinishing finishes unfinished forgettings of any process, in the background, at
// startup and while the app runs: another process may still be at work, or the disk may
// have refused.
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

// finishOnce reports whether something is left to forget.
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
		Index:   lateIndex{fg.index},
		Servers: fg.shared.servers,
		Places:  []forget.Place{botstate.Forgetter{File: filepath.Join(fg.app.Paths.Home, "discord", "state.db")}},
	})
}

// lateIndex opens the search index on first use.
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

func (i lateIndex) Changed() { i.index.changed() }

// beforeCopy notes the server that is about to get this machine's text, and removes from it what
// was forgotten here and other machines copied there since.
func (fg *Forgetting) beforeCopy(ctx context.Context, to recall.Server) error {
	s, ok := to.(*postgres.Server)
	if !ok {
		return nil // the servers of tests hold nothing
	}
	if err := fg.shared.note(ctx, s); err != nil {
		return err
	}
	return fg.forgetter().Sweep(ctx, s)
}

// forgottenElsewhere forgets what another machine forgot of this one.
func (fg *Forgetting) forgottenElsewhere(ctx context.Context, all []corpus.Chunk) error {
	_, err := fg.forgot(fg.forgetter().Adopt(ctx, all))
	return err
}

// forgetPerson erases what somebody wrote on Discord and the lessons from it; the owner's
// own messages stay. Its report and its error contain only numbers.
func (fg *Forgetting) forgetPerson(ctx context.Context, user string) (string, error) {
	plan, err := fg.ForgetPlan(ctx, forget.Selection{Author: user, Lessons: true})
	if err != nil {
		return "", err
	}
	var report forget.Report
	if !plan.Nothing() { // otherwise nothing is recorded either, so that repeated requests fill no file
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

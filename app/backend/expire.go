package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/sessionstate"
)

// warnAhead is how long before its first deletion the user is told of it.
const warnAhead = 24 * time.Hour

// expirer moves archived sessions beyond session.delete_after to the trash, once a
// day. Before the first time, before the first time with a shorter age, and before
// one goes again that was brought back, it says how many they are and waits for a day.
type expirer struct {
	store  *sessionmem.Store
	after  func() time.Duration // session.delete_after now; 0 is never
	warn   func(count int, from time.Time)
	unwarn func() // nothing is going to be deleted
	moved  func(sessions []string)
	logger *slog.Logger
}

func (e *expirer) pass(ctx context.Context) {
	if err := e.try(ctx, e.after()); err != nil && ctx.Err() == nil {
		e.logger.Warn("not all old sessions were deleted; they stay until tomorrow", "error", err)
	}
}

func (e *expirer) try(ctx context.Context, after time.Duration) error {
	state := e.store.State()
	told, err := state.Warning()
	if err != nil {
		return err // nothing is known of pins either
	}
	marks, err := state.Marks()
	if err != nil {
		return err
	}
	rule := sessionmem.ExpireRule{After: after, Keep: marks.Pinned}
	old, err := e.store.Expired(ctx, rule)
	if err != nil {
		return err
	}
	if len(old) == 0 {
		e.unwarn()
		if after > 0 && told.Used || told.At.IsZero() {
			return nil
		}
		return state.SetWarning(ctx, sessionstate.Warning{}) // switched off, or all kept: the next time is a first time
	}
	if told, err = e.announced(ctx, told, after, marks.LastBack(old)); err != nil {
		return err
	}
	if from := told.At.Add(warnAhead); time.Now().Before(from) {
		e.logger.Info("old sessions are going to be deleted", "sessions", len(old), "from", from)
		e.warn(len(old), from)
		return nil
	}
	e.unwarn()
	return e.delete(ctx, rule, told)
}

// announced is the warning that what is deleted now was told of by; one that doesn't
// hold for it is given anew. back is when one of them was brought back last.
func (e *expirer) announced(ctx context.Context, told sessionstate.Warning, after time.Duration, back time.Time) (sessionstate.Warning, error) {
	now := time.Now()
	if !told.At.IsZero() && !told.At.After(now) && after >= told.After && !told.At.Before(back) {
		return told, nil
	}
	told = sessionstate.Warning{At: now, After: after}
	return told, e.store.State().SetWarning(ctx, told)
}

// delete moves old sessions to the trash and notes that the warning was used.
func (e *expirer) delete(ctx context.Context, rule sessionmem.ExpireRule, told sessionstate.Warning) error {
	moved, err := e.store.DeleteExpired(ctx, rule)
	if len(moved) == 0 {
		return err
	}
	if !told.Used {
		told.Used = true
		err = errors.Join(err, e.store.State().SetWarning(ctx, told))
	}
	e.logger.Info("old sessions were moved to the trash", "sessions", len(moved))
	e.moved(moved)
	return err
}

// deleteNotice says what is going to be deleted and how to keep it.
func deleteNotice(count int, age string, from time.Time) Notice {
	return Notice{
		Kind: NoticeDelete,
		Text: fmt.Sprintf("%s untouched for %s will be moved to the trash after %s (session.delete_after).",
			countSessions(count), age, from.Format("Jan 2, 15:04")),
		Next: "To keep one, pin it. To keep all, set session.delete_after to never. In session/.trash they stay until you empty that folder; `mac-stats sessions delete --undo NAME` brings one back.",
	}
}

func countSessions(n int) string {
	if n == 1 {
		return "1 archived session"
	}
	return fmt.Sprintf("%d archived sessions", n)
}

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

// warnAhead is how long in advance the user is warned of a first deletion.
const warnAhead = 24 * time.Hour

// expirer moves archived sessions older than session.delete_after to the trash, once a day.
// It warns with the number of sessions and waits a day before the first deletion, before
// the first one with a shorter age, and before it deletes a restored session again.
type expirer struct {
	store  *sessionmem.Store
	after  func() time.Duration // the current session.delete_after; 0 means never
	warn   func(count int, from time.Time)
	unwarn func() // withdraws the warning
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
	warning, err := state.Warning()
	if err != nil {
		return err // then the pins are unknown too
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
		if after > 0 && warning.Used || warning.At.IsZero() {
			return nil
		}
		return state.SetWarning(ctx, sessionstate.Warning{}) // off, or all kept: the next deletion counts as a first one
	}
	if warning, err = e.announced(ctx, warning, after, marks.LastBack(old)); err != nil {
		return err
	}
	if from := warning.At.Add(warnAhead); time.Now().Before(from) {
		e.logger.Info("old sessions are going to be deleted", "sessions", len(old), "from", from)
		e.warn(len(old), from)
		return nil
	}
	e.unwarn()
	return e.delete(ctx, rule, warning)
}

// announced returns the warning that covers today's deletion. If the given one doesn't, it
// warns again. back is when the last of the sessions was restored.
func (e *expirer) announced(ctx context.Context, warning sessionstate.Warning, after time.Duration, back time.Time) (sessionstate.Warning, error) {
	now := time.Now()
	if !warning.At.IsZero() && !warning.At.After(now) && after >= warning.After && !warning.At.Before(back) {
		return warning, nil
	}
	warning = sessionstate.Warning{At: now, After: after}
	return warning, e.store.State().SetWarning(ctx, warning)
}

// delete moves old sessions to the trash and marks the warning as used.
func (e *expirer) delete(ctx context.Context, rule sessionmem.ExpireRule, warning sessionstate.Warning) error {
	moved, err := e.store.DeleteExpired(ctx, rule)
	if len(moved) == 0 {
		return err
	}
	if !warning.Used {
		warning.Used = true
		err = errors.Join(err, e.store.State().SetWarning(ctx, warning))
	}
	e.logger.Info("old sessions were moved to the trash", "sessions", len(moved))
	e.moved(moved)
	return err
}

// deleteNotice warns of a deletion and says how to keep the sessions.
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

package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/sessionstate"
	"mac-stats/sessionmem/transcript"
)

// errNotExpired means that a session due for deletion by age is no longer old enough.
var errNotExpired = errors.New("it is not to be deleted any more")

// ExpireRule defines which archived sessions are deleted by their age.
type ExpireRule struct {
	// After is how long ago the last block must be; zero or less deletes nothing.
	After time.Duration
	// Keep reports whether a session stays (pinned, open); may be nil.
	Keep func(name string) bool
}

// expired reports whether the session of this list entry is due. A session is never due if
// it can't be read, has a newer format, or is an older file of a session with a newer one. The
// age of one that was brought back from the trash counts from then.
func (r ExpireRule) expired(info transcript.Info, marks sessionstate.Marks, now time.Time) bool {
	used := info.Active
	if back := marks.Back(info.Name); back.After(used) {
		used = back
	}
	return r.After > 0 && info.Archived && !info.ReadOnly && info.Err == nil && transcript.CheckName(info.Name) == nil &&
		now.Sub(used) >= r.After && (r.Keep == nil || !r.Keep(info.Name))
}

// Expired returns the sessions that DeleteExpired would delete now. A session that was
// deleted by age and exists again was brought back: Expired notes that, and its age counts
// from now on.
func (l *library) Expired(ctx context.Context, rule ExpireRule) ([]transcript.Info, error) {
	if rule.After <= 0 {
		return nil, nil
	}
	list, err := l.catalog.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking for old sessions: %w", err)
	}
	marks, err := l.state.Marks()
	if err != nil {
		return nil, err
	}
	var out []transcript.Info
	var back []string
	for _, info := range list {
		switch {
		case !rule.expired(info, marks, time.Now()):
		case marks.Expired(info.Name):
			back = append(back, info.Name)
		default:
			out = append(out, info)
		}
	}
	return out, l.state.BroughtBack(ctx, back)
}

// DeleteExpired moves archived sessions of the rule's age to .trash, as Delete does,
// and returns their names. One that is in use stays. The errors of all that could
// not be moved are returned together.
func (l *library) DeleteExpired(ctx context.Context, rule ExpireRule) (deleted []string, err error) {
	list, err := l.Expired(ctx, rule)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(list))
	for i, info := range list {
		names[i] = info.Name
	}
	now := time.Now().Truncate(time.Millisecond)
	// Marked before they move: after a crash in between, a session that is still there stays
	// for a while longer.
	if err := l.state.SetExpired(ctx, names, now); err != nil {
		return nil, err
	}
	var errs []error
	for _, info := range list {
		if ctx.Err() != nil {
			errs = append(errs, ctx.Err())
			break
		}
		err := l.sessions.Session(info.Name).Moves().Delete(ctx, func() error { return l.stillExpired(info, rule) }, l.trash.Put)
		switch {
		case err == nil:
			deleted = append(deleted, info.Name)
		case errors.Is(err, session.ErrBusy), errors.Is(err, sessiondir.ErrReplaced), errors.Is(err, errNotExpired), errors.Is(err, session.ErrNotFound):
			l.logger.Debug("an old session is in use and not deleted", "session", info.Name, "err", err)
		default:
			errs = append(errs, fmt.Errorf("deleting %s: %w", info.Name, err))
		}
	}
	stayed := slices.DeleteFunc(names, func(name string) bool { return slices.Contains(deleted, name) })
	errs = append(errs, l.state.SetExpired(context.WithoutCancel(ctx), stayed, time.Time{}))
	return deleted, errors.Join(errs...)
}

// stillExpired checks again under the session's locks.
func (l *library) stillExpired(info transcript.Info, rule ExpireRule) error {
	parts, err := l.catalog.OfInfo(info)
	if err != nil {
		return err
	}
	marks, err := l.state.Marks()
	if err == nil && !rule.expired(l.catalog.Info(parts), marks, time.Now()) {
		err = errNotExpired
	}
	return err
}

package sessionmem

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/sessiondir"
	"mac-stats/sessionmem/transcript"
)

// endedAfter is how long a session that was reset stays in place: its next message
// usually comes soon.
const endedAfter = 24 * time.Hour

// ArchiveRule defines which transcripts are finished.
type ArchiveRule struct {
	// After is how long a session must be untouched; zero or less archives nothing. A
	// session that ended (its last block is a reset) is finished after a day, or after
	// After if that is shorter.
	After time.Duration
	// Keep reports whether a session stays in place (pinned, open); may be nil.
	Keep func(name string) bool
}

// finished reports whether the session of this list entry belongs in the archive.
func (r ArchiveRule) finished(info transcript.Info, now time.Time) bool {
	if r.After <= 0 || info.Err != nil || info.Path == "" || transcript.CheckName(info.Name) != nil {
		return false
	}
	after := r.After
	if info.Ended {
		after = min(after, endedAfter)
	}
	return now.Sub(info.Active) >= after && (r.Keep == nil || !r.Keep(info.Name))
}

// Archive moves finished transcripts to archive/<YYYY-MM>/, by the month of their
// last block, and returns the names of their sessions. Each is copied, synced and
// compared before the original is removed. A session whose turn is running stays.
// Archived sessions are listed and loaded as before; the next block brings one back.
// A transcript that can't be moved stays; all errors are returned together.
func (l *library) Archive(ctx context.Context, rule ArchiveRule) (moved []string, err error) {
	list, err := l.catalog.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("archiving: %w", err)
	}
	var errs []error
	for _, info := range list {
		if ctx.Err() != nil {
			return moved, errors.Join(append(errs, ctx.Err())...)
		}
		if info.Archived || !rule.finished(info, time.Now()) {
			continue
		}
		finished := func(info transcript.Info) bool { return rule.finished(info, time.Now()) }
		switch err := l.sessions.Session(info.Name).Moves().Archive(ctx, info, rule.After, finished); {
		case err == nil:
			moved = append(moved, info.Name)
		case errors.Is(err, session.ErrBusy), errors.Is(err, sessiondir.ErrReplaced):
			l.logger.Debug("a session is in use and not archived", "session", info.Name, "err", err)
		default:
			errs = append(errs, fmt.Errorf("archiving %s: %w", info.Name, err))
		}
	}
	return moved, errors.Join(errs...)
}

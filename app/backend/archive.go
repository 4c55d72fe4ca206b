package backend

import (
	"context"
	"log/slog"
	"time"

	"mac-stats/sessionmem"
)

const (
	// firstTidy is the delay before the first pass over the sessions: startup is busy
	// enough without it.
	firstTidy = 10 * time.Minute
	tidyEvery = 24 * time.Hour

	// restEvery is how often the app releases the memory of sessions that nobody has used
	// within restAfter.
	restEvery = 10 * time.Minute
	restAfter = 30 * time.Minute
)

// archivist moves finished transcripts to the archive once a day while the app runs. Passes
// never overlap, and a pass missed during sleep is not made up for.
type archivist struct {
	archive func(context.Context, sessionmem.ArchiveRule) ([]string, error)
	after   func() time.Duration // the current session.archive_after; 0 means never
	pinned  func() (keep func(session string) bool, err error)
	moved   func(sessions []string)
	logger  *slog.Logger
	then    func(context.Context) // other daily work; may be nil
}

// run works until ctx is done.
func (a *archivist) run(ctx context.Context) {
	timer := time.NewTimer(firstTidy)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			a.pass(ctx)
			if a.then != nil {
				a.then(ctx)
			}
			timer.Reset(tidyEvery)
		}
	}
}

func (a *archivist) pass(ctx context.Context) {
	after := a.after()
	if after <= 0 {
		return
	}
	keep, err := a.pinned()
	if err != nil {
		a.logger.Warn("no session is archived today: which ones are pinned can't be read", "error", err)
		return
	}
	moved, err := a.archive(ctx, sessionmem.ArchiveRule{After: after, Keep: keep})
	if err != nil && ctx.Err() == nil {
		a.logger.Warn("not all finished sessions were archived; they stay where they are until tomorrow", "error", err)
	}
	if len(moved) > 0 {
		a.logger.Info("finished sessions were archived", "sessions", len(moved))
		a.moved(moved)
	}
}

// restIdle keeps only the sessions in use in the memory of a long-running app.
func restIdle(ctx context.Context, rest func(idle time.Duration) int) {
	ticker := time.NewTicker(restEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			rest(restAfter)
		}
	}
}

package backend

import (
	"context"
	"time"

	"mac-stats/app/config"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/wholefile"
)

// housekeeper looks after the written sessions: it archives, releases and expires them, and
// retries failed writes.
type housekeeper struct {
	app             *base
	store           *sessionmem.Store
	memory          *memory.Memory
	refused         *refusals
	sessionsChanged func(session string)
}

// tidy archives finished sessions, releases idle ones and removes temporary files of killed
// programs, in the background until Close.
func (hk *housekeeper) tidy() {
	hk.app.work.Go(func() { hk.sweep(hk.app.ctx) })
	a := hk.archivist()
	hk.app.work.Go(func() { a.run(hk.app.ctx) })
	hk.app.work.Go(func() { restIdle(hk.app.ctx, hk.store.Sessions().Rest) })
}

// sweep removes the temporary files of programs that were killed while writing, except
// those that an editor may still have open.
func (hk *housekeeper) sweep(ctx context.Context) {
	for _, dir := range []string{hk.app.Paths.Home, hk.app.Paths.Cache} {
		removed, err := wholefile.Sweep(ctx, dir, hk.memory.Replaced()...)
		if err != nil && ctx.Err() == nil {
			hk.app.Logger.Info("half-written files of a killed program stay until tomorrow", "error", err)
		}
		if len(removed) > 0 {
			hk.app.Logger.Info("half-written files of a killed program were removed", "files", len(removed), "folder", dir)
		}
	}
}

func (hk *housekeeper) archivist() *archivist {
	return &archivist{
		archive: hk.store.Archive,
		after:   func() time.Duration { return hk.app.Config().Session.ArchiveAfter },
		pinned: func() (func(string) bool, error) {
			marks, err := hk.store.State().Marks()
			return marks.Pinned, err
		},
		moved:  func([]string) { hk.sessionsChanged("") },
		logger: hk.app.Logger,
		then: func(ctx context.Context) {
			hk.sweep(ctx)
			hk.expirer().pass(ctx)
			if err := hk.store.Sessions().ExpireRemoved(ctx); err != nil && ctx.Err() == nil {
				hk.app.Logger.Info("what was removed from some sessions stays in their journals until tomorrow", "error", err)
			}
			if _, err := hk.store.State().Prune(ctx); err != nil {
				hk.app.Logger.Debug("marks of sessions that are gone stay", "error", err)
			}
		},
	}
}

func (hk *housekeeper) expirer() *expirer {
	return &expirer{
		store: hk.store,
		after: func() time.Duration { return hk.app.Config().Session.DeleteAfter },
		warn: func(count int, from time.Time) {
			age, _ := config.Lookup("session.delete_after")
			hk.app.dropNotices(NoticeDelete)
			hk.app.addNotice(deleteNotice(count, age.Value(hk.app.Config()), from))
		},
		unwarn: func() { hk.app.dropNotices(NoticeDelete) },
		moved: func(sessions []string) {
			hk.app.notify.publish(Notice{Time: time.Now(), Kind: NoticeSessions, Text: countSessions(len(sessions)) + " moved to the trash, being older than session.delete_after"})
		},
		logger: hk.app.Logger,
	}
}

// retrySaves retries writes that the disk refused and reports on them, until Close.
func (hk *housekeeper) retrySaves() {
	hk.app.work.Go(func() { hk.store.Sessions().KeepSaving(hk.app.ctx) })
	hk.app.work.Go(func() {
		for {
			select {
			case <-hk.app.ctx.Done():
				return
			case <-hk.refused.wake:
				for _, u := range hk.refused.take() {
					hk.notifyRefused(u)
				}
			}
		}
	})
}

// notifyRefused keeps one notice per session while its messages wait for the disk.
func (hk *housekeeper) notifyRefused(u session.Refused) {
	waited := hk.app.dropNoticesOf(NoticeUnsaved, u.Session)
	if u.Blocks > 0 {
		hk.app.addNotice(unsavedNotice(u))
		return
	}
	if waited {
		hk.app.notify.publish(Notice{Time: time.Now(), Kind: NoticeReload, Text: "what waited to be saved is on disk now"})
		hk.sessionsChanged(u.Session)
	}
}

package cpuwindow

import (
	"slices"

	"mac-stats/app/backend"
	"mac-stats/app/cpuwindow/schedules"
	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/i18n"
)

// After a crash the notice bar tells of it until it is dismissed, here or at a later
// start, and puts the report into the clipboard.

// tellFirst tells of what happened before the window was made: a crash of the start
// before, else what of the system can't be as it is set.
func (w *Window) tellFirst() {
	all := w.parts.notices()
	for _, kind := range []backend.NoticeKind{backend.NoticeCrash, backend.NoticeMissing, backend.NoticeHotkey, backend.NoticeLogin, backend.NoticeAPI, backend.NoticeBadTimes} {
		if i := slices.IndexFunc(all, func(n backend.Notice) bool { return n.Kind == kind }); i >= 0 {
			w.tellOf(all[i])
			return
		}
	}
}

// tellOf shows a notice of the backend, with what can be done about it.
func (w *Window) tellOf(n backend.Notice) {
	switch n.Kind {
	case backend.NoticeDiscord:
		w.tell(settings.BotWords(n.Text), settings.BotWords(n.Next))
	case backend.NoticeMissing:
		w.tellMissing(n)
	default:
		w.tell(schedules.Told(n.Text), schedules.Told(n.Next))
	}
	w.told = &n
	if n.Kind == backend.NoticeCrash {
		w.notice.offerTo(i18n.T("Copy diagnostics"), w.copyDiagnostics)
		w.center.Refresh()
	}
}

// onDismissed is what follows when the notice bar was dismissed.
func (w *Window) onDismissed() {
	told := w.told
	w.told = nil
	if told == nil {
		w.place = ""
	} else {
		w.tell(w.place, "") // it had to wait
	}
	if told != nil && told.Kind == backend.NoticeCrash {
		go func() {
			if err := w.parts.crashes.DismissCrashes(); err != nil {
				w.p.Do(func() {
					w.tell(i18n.With("The crash report can't be put away: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("You'll be reminded at the next start."))
				})
			}
		}()
	}
	w.center.Refresh()
}

// copyDiagnostics puts the crash reports into the clipboard.
func (w *Window) copyDiagnostics() {
	go func() {
		text, err := w.parts.crashes.CrashReport()
		w.p.Do(func() {
			if err != nil {
				w.tell(i18n.With("The crash report can't be copied: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("It is in the folder `logs` of the data folder."))
				return
			}
			w.p.App.Clipboard().SetContent(text)
			w.notice.offerTo(i18n.T("Copied"), w.copyDiagnostics)
		})
	}()
}

package cpuwindow

import (
	"slices"

	"mac-stats/app/backend"
)

// After a crash the notice bar tells of it until it is dismissed, here or at a later
// start, and puts the report into the clipboard.

// tellOfCrash tells of a crash from before this start.
func (w *Window) tellOfCrash() {
	all := w.parts.notices()
	if i := slices.IndexFunc(all, func(n backend.Notice) bool { return n.Kind == backend.NoticeCrash }); i >= 0 {
		w.tellOf(all[i])
	}
}

// tellOf shows a notice of the backend, with what can be done about it.
func (w *Window) tellOf(n backend.Notice) {
	w.tell(n.Text, n.Next)
	w.told = &n
	if n.Kind == backend.NoticeCrash {
		w.notice.offerTo("Copy diagnostics", w.copyDiagnostics)
		w.center.Refresh()
	}
}

// tellsOfCrash reports whether the notice bar tells of a crash now.
func (w *Window) tellsOfCrash() bool { return w.told != nil && w.told.Kind == backend.NoticeCrash }

// onDismissed is what follows when the notice bar was dismissed.
func (w *Window) onDismissed() {
	crashed := w.tellsOfCrash()
	w.told = nil
	if crashed {
		w.tell(w.place, "") // it had to wait
		go func() {
			if err := w.parts.crashes.DismissCrashes(); err != nil {
				w.p.Do(func() {
					w.tell("The crash report can't be put away: "+err.Error(), "You are told of it again at the next start.")
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
				w.tell("The crash report can't be copied: "+err.Error(), "It is in the folder `logs` of the data folder.")
				return
			}
			w.p.App.Clipboard().SetContent(text)
			w.notice.offerTo("Copied", w.copyDiagnostics)
		})
	}()
}

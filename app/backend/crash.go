package backend

import (
	"fmt"
	"path/filepath"
	"strings"

	"mac-stats/app/crash"
)

// Crashes holds the crash reports of the app.
type Crashes struct{ app *base }

// watch prepares a report for a crash of this process, and posts a notice about earlier
// crashes until they are dismissed. The demo has no reports, because its folder is
// temporary.
func (cr *Crashes) watch() {
	if cr.app.Demo || !cr.app.watching {
		return
	}
	w, err := crash.Start(cr.app.Paths.Home, cr.app.Version)
	if err != nil {
		cr.app.Logger.Warn("crash reports don't work as they should", "error", err)
	}
	if w != nil {
		cr.app.closers = append(cr.app.closers, w.Stop)
	}
	if unseen := cr.unseen(); len(unseen) > 0 {
		cr.app.addNotice(crashNotice(unseen, cr.app.Paths.Home))
	}
}

// unseen returns the reports that nobody has dismissed, newest first.
func (cr *Crashes) unseen() []crash.Report {
	reports, err := crash.Reports(cr.app.Paths.Home)
	if err != nil {
		cr.app.Logger.Warn("not all crash reports can be read", "error", err)
	}
	var unseen []crash.Report
	for _, r := range reports {
		if !r.Seen {
			unseen = append(unseen, r)
		}
	}
	return unseen
}

// crashNotice words a notice about the newest of some crashes.
func crashNotice(unseen []crash.Report, home string) Notice {
	r := unseen[0]
	text := "mac-stats stopped unexpectedly on " + r.Time.Format("2 January at 15:04")
	if n := len(unseen); n > 1 {
		text = fmt.Sprintf("mac-stats stopped unexpectedly %d times, the last time on %s", n, r.Time.Format("2 January at 15:04"))
	}
	place := r.Path
	if rel, err := filepath.Rel(home, r.Path); err == nil {
		place = filepath.ToSlash(rel)
	}
	return Notice{
		Kind: NoticeCrash,
		Text: text,
		Next: "What was said is in its transcript. A report without any text of yours is in `" + place + "`: copy it into a report of the bug.",
	}
}

// CrashReport returns the text of the crash reports that nobody has dismissed, newest
// first; "" if there are none.
func (cr *Crashes) CrashReport() (string, error) {
	var texts []string
	for _, r := range cr.unseen() {
		text, err := r.Text()
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n"), nil
}

// DismissCrashes marks the crash reports as seen; they stay in the folder of logs.
func (cr *Crashes) DismissCrashes() error {
	for _, r := range cr.unseen() {
		if err := r.Dismiss(); err != nil {
			return err
		}
	}
	cr.app.dropNotices(NoticeCrash)
	return nil
}

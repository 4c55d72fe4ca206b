// Package notices is the bar below the header: what the user should read, with what can be
// done about it.
//
// What the backend tells comes first: a crash of the start before, lines that another
// program's save took out of the memory, a hotkey that is taken. What else the window has to
// say is said until something newer comes; the notice of the place (no tray icon) waits
// behind both. A notice stays until it is dismissed or no longer holds. After a crash it
// puts the report into the clipboard. All methods are called on the UI goroutine.
package notices

import (
	"context"
	"slices"

	"mac-stats/app/backend"
	"mac-stats/app/cpuwindow/schedules"
	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/memory"
)

// Host is what the notices need of the window.
type Host interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // ends with the window
	Copy(text string)
	NoticeChanged() // the bar may have another height
}

// Parts is what the notices work on; all is required.
type Parts struct {
	Current  func() []backend.Notice // those that hold now
	Memories Memories
	Decided  func() // the user decided about missing lines
	Crashes  Crashes
}

// Memories puts lines back. Off the UI goroutine.
type Memories interface {
	Restore(ctx context.Context, ids ...string) ([]memory.Written, error)
}

// Crashes is what is left of the app's crashes. Off the UI goroutine.
type Crashes interface {
	CrashReport() (string, error)
	DismissCrashes() error
}

// Notices is what is told now.
type Notices struct {
	Bar   *Bar
	host  Host
	parts Parts
	place string          // what SetPlace said last
	told  *backend.Notice // in the bar, where it came from the backend
}

// New tells nothing yet.
func New(h Host, p Parts) *Notices {
	n := &Notices{host: h, parts: p}
	n.Bar = newBar(n.dismissed)
	return n
}

// Show shows a notice; "" removes it.
func (n *Notices) Show(text, next string) {
	n.told = nil
	n.Bar.set(text, next)
	n.host.NoticeChanged()
}

// SetPlace shows what is said of the place the app runs in; "" takes it away. What the
// backend tells comes first.
func (n *Notices) SetPlace(text string) {
	n.place = text
	if n.told == nil {
		n.Show(text, "")
	}
}

// DropStale takes the notice that is shown away, where it no longer holds.
func (n *Notices) DropStale() {
	if n.told == nil {
		return
	}
	if slices.ContainsFunc(n.parts.Current(), func(h backend.Notice) bool { return h.Text == n.told.Text }) {
		return
	}
	n.Show(n.place, "")
}

// ShowFirst tells of what happened before the window was made: a crash of the start
// before, else what of the system can't be as it is set.
func (n *Notices) ShowFirst() {
	all := n.parts.Current()
	for _, kind := range []backend.NoticeKind{backend.NoticeCrash, backend.NoticeMissing, backend.NoticeHotkey, backend.NoticeLogin, backend.NoticeAPI, backend.NoticeBadTimes} {
		if i := slices.IndexFunc(all, func(h backend.Notice) bool { return h.Kind == kind }); i >= 0 {
			n.ShowNotice(all[i])
			return
		}
	}
}

// ShowNotice shows a notice of the backend, with what can be done about it.
func (n *Notices) ShowNotice(of backend.Notice) {
	switch of.Kind {
	case backend.NoticeDiscord:
		n.Show(settings.BotWords(of.Text), settings.BotWords(of.Next))
	case backend.NoticeMissing:
		n.tellMissing(of.Missing)
	default:
		n.Show(schedules.Told(of.Text), schedules.Told(of.Next))
	}
	n.told = &of
	if of.Kind == backend.NoticeCrash {
		n.Bar.offerTo(i18n.T("Copy diagnostics"), n.copyDiagnostics)
		n.host.NoticeChanged()
	}
}

// dismissed is what follows when the notice bar was dismissed.
func (n *Notices) dismissed() {
	told := n.told
	n.told = nil
	if told == nil {
		n.place = ""
	} else {
		n.Show(n.place, "") // it had to wait
	}
	if told != nil && told.Kind == backend.NoticeCrash {
		go func() {
			if err := n.parts.Crashes.DismissCrashes(); err != nil {
				n.host.Do(func() {
					n.Show(i18n.With("The crash report can't be dismissed: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("You'll be reminded at the next start."))
				})
			}
		}()
	}
	n.host.NoticeChanged()
}

// copyDiagnostics puts the crash reports into the clipboard.
func (n *Notices) copyDiagnostics() {
	go func() {
		text, err := n.parts.Crashes.CrashReport()
		n.host.Do(func() {
			if err != nil {
				n.Show(i18n.With("The crash report can't be copied: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("It is in the folder `logs` of the data folder."))
				return
			}
			n.host.Copy(text)
			n.Bar.offerTo(i18n.T("Copied"), n.copyDiagnostics)
		})
	}()
}

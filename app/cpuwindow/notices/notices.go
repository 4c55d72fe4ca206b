// Package notices is the bar below the header. It shows what the user should know, with an
// action where there is one.
//
// Notices of the backend come first: a crash of the previous run, lines that another program
// removed from the memory, a hotkey that is taken. Other notices of the window stay until a
// newer one replaces them. The notice about the place the app runs in (no tray icon) is shown
// when there is no other. A notice stays until it is dismissed or no longer true. The notice of
// a crash offers to copy the crash report. All methods are called on the UI goroutine.
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

// Host is what the notices need from the window.
type Host interface {
	Do(f func())              // runs f on the UI goroutine, later
	Context() context.Context // ends with the window
	Copy(text string)
	NoticeChanged() // the height of the bar may have changed
}

// Parts holds what the notices work on. All fields are required.
type Parts struct {
	Current  func() []backend.Notice // the notices that are true now
	Memories Memories
	Decided  func() // called when the user has decided about missing lines
	Crashes  Crashes
}

// Memories restores lines. It is called off the UI goroutine.
type Memories interface {
	Restore(ctx context.Context, ids ...string) ([]memory.Written, error)
}

// Crashes reads and dismisses crash reports. Its methods are called off the UI goroutine.
type Crashes interface {
	CrashReport() (string, error)
	DismissCrashes() error
}

// Notices holds the current notice.
type Notices struct {
	Bar   *Bar
	host  Host
	parts Parts
	place string          // what SetPlace said last
	shown *backend.Notice // the notice of the backend in the bar; nil for any other
}

// New returns an empty, hidden bar.
func New(h Host, p Parts) *Notices {
	n := &Notices{host: h, parts: p}
	n.Bar = newBar(n.onDismiss)
	return n
}

// Show shows a notice; "" removes it.
func (n *Notices) Show(text, next string) {
	n.shown = nil
	n.Bar.set(text, next)
	n.host.NoticeChanged()
}

// SetPlace sets the notice about the place the app runs in; "" removes it. A notice of the
// backend comes first.
func (n *Notices) SetPlace(text string) {
	n.place = text
	if n.shown == nil {
		n.Show(text, "")
	}
}

// DropStale removes the shown notice of the backend if it is no longer true.
func (n *Notices) DropStale() {
	if n.shown == nil {
		return
	}
	if slices.ContainsFunc(n.parts.Current(), func(h backend.Notice) bool { return h.Text == n.shown.Text }) {
		return
	}
	n.Show(n.place, "")
}

// ShowFirst shows what happened before the window was built: a crash of the previous run,
// otherwise a setting of the system that couldn't be applied.
func (n *Notices) ShowFirst() {
	all := n.parts.Current()
	for _, kind := range []backend.NoticeKind{backend.NoticeCrash, backend.NoticeMissing, backend.NoticeHotkey, backend.NoticeLogin, backend.NoticeAPI, backend.NoticeBadTimes} {
		if i := slices.IndexFunc(all, func(h backend.Notice) bool { return h.Kind == kind }); i >= 0 {
			n.ShowNotice(all[i])
			return
		}
	}
}

// ShowNotice shows a notice of the backend, with its action.
func (n *Notices) ShowNotice(of backend.Notice) {
	switch of.Kind {
	case backend.NoticeDiscord:
		n.Show(settings.BotWords(of.Text), settings.BotWords(of.Next))
	case backend.NoticeMissing:
		n.showMissing(of.Missing)
	default:
		n.Show(schedules.Translate(of.Text), schedules.Translate(of.Next))
	}
	n.shown = &of
	if of.Kind == backend.NoticeCrash {
		n.Bar.setAction(i18n.T("Copy diagnostics"), n.copyDiagnostics)
		n.host.NoticeChanged()
	}
}

// onDismiss shows the next notice after the user dismissed one.
func (n *Notices) onDismiss() {
	shown := n.shown
	n.shown = nil
	if shown == nil {
		n.place = ""
	} else {
		n.Show(n.place, "") // it waited behind the other one
	}
	if shown != nil && shown.Kind == backend.NoticeCrash {
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

// copyDiagnostics copies the crash reports to the clipboard.
func (n *Notices) copyDiagnostics() {
	go func() {
		text, err := n.parts.Crashes.CrashReport()
		n.host.Do(func() {
			if err != nil {
				n.Show(i18n.With("The crash report can't be copied: {{.Error}}", i18n.Places{"Error": err.Error()}), i18n.T("It is in the folder `logs` of the data folder."))
				return
			}
			n.host.Copy(text)
			n.Bar.setAction(i18n.T("Copied"), n.copyDiagnostics)
		})
	}()
}

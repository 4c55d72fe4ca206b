package library

import (
	"cmp"
	"context"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/transcript"
)

func (l *Library) listActions() sessions.Actions {
	return sessions.Actions{
		Open: l.host.OpenInfo, Menu: l.Menu, Remove: l.Delete,
		Rename:  func(in transcript.Info, title string) { l.rename(in.Name, title) },
		Archive: func() { l.archive = !l.archive; l.Draw() },
		Leave:   l.host.LeaveList,
		Typed: func(r rune) {
			if r != ' ' { // Space opens the session
				l.host.Type(r)
			}
		},
	}
}

// Menu returns the menu of a session.
func (l *Library) Menu(in transcript.Info, pinned bool) *fyne.Menu {
	pin := i18n.T("Pin")
	if pinned {
		pin = i18n.T("Unpin")
	}
	file := func(label string, f func(path string)) *fyne.MenuItem {
		m := fyne.NewMenuItem(label, func() { f(in.Path) })
		m.Disabled = in.Path == ""
		return m
	}
	readable := func(label string, f func()) *fyne.MenuItem {
		m := fyne.NewMenuItem(label, f)
		m.Disabled = in.Err != nil
		return m
	}
	rename := readable(i18n.T("Rename"), func() { l.startRename(in.Name) })
	rename.Disabled = rename.Disabled || in.ReadOnly
	trash := fyne.NewMenuItem(i18n.T("Delete"), func() { l.Delete(in) })
	trash.Disabled = in.Copy // it belongs to the program that made it
	return fyne.NewMenu("",
		readable(i18n.T("Read as transcript"), func() { l.host.ReadAt(in, "", "") }),
		rename,
		fyne.NewMenuItem(pin, func() { l.pin(in.Name, !pinned) }),
		readable(i18n.T("Fork into a new chat"), func() { l.Fork(in, "") }),
		fyne.NewMenuItemSeparator(),
		file(i18n.T("Open in editor"), func(path string) { l.host.OpenTranscript(in.Name, path) }),
		file(i18n.T("Show in folder"), l.host.RevealFile),
		readable(i18n.T("Export as Markdown"), func() { l.Export(in) }),
		readable(i18n.T("Export as HTML"), func() { l.ExportHTML(in) }),
		readable(i18n.T("Print or save as PDF…"), func() { l.Print(in) }),
		readable(i18n.T("Copy as text"), func() { l.Copy(in) }),
		fyne.NewMenuItemSeparator(),
		readable(i18n.T("Forget…"), func() { l.host.ForgetSession(in) }),
		trash,
	)
}

// startRename shows the list and starts editing the title of a session there.
func (l *Library) startRename(name string) {
	l.host.ShowList()
	l.List.StartRename(l.List.KeyOf(name))
}

func (l *Library) rename(name, title string) {
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		return
	}
	l.Act(i18n.T("Renaming"), func(ctx context.Context) error { return l.parts.Sessions.SetTitle(ctx, name, title) }, nil)
}

func (l *Library) pin(name string, on bool) {
	l.Act(i18n.T("Pinning"), func(ctx context.Context) error { return l.parts.Marks.SetPinned(ctx, name, on) }, nil)
}

// Delete moves a session to the trash and offers Undo.
func (l *Library) Delete(in transcript.Info) {
	next := l.List.NextTo(in.Name)
	l.Act(i18n.T("Deleting"), func(ctx context.Context) error { return l.parts.Sessions.Delete(ctx, in.Name) }, func() {
		wasShown := l.host.Deleted(in.Name)
		l.List.MoveTo(next)
		l.host.Offer(i18n.With("Deleted “{{.Title}}”", i18n.Places{"Title": i18n.Shorten(cmp.Or(in.Title, in.Name), 40)}), i18n.T("Undo"), func() { l.undelete(in.Name, wasShown) })
	})
}

func (l *Library) undelete(name string, open bool) {
	back := name
	l.Act(i18n.T("Restoring"), func(ctx context.Context) (err error) {
		back, err = l.parts.Sessions.Undelete(ctx, name)
		return err
	}, func() {
		if open {
			l.host.ShowChatOf(back)
		}
	})
}

// Load reads the session of a list entry. It reads the file of the entry, because a session may
// have several.
func (l *Library) Load(ctx context.Context, in transcript.Info) (*transcript.Transcript, error) {
	if in.Machine != "" {
		return l.parts.Elsewhere(ctx, in.Name, in.Machine)
	}
	if in.Path == "" || !in.ReadOnly {
		return l.parts.Sessions.Load(ctx, in.Name)
	}
	t, err := l.parts.Sessions.LoadFile(in.Path)
	if err == nil {
		t.Info.ReadOnly = true
	}
	return t, err
}

// Fork starts a new chat with the messages up to and including a block, or all of them if
// through is "".
func (l *Library) Fork(in transcript.Info, through string) {
	name := ""
	l.Act(i18n.T("Forking"), func(ctx context.Context) error {
		t, err := l.Load(ctx, in)
		if err == nil {
			name, err = l.parts.Sessions.Fork(ctx, t, through, "cpu")
		}
		return err
	}, func() {
		l.host.ShowChatOf(name)
		l.host.Offer(i18n.T("A new chat with everything up to here"), "", nil)
	})
}

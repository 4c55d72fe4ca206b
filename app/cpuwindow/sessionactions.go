package cpuwindow

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/exporter"
	"mac-stats/app/i18n"
	"mac-stats/app/osopen"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wordsearch"
)

// What can be done with a session, from the list, the header and the viewer. All of
// it works on the files off the UI goroutine; the list is read again afterwards.

func (w *Window) listActions() sessions.Actions {
	return sessions.Actions{
		Open: w.openInfo, Menu: w.sessionMenu, Remove: w.deleteSession,
		Rename:  func(in transcript.Info, title string) { w.renameSession(in.Name, title) },
		Archive: func() { w.showArchive = !w.showArchive; w.drawList() },
		Leave:   func() { w.root.closeDrawer(); w.chat.FocusChat() },
		Typed: func(r rune) {
			if r != ' ' { // it opens
				w.chat.Type(r)
			}
		},
	}
}

// openSwitcher opens the search over the window, or closes it.
func (w *Window) openSwitcher() {
	if w.switcher != nil {
		w.switcher.Close()
		return
	}
	w.switcher = sessions.OpenSwitcher(windowHost{w}, sessions.Search{
		Finder: w.parts.finder, Related: w.parts.recaller.Related, Infos: func() []transcript.Info { return w.infos },
	}, func(h wordsearch.Hit, query string) { w.openAt(h.Info, h.Block, query) }, func() { w.switcher = nil })
}

func (w *Window) closeSwitcher() {
	if w.switcher != nil {
		w.switcher.Close()
	}
}

// openInfo shows a session of the list: as a chat where it can go on, else to read.
func (w *Window) openInfo(in transcript.Info) {
	if sessions.Continues(in) {
		w.OpenSession(in.Name)
		return
	}
	w.openTranscriptOf(in, "", "")
}

// sessionMenu is what can be done with a session.
func (w *Window) sessionMenu(in transcript.Info, pinned bool) *fyne.Menu {
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
	rename := readable(i18n.T("Rename"), func() { w.startRename(in.Name) })
	rename.Disabled = rename.Disabled || in.ReadOnly
	trash := fyne.NewMenuItem(i18n.T("Delete"), func() { w.deleteSession(in) })
	trash.Disabled = in.Copy // it belongs to whoever made it
	return fyne.NewMenu("",
		readable(i18n.T("Read as transcript"), func() { w.openTranscriptOf(in, "", "") }),
		rename,
		fyne.NewMenuItem(pin, func() { w.pinSession(in.Name, !pinned) }),
		readable(i18n.T("Fork into a new chat"), func() { w.fork(in, "") }),
		fyne.NewMenuItemSeparator(),
		file(i18n.T("Open in editor"), func(path string) { w.openTranscriptIn(in.Name, path) }),
		file(i18n.T("Show in folder"), w.reveal),
		readable(i18n.T("Export as Markdown"), func() { w.exportSession(in) }),
		readable(i18n.T("Export as HTML"), func() { w.exportAs(in, ".html", w.writeHTML(in, false), nil) }),
		readable(i18n.T("Print or save as PDF…"), func() { w.exportAs(in, ".html", w.writeHTML(in, true), w.openFile) }),
		readable(i18n.T("Copy as text"), func() { w.copySession(in) }),
		fyne.NewMenuItemSeparator(),
		readable(i18n.T("Forget…"), func() { w.forgetSession(in) }),
		trash,
	)
}

// do runs an action on files; its error is shown, the list is read again.
func (w *Window) do(what string, action func(ctx context.Context) error, then func()) {
	go func() {
		err := action(w.ctx)
		w.p.Do(func() {
			switch {
			case errors.Is(err, sessionmem.ErrBusy):
				w.tell(i18n.With("{{.What}}: it is being answered just now", i18n.Places{"What": what}), i18n.T("Stop the answer first, or wait for it."))
			case err != nil:
				w.tell(i18n.With("{{.What}} failed: {{.Error}}", i18n.Places{"What": what, "Error": err.Error()}), "")
			case then != nil:
				then()
			}
			w.reloadList()
		})
	}()
}

// startRename edits the title in the list, which is opened for it.
func (w *Window) startRename(name string) {
	if w.root.narrow && !w.root.drawer {
		w.toggleDrawer()
	}
	w.side.StartRename(w.side.KeyOf(name))
}

func (w *Window) renameSession(name, title string) {
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		return
	}
	w.do(i18n.T("Renaming"), func(ctx context.Context) error { return w.parts.library.SetTitle(ctx, name, title) }, nil)
}

func (w *Window) pinSession(name string, on bool) {
	w.do(i18n.T("Pinning"), func(ctx context.Context) error { return w.parts.marks.SetPinned(ctx, name, on) }, nil)
}

// deleteSession moves a session to the trash at once and offers to bring it back.
func (w *Window) deleteSession(in transcript.Info) {
	next := w.side.NextTo(in.Name)
	w.do(i18n.T("Deleting"), func(ctx context.Context) error { return w.parts.library.Delete(ctx, in.Name) }, func() {
		w.chats().Drop(in.Name)
		wasShown := w.chats().Shown().Name == in.Name // another one may have been opened meanwhile
		if wasShown {
			w.chat.Show(w.chats().New())
		}
		if w.page == pageTranscript && w.reader.Name == in.Name {
			w.showPage(pageChat)
		}
		w.side.MoveTo(next)
		w.toast.Offer(i18n.With("Deleted “{{.Title}}”", i18n.Places{"Title": i18n.Shorten(cmp.Or(in.Title, in.Name), 40)}), i18n.T("Undo"), func() { w.undelete(in.Name, wasShown) })
	})
}

func (w *Window) undelete(name string, open bool) {
	back := name
	w.do(i18n.T("Restoring"), func(ctx context.Context) (err error) {
		back, err = w.parts.library.Undelete(ctx, name)
		return err
	}, func() {
		if open {
			w.OpenSession(back)
		}
	})
}

// load reads a session as the list names it: by its own file, so that of several
// files of one session the right one is read.
func (w *Window) loadInfo(ctx context.Context, in transcript.Info) (*transcript.Transcript, error) {
	if in.Machine != "" {
		return w.parts.recaller.Elsewhere(ctx, in.Name, in.Machine)
	}
	if in.Path == "" || !in.ReadOnly {
		return w.parts.sessions.Load(ctx, in.Name)
	}
	t, err := w.parts.library.LoadFile(in.Path)
	if err == nil {
		t.Info.ReadOnly = true
	}
	return t, err
}

// fork begins a new chat with what was said up to a block, all of it where that is
// "".
func (w *Window) fork(in transcript.Info, through string) {
	name := ""
	w.do(i18n.T("Forking"), func(ctx context.Context) error {
		t, err := w.loadInfo(ctx, in)
		if err == nil {
			name, err = w.parts.library.Fork(ctx, t, through, "cpu")
		}
		return err
	}, func() {
		w.OpenSession(name)
		w.toast.Offer(i18n.T("A new chat with what was said up to here"), "", nil)
	})
}

// exportSession writes the whole transcript as a file of its own.
func (w *Window) exportSession(in transcript.Info) {
	w.exportAs(in, ".md", transcript.Write, nil)
}

// exportAs writes a session into a new file among the downloads; then, which may be nil,
// does something with it.
func (w *Window) exportAs(in transcript.Info, ext string, write func(io.Writer, *transcript.Transcript) error, then func(path string)) {
	path := ""
	w.do(i18n.T("Exporting"), func(ctx context.Context) error {
		t, err := w.loadInfo(ctx, in)
		if err != nil {
			return err
		}
		var data bytes.Buffer
		if err := write(&data, t); err != nil {
			return fmt.Errorf("write the transcript: %w", err)
		}
		dir, err := osopen.ExportFolder()
		if err != nil {
			return err
		}
		if path, err = osopen.Export(dir, cmp.Or(in.Title, in.Name), ext, data.Bytes()); err != nil {
			return err
		}
		return w.parts.marks.MarkExported(ctx, in.Name, path)
	}, func() {
		w.toast.Offer(i18n.With("Exported to {{.Path}}", i18n.Places{"Path": path}), i18n.T("Show"), func() { w.reveal(path) })
		if then != nil {
			then(path)
		}
	})
}

// writeHTML writes a session as an HTML file, which a browser prints or saves as PDF.
func (w *Window) writeHTML(in transcript.Info, toPrint bool) func(io.Writer, *transcript.Transcript) error {
	words := exporter.Words{You: i18n.T("You"), Assistant: i18n.T("Assistant"), Date: func(t time.Time) string {
		return i18n.LongDate(t.Local()) + t.Local().Format(" 15:04")
	}}
	return func(out io.Writer, t *transcript.Transcript) error {
		return exporter.HTML(out, t, exporter.Params{Words: words, Print: toPrint, Read: func(a transcript.Attachment) ([]byte, error) {
			return w.parts.keeper.ReadAttachment(in.Name, a)
		}})
	}
}

// copySession puts the conversation as plain text on the clipboard.
func (w *Window) copySession(in transcript.Info) {
	text := ""
	w.do(i18n.T("Copying"), func(ctx context.Context) error {
		t, err := w.loadInfo(ctx, in)
		if err == nil {
			text = plainTranscript(t, time.Local)
		}
		return err
	}, func() {
		w.p.App.Clipboard().SetContent(text)
		w.toast.Offer(i18n.T("Copied as text"), "", nil)
	})
}

// plainTranscript is a conversation to paste elsewhere: who, when, what; no ids.
func plainTranscript(t *transcript.Transcript, loc *time.Location) string {
	var out strings.Builder
	out.WriteString(cmp.Or(t.Info.Title, t.Info.Name) + "\n")
	for _, b := range t.Branch() {
		if !b.IsMessage() && b.Kind != transcript.KindText || strings.TrimSpace(b.Text) == "" {
			continue
		}
		who := i18n.T("You")
		switch {
		case b.Kind == transcript.KindText:
			who = ""
		case b.Kind == transcript.KindAssistant:
			who = cmp.Or(b.Agent, i18n.T("Assistant"))
		case b.Attrs["author"] != "":
			who = b.Attrs["author"]
		}
		when := ""
		if !b.Time.IsZero() {
			when = ", " + i18n.LongDate(b.Time.In(loc)) + b.Time.In(loc).Format(" 15:04")
		}
		if who != "" {
			out.WriteString("\n" + who + when + ":")
		}
		out.WriteString("\n" + b.Text + "\n")
	}
	return out.String()
}

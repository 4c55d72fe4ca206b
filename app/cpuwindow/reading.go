package cpuwindow

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/cpuwindow/transcripts"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// The window's side of the transcript viewer: what it shows, where it leads.

func (w *Window) readerActions() transcripts.Actions {
	return transcripts.Actions{
		CopyText: func(t string) { w.p.App.Clipboard().SetContent(t) },
		OpenLink: windowHost{w}.OpenLink, Edit: func(path string) { w.open.Transcript(w.reader.From().Name, path) }, Reveal: w.open.Reveal, Export: w.library.Export, CopyAll: w.library.Copy,
		Fork: w.library.Fork, GoOn: w.goOn, OpenOther: w.openOther, Do: w.p.Do, Files: w.chat.FileActions,
		Find: w.findMarks, Remember: func(in transcript.Info, line string) { w.rememberFrom(in.Name, w.parts.config().Agents.Default, line) },
	}
}

// openTranscriptOf shows a session in the viewer, at a block where one is named,
// with a phrase marked.
func (w *Window) openTranscriptOf(in transcript.Info, block, phrase string) {
	w.reader.Open(in, block, phrase)
	if w.page != pageTranscript {
		w.showPage(pageTranscript)
	} else {
		w.root.closeDrawer()
		w.library.Draw()
	}
	w.chat.Head.SetTitle(cmp.Or(in.Title, in.Name, pageTitle(pageTranscript)))
	w.trackOpen()
}

// showReader fills the viewer when its page is opened: with the session that is
// shown in the chat.
func (w *Window) showReader() {
	name := w.chats().Shown().Name
	if from := w.reader.From().Name; from == name && w.reader.Name == name {
		w.reader.Reread()
		return
	}
	if in, ok := w.library.Named(name); ok {
		w.openTranscriptOf(in, "", "")
		return
	}
	w.reader.Empty()
}

// goToPage shows a page from the sidebar; the one that is shown is left.
func (w *Window) goToPage(p page) {
	w.showPage(p)
	if w.page == pageTranscript {
		w.showReader()
	}
}

// findInside opens the find bar: of the viewer while that is shown, else of the chat.
func (w *Window) findInside() {
	if w.page != pageTranscript {
		if w.root.closeDrawer(); w.page != pageChat {
			w.showPage(pageChat)
		}
		w.chat.Find.Show()
		return
	}
	w.reader.Find()
}

// goOn continues a session in the chat: at its end, or, where a message is named,
// from before it; what followed stays in the file as a branch that was left.
func (w *Window) goOn(in transcript.Info, from string) {
	if from == "" {
		w.OpenSession(in.Name)
		return
	}
	w.library.Act(i18n.T("Continuing from here"), func(ctx context.Context) error {
		err := w.parts.library.Continue(ctx, in.Name, from)
		if errors.Is(err, session.ErrNotFound) {
			return errors.New("it is summarised by now and no longer in the context. Fork from here instead")
		}
		return err
	}, func() {
		w.chats().Drop(in.Name)
		w.OpenSession(in.Name)
	})
}

// openOther lets the user choose any transcript's file.
func (w *Window) openOther() {
	d := dialog.NewFileOpen(func(f fyne.URIReadCloser, err error) {
		if err != nil || f == nil {
			return
		}
		path := f.URI().Path()
		if err := f.Close(); err != nil {
			w.tell(i18n.T("The file can't be read"), err.Error())
			return
		}
		w.openTranscriptFile(path)
	}, w.win)
	d.SetFilter(storage.NewExtensionFileFilter([]string{".md"}))
	w.showChooser(d, i18n.T("Open a transcript"), i18n.T("Open"))
}

// openTranscriptFile shows a file that need not be one of the session folder.
func (w *Window) openTranscriptFile(path string) {
	w.openTranscriptOf(transcript.Info{Path: path, Name: strings.TrimSuffix(conversation.BaseName(path), ".md"), ReadOnly: true}, "", "")
}

// openAt shows a session at a block: in the chat where it goes on there, else in
// the viewer.
func (w *Window) openAt(in transcript.Info, block, phrase string) {
	if block == "" || !sessions.Continues(in) {
		if block == "" {
			libraryHost{windowHost{w}}.OpenInfo(in)
		} else {
			w.openTranscriptOf(in, block, phrase)
		}
		return
	}
	w.chat.OpenAt(in, block, phrase)
}

// OpenSessionAt shows a session at a block of it.
func (w *Window) OpenSessionAt(name, block string) {
	if in, ok := w.library.Named(name); ok {
		w.openAt(in, block, "")
		return
	}
	go func() { // of another machine, or one that has no file yet
		t, err := w.parts.recaller.Elsewhere(w.ctx, name, "")
		w.p.Do(func() {
			if err != nil {
				w.OpenSession(name)
				return
			}
			w.openTranscriptOf(t.Info, block, "")
		})
	}()
}

// switchSession shows the session so many places further down the list, around its
// ends.
func (w *Window) switchSession(by int) {
	if name := w.library.Beside(w.chats().Shown().Name, by); name != "" {
		w.OpenSession(name)
	}
}

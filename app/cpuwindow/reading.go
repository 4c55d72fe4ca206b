package cpuwindow

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/cpuwindow/transcripts"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

// actions returns what the transcript viewer can do.
func (w readerHost) actions() transcripts.Actions {
	return transcripts.Actions{
		CopyText: w.Copy, OpenLink: w.OpenLink, Reveal: w.open.Reveal,
		Edit:   func(path string) { w.open.Transcript(w.panes.reader.From().Name, path) },
		Export: w.library.Export, CopyAll: w.library.Copy, Fork: w.library.Fork, GoOn: w.continueFrom, OpenOther: w.openOther,
		Do: w.p.Do, Files: w.chat.Files.Actions, Find: w.parts.findMarks,
		Remember: func(in transcript.Info, line string) {
			w.rememberFrom(in.Name, w.parts.config().Agents.Default, line)
		},
	}
}

// ReadAt implements chatpane.Host and library.Host. It shows a session in the viewer, at a
// block and with a phrase marked; both may be "".
func (w windowHost) ReadAt(in transcript.Info, block, phrase string) {
	w.panes.reader.Open(in, block, phrase)
	if w.panes.page != pageTranscript {
		w.showPage(pageTranscript)
	} else {
		w.root.closeDrawer()
		w.library.Draw()
	}
	w.chat.Head.SetTitle(cmp.Or(in.Title, in.Name, pageTranscript.title()))
	w.watchOpenFile()
}

// showCurrent shows the session of the chat in the viewer.
func (w readerHost) showCurrent() {
	name := w.chats().Shown().Name
	if w.panes.reader.From().Name == name && w.panes.reader.Name == name {
		w.panes.reader.Reread()
		return
	}
	if in, ok := w.library.Named(name); ok {
		w.ReadAt(in, "", "")
		return
	}
	w.panes.reader.Empty()
}

// continueFrom continues a session in the chat: at its end or, if from names a message,
// before that message. What followed it stays in the file as an abandoned branch.
func (w readerHost) continueFrom(in transcript.Info, from string) {
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

// openOther shows any transcript file that the user chooses.
func (w readerHost) openOther() {
	w.chooseFile(i18n.T("Open a transcript"), i18n.T("Open"), []string{".md"}, w.openFile)
}

// openFile shows a transcript file that may be outside the session folder.
func (w readerHost) openFile(path string) {
	w.ReadAt(transcript.Info{Path: path, Name: strings.TrimSuffix(conversation.BaseName(path), ".md"), ReadOnly: true}, "", "")
}

// openAt shows a session at a block: in the chat if it can be continued there, otherwise in
// the viewer.
func (w windowHost) openAt(in transcript.Info, block, phrase string) {
	switch {
	case block == "":
		w.OpenInfo(in)
	case sessions.Continues(in):
		w.chat.OpenAt(in, block, phrase)
	default:
		w.ReadAt(in, block, phrase)
	}
}

// OpenSessionAt shows a session at one of its blocks.
func (w *Window) OpenSessionAt(name, block string) {
	host := windowHost{w}
	if in, ok := w.library.Named(name); ok {
		host.openAt(in, block, "")
		return
	}
	go func() { // on another machine, or not written yet
		t, err := w.parts.recaller.Elsewhere(w.ctx, name, "")
		w.p.Do(func() {
			if err != nil {
				w.OpenSession(name)
				return
			}
			host.ReadAt(t.Info, block, "")
		})
	}()
}

// OpenSession implements pages.Host. It shows the session a memory comes from in the viewer.
func (w pageHost) OpenSession(session string) {
	go func() {
		t, err := w.parts.sessions.Load(w.ctx, session)
		w.p.Do(func() {
			if err != nil {
				w.notices.Show(i18n.With("The conversation {{.Session}} can't be opened", i18n.Places{"Session": session}), i18n.With("It was deleted, or was never written: {{.Error}}", i18n.Places{"Error": err.Error()}))
				return
			}
			w.ReadAt(t.Info, "", "")
		})
	}()
}

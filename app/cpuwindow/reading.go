package cpuwindow

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/cpuwindow/transcripts"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// The window's side of the transcript viewer: what it shows, where it leads.

func (w *Window) readerActions() transcripts.Actions {
	return transcripts.Actions{
		CopyText: func(t string) { w.p.App.Clipboard().SetContent(t) },
		OpenLink: w.openLink, Edit: func(path string) { w.openTranscriptIn(w.readFrom.Name, path) }, Reveal: w.reveal, Export: w.exportSession, CopyAll: w.copySession,
		Fork: w.fork, GoOn: w.goOn, OpenOther: w.openOther, Do: w.p.Do, Files: w.chat.FileActions,
		Find: w.findMarks, Remember: func(in transcript.Info, line string) { w.rememberFrom(in.Name, w.parts.config().Agents.Default, line) },
	}
}

// openTranscriptOf shows a session in the viewer, at a block where one is named,
// with a phrase marked.
func (w *Window) openTranscriptOf(in transcript.Info, block, phrase string) {
	w.readFrom = in
	if w.page != pageTranscript {
		w.showPage(pageTranscript)
	} else {
		w.root.closeDrawer()
		w.drawList()
	}
	w.chat.Head.SetTitle(cmp.Or(in.Title, in.Name, pageTitle(pageTranscript)))
	w.trackOpen()
	w.readTranscript(func(t *transcript.Transcript) { w.reader.Show(t, block, phrase) })
}

// readTranscript reads the session of the viewer off the UI goroutine.
func (w *Window) readTranscript(then func(*transcript.Transcript)) {
	in := w.readFrom
	if in.Err != nil {
		w.reader.Fail(in, in.Err.Error())
		return
	}
	go func() {
		t, err := w.loadInfo(w.ctx, in)
		w.p.Do(func() {
			switch {
			case w.readFrom.Name != in.Name || w.readFrom.Path != in.Path: // another one by now
			case err != nil:
				w.reader.Fail(in, err.Error())
			default:
				then(t)
			}
		})
	}()
}

// showReader fills the viewer when its page is opened: with the session that is
// shown in the chat.
func (w *Window) showReader() {
	name := w.chats().Shown().Name
	if w.readFrom.Name != "" && w.reader.Name == w.readFrom.Name && w.readFrom.Name == name {
		w.readTranscript(w.reader.Refresh)
		return
	}
	for _, in := range w.infos {
		if in.Name == name && !in.ReadOnly {
			w.openTranscriptOf(in, "", "")
			return
		}
	}
	w.readFrom = transcript.Info{}
	w.reader.None()
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
	if w.readFrom.Name == "" {
		return
	}
	w.readTranscript(func(t *transcript.Transcript) {
		if w.reader.Read == nil || w.reader.Name != t.Info.Name {
			w.reader.Show(t, "", "")
		}
		w.reader.OpenFind()
	})
}

// goOn continues a session in the chat: at its end, or, where a message is named,
// from before it; what followed stays in the file as a branch that was left.
func (w *Window) goOn(in transcript.Info, from string) {
	if from == "" {
		w.OpenSession(in.Name)
		return
	}
	w.do(i18n.T("Continuing from here"), func(ctx context.Context) error {
		err := w.parts.library.Continue(ctx, in.Name, from)
		if errors.Is(err, sessionmem.ErrNotFound) {
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
			w.openInfo(in)
		} else {
			w.openTranscriptOf(in, block, phrase)
		}
		return
	}
	w.chat.OpenAt(in, block, phrase)
}

// OpenSessionAt shows a session at a block of it.
func (w *Window) OpenSessionAt(name, block string) {
	for _, in := range w.infos {
		if in.Name == name && !in.ReadOnly {
			w.openAt(in, block, "")
			return
		}
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
	var names []string
	at := -1
	for _, l := range w.side.Lines {
		if l.Heading != "" || !sessions.Continues(l.Info) {
			continue
		}
		if l.Info.Name == w.chats().Shown().Name {
			at = len(names)
		}
		names = append(names, l.Info.Name)
	}
	if len(names) == 0 {
		return
	}
	if at < 0 && by < 0 {
		at = 0
	}
	w.OpenSession(names[(at+by+len(names))%len(names)])
}

const (
	watchEvery = time.Second      // the open file
	sweepEvery = 10 * time.Second // the list; at least sweepShare times as long as reading it takes
	sweepShare = 200
)

// watchFiles looks, while the window is shown, for edits made by other programs: of
// the file that is open once a second, of all others now and then. Editors save by
// rename, and some systems open a file for each entry of a watched folder: asking is
// cheaper than being told.
func (w *Window) watchFiles() (stop func()) {
	ctx, cancel := context.WithCancel(w.ctx)
	go func() {
		// at whole seconds, as the vitals are read, so that the processor wakes once for both
		wait := func() time.Duration { return time.Until(time.Now().Truncate(watchEvery).Add(watchEvery)) }
		tick := time.NewTimer(wait())
		defer tick.Stop()
		next := time.Now().Add(sweepEvery)
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				tick.Reset(wait())
			}
			if was := w.openStamp.Load(); was != nil {
				now := stampOf(was.path)
				if now != *was && w.openStamp.CompareAndSwap(was, &now) {
					w.p.Do(w.fileChanged)
				}
			}
			if time.Now().After(next) {
				took := w.sweepList()
				next = time.Now().Add(max(sweepEvery, sweepShare*took))
			}
		}
	}()
	return cancel
}

// fileStamp tells a file's states apart.
type fileStamp struct {
	path string
	size int64
	at   time.Time
}

func stampOf(path string) fileStamp {
	s := fileStamp{path: path}
	if fi, err := os.Stat(path); err == nil {
		s.size, s.at = fi.Size(), fi.ModTime()
	}
	return s
}

// sweepList reads the list again and draws it where it changed; it returns how long
// reading took.
func (w *Window) sweepList() time.Duration {
	began := time.Now()
	infos, err := w.parts.sessions.List(w.ctx)
	took := time.Since(began)
	if err == nil {
		w.p.Do(func() {
			if w.visible && !sameInfos(w.infos, infos) {
				w.reloadList()
			}
		})
	}
	return took
}

func sameInfos(a, b []transcript.Info) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if x.Path != y.Path || x.Title != y.Title || x.Messages != y.Messages || !x.Active.Equal(y.Active) || (x.Err == nil) != (y.Err == nil) {
			return false
		}
	}
	return true
}

// fileChanged takes the open file as it is now.
func (w *Window) fileChanged() {
	if !w.visible {
		return
	}
	if w.page == pageTranscript {
		w.refreshReader()
	}
	w.chats().Reload()
}

// refreshReader reads the transcript of the viewer again.
func (w *Window) refreshReader() {
	if w.readFrom.Name != "" && w.reader.Read != nil {
		w.readTranscript(w.reader.Refresh)
	}
}

// trackOpen tells the watcher which file is open.
func (w *Window) trackOpen() {
	path := ""
	switch {
	case w.page == pageTranscript:
		path = w.readFrom.Path
	case w.chats().Shown() != nil:
		path = w.chats().Shown().Path()
	}
	was := w.openStamp.Load()
	switch {
	case path == "":
		w.openStamp.Store(nil)
	case was == nil || was.path != path:
		now := stampOf(path)
		w.openStamp.Store(&now)
	}
}

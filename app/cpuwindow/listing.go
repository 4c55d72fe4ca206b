package cpuwindow

import (
	"time"

	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/i18n"
)

// listChanged reads the session list again where it can be seen; from any goroutine.
func (w *Window) listChanged() {
	w.p.Do(func() {
		if w.visible {
			w.reloadList()
		}
	})
}

// reloadList reads the session list off the UI goroutine, once at a time; what
// changes while it is read is read after.
func (w *Window) reloadList() {
	if !w.listPending.CompareAndSwap(false, true) {
		w.listAgain = true
		return
	}
	go func() {
		infos, err := w.parts.sessions.List(w.ctx)
		marks, marksErr := w.parts.marks.Marks()
		w.p.Do(func() {
			w.listPending.Store(false)
			if w.listAgain {
				w.listAgain = false
				w.reloadList()
			}
			if err != nil {
				w.tell(i18n.T("The conversations can't be listed"), i18n.With("Is the session folder still there? {{.Error}}", i18n.Places{"Error": err.Error()}))
				return
			}
			if marksErr != nil {
				w.tell(i18n.With("Couldn't read which conversations are pinned or read: {{.Error}}", i18n.Places{"Error": marksErr.Error()}), "")
			}
			w.infos, w.marks = infos, marks
			w.drawList()
			w.noteRead()
		})
	}()
}

func (w *Window) drawList() {
	for _, in := range w.infos {
		if c := w.chats().Open(in.Name); c != nil {
			c.Listed(in.Path, in.Title)
		}
	}
	current := ""
	switch w.page {
	case pageChat:
		current = w.chats().Shown().Name
	case pageTranscript:
		current = w.readFrom.Name
	}
	notes := sessions.Notes{Marks: w.marks, Shown: current, Asking: w.chats().Asking()}
	delete(notes.Asking, current)
	w.chat.Head.SetAsks(len(notes.Asking) > 0)
	w.side.Show(sessions.Lines(w.infos, notes, w.showArchive, time.Now()), current)
	w.chat.DrawHeader()
	w.trackOpen()
	if current != w.lastOpened {
		w.lastOpened = current
		w.noteOpened(current)
	}
}

// noteRead keeps that all of the session one looks at was read.
func (w *Window) noteRead() {
	name := ""
	switch w.page {
	case pageChat:
		name = w.chats().Shown().Name
	case pageTranscript:
		name = w.readFrom.Name
	}
	for _, in := range w.infos {
		if !w.visible || in.Name != name || in.ReadOnly || in.Err != nil {
			continue
		}
		fresh := w.marks.Unread(in) > 0
		go func() {
			err := w.parts.marks.MarkRead(w.ctx, in)
			if err != nil && w.ctx.Err() == nil {
				w.parts.logger.Warn("what was read is not kept", "session", in.Name, "error", err)
			}
			if err == nil && fresh {
				w.listChanged() // it is no longer new, also when another one is shown
			}
		}()
	}
}

// noteOpened is noteRead for a session that was just opened and has something new.
func (w *Window) noteOpened(name string) {
	for _, in := range w.infos {
		if in.Name == name && w.marks.Unread(in) > 0 {
			w.noteRead()
			return
		}
	}
}

package cpuwindow

import (
	"mac-stats/app/cpuwindow/library"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/sessionmem/transcript"
	"mac-stats/sessionmem/wordsearch"
)

// The window's side of the list of sessions.

// libraryParts is what the list works on.
func (w *Window) libraryParts() library.Parts {
	return library.Parts{
		Sessions: listed{w.parts.sessions, w.parts.library}, Marks: w.parts.marks, Elsewhere: w.parts.recaller.Elsewhere,
		Attachment: w.parts.keeper.ReadAttachment, Logger: w.parts.logger,
	}
}

// listed is the transcripts and what can be done with them.
type listed struct {
	store
	actions
}

// openSwitcher opens the search over the window, or closes it.
func (w *Window) openSwitcher() {
	if w.switcher != nil {
		w.switcher.Close()
		return
	}
	w.switcher = sessions.OpenSwitcher(windowHost{w}, sessions.Search{
		Finder: w.parts.finder, Related: w.parts.recaller.Related, Infos: w.library.Infos,
	}, func(h wordsearch.Hit, query string) { w.openAt(h.Info, h.Block, query) }, func() { w.switcher = nil })
}

func (w *Window) closeSwitcher() {
	if w.switcher != nil {
		w.switcher.Close()
	}
}

// OpenInfo implements library.Host.
func (w libraryHost) OpenInfo(in transcript.Info) {
	if sessions.Continues(in) {
		w.chat.OpenSession(in.Name)
		return
	}
	w.openTranscriptOf(in, "", "")
}

// Current implements library.Host.
func (w libraryHost) Current() string {
	switch w.page {
	case pageChat:
		return w.chats().Shown().Name
	case pageTranscript:
		return w.reader.From().Name
	}
	return ""
}

// Asking implements library.Host.
func (w libraryHost) Asking() map[string]bool { return w.chats().Asking() }

// Listed implements library.Host.
func (w libraryHost) Listed(infos []transcript.Info, asks bool) {
	for _, in := range infos {
		if c := w.chats().Open(in.Name); c != nil {
			c.Listed(in.Path, in.Title)
		}
	}
	w.chat.Head.SetAsks(asks)
	w.chat.DrawHeader()
	w.trackOpen()
}

// Deleted implements library.Host.
func (w libraryHost) Deleted(name string) bool {
	w.chats().Drop(name)
	wasShown := w.chats().Shown().Name == name // another one may have been opened meanwhile
	if wasShown {
		w.chat.Show(w.chats().New())
	}
	if w.page == pageTranscript && w.reader.Name == name {
		w.showPage(pageChat)
	}
	return wasShown
}

// Offer implements library.Host.
func (w libraryHost) Offer(words, action string, do func()) { w.toast.Offer(words, action, do) }

// LeaveList implements library.Host.
func (w libraryHost) LeaveList() {
	w.root.closeDrawer()
	w.chat.FocusChat()
}

// Type implements library.Host.
func (w libraryHost) Type(r rune) { w.chat.Type(r) }

// ShowChatOf implements library.Host.
func (w libraryHost) ShowChatOf(name string) { w.chat.OpenSession(name) }

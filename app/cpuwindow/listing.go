package cpuwindow

import (
	"mac-stats/app/cpuwindow/forgetsheet"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/transcript"
)

// OpenInfo implements library.Host.
func (w windowHost) OpenInfo(in transcript.Info) {
	if sessions.Continues(in) {
		w.chat.OpenSession(in.Name)
		return
	}
	w.ReadAt(in, "", "")
}

// Current implements library.Host.
func (w libraryHost) Current() string {
	switch w.panes.page {
	case pageChat:
		return w.chats().Shown().Name
	case pageTranscript:
		return w.panes.reader.From().Name
	}
	return ""
}

// Asking implements library.Host.
func (w libraryHost) Asking() map[string]bool { return w.chats().Asking() }

// Listed implements library.Host.
func (w libraryHost) Listed(infos []transcript.Info, asks bool) {
	for _, in := range infos {
		if c := w.chats().Open(in.Name); c != nil {
			c.SetInfo(in.Path, in.Title)
		}
	}
	w.chat.Head.SetAsks(asks)
	w.chat.DrawHeader()
	w.watchOpenFile()
}

// Deleted implements library.Host.
func (w libraryHost) Deleted(name string) bool {
	w.chats().Drop(name)
	wasShown := w.chats().Shown().Name == name // the user may have opened another one meanwhile
	if wasShown {
		w.chat.Show(w.chats().New())
	}
	if w.panes.page == pageTranscript && w.panes.reader.Name == name {
		w.showPage(pageChat)
	}
	return wasShown
}

// Offer implements library.Host.
func (w libraryHost) Offer(words, action string, do func()) { w.toast.Offer(words, action, do) }

// ShowList implements library.Host.
func (w libraryHost) ShowList() {
	if w.root.narrow && !w.root.drawer {
		w.root.toggleDrawer()
	}
}

// LeaveList implements library.Host.
func (w libraryHost) LeaveList() {
	w.root.closeDrawer()
	w.chat.FocusChat()
}

// RevealFile implements library.Host.
func (w libraryHost) RevealFile(path string) { w.open.Reveal(path) }

// Type implements library.Host.
func (w libraryHost) Type(r rune) { w.chat.Type(r) }

// ShowChatOf implements library.Host.
func (w libraryHost) ShowChatOf(name string) { w.chat.OpenSession(name) }

// ForgetSession implements library.Host.
func (w libraryHost) ForgetSession(in transcript.Info) {
	forgetsheet.AskSession(sheetHost(w), w.parts.forgetter, in)
}

// Forget implements chatpane.Host.
func (w chatHost) Forget(session, block string) {
	forgetsheet.AskMessage(sheetHost(w), w.parts.forgetter, session, block)
}

// Forgotten implements forgetsheet.Host.
func (w sheetHost) Forgotten() { w.chat.Foot.SetReload(i18n.T("forgotten")) }

package cpuwindow

import (
	"mac-stats/app/cpuwindow/forgetsheet"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/transcript"
)

// Forget implements chatpane.Host.
func (w windowHost) Forget(session, block string) {
	forgetsheet.AskMessage(w, w.parts.forgetter, session, block)
}

func (w *Window) forgetSession(in transcript.Info) {
	forgetsheet.AskSession(windowHost{w}, w.parts.forgetter, in)
}

// Forgotten implements forgetsheet.Host.
func (w windowHost) Forgotten() { w.chat.Foot.SetReload(i18n.T("forgotten")) }

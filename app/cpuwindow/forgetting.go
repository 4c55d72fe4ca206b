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

// Forgotten implements forgetsheet.Host.
func (w windowHost) Forgotten() { w.chat.Foot.SetReload(i18n.T("forgotten")) }

// ForgetSession implements library.Host: it asks.
func (w windowHost) ForgetSession(in transcript.Info) {
	forgetsheet.AskSession(w, w.parts.forgetter, in)
}

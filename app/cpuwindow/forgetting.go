package cpuwindow

import (
	"mac-stats/app/cpuwindow/forgetsheet"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/transcript"
)

// Forget implements chatpane.Host.
func (w chatHost) Forget(session, block string) {
	forgetsheet.AskMessage(sheetHost(w), w.parts.forgetter, session, block)
}

// Forgotten implements forgetsheet.Host.
func (w sheetHost) Forgotten() { w.chat.Foot.SetReload(i18n.T("forgotten")) }

// ForgetSession implements library.Host: it asks.
func (w libraryHost) ForgetSession(in transcript.Info) {
	forgetsheet.AskSession(sheetHost(w), w.parts.forgetter, in)
}

package cpuwindow

import (
	"mac-stats/app/cpuwindow/forgetsheet"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/transcript"
)

func (w *Window) forgetMessage(block string) {
	forgetsheet.AskMessage(windowHost{w}, w.parts.forgetter, w.shown.Name, block)
}

func (w *Window) forgetSession(in transcript.Info) {
	forgetsheet.AskSession(windowHost{w}, w.parts.forgetter, in)
}

// Forgotten implements forgetsheet.Host.
func (w windowHost) Forgotten() { w.foot.SetReload(i18n.T("forgotten")) }

// forgot follows a forgetting, of whatever program: what is held of sessions is read
// again, and drafts that hold it go.
func (w *Window) forgot(holds func(text string) bool) {
	for name, kept := range w.drafts {
		if kept, changed := kept.Without(holds); changed {
			w.drafts[name] = kept
		}
	}
	for _, c := range w.convs {
		if c.DropUnsent(holds) && c == w.shown {
			w.compose.SetText("")
		}
		if !c.Busy() && c != w.shown && c.Begun() {
			w.load(c)
		}
	}
	w.keepDrafts()
	if w.visible {
		w.reloadList()
	}
	w.reloadShown()
}

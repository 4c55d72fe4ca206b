package cpuwindow

import (
	"slices"
	"time"

	"mac-stats/app/backend"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// footStays is how long the foot says what was reloaded.
const footStays = 8 * time.Second

// onNotice takes what happened outside a turn.
func (w *Window) onNotice(n backend.Notice) {
	switch n.Kind {
	case backend.NoticeMemory:
		w.learnt(n)
		w.onReload(n)
	case backend.NoticeReload:
		w.followConfig()
		w.dropStale()
		w.onReload(n)
	case backend.NoticeForgot:
		w.forgot(n.Forgot)
	case backend.NoticeSchedule:
		w.dropStale()
		if w.visible && w.page == pageSchedules {
			w.schedules.Load()
		}
		fallthrough
	case backend.NoticeSessions:
		if w.visible {
			w.reloadList()
			w.reloadShown()
		}
	default:
		w.tellOf(n)
	}
}

// onReload says what was read again: in the foot for a while, and where it asks
// for something, where it stays until it is dismissed.
func (w *Window) onReload(n backend.Notice) {
	if n.Next != "" {
		w.tell(n.Text, n.Next)
	}
	if !w.visible {
		return
	}
	w.foot.SetReload(n.Text)
	w.countProposals()
	if w.page != pageChat && w.page != pageTranscript {
		w.loadPage(w.page)
	}
	w.reloads++
	now := w.reloads
	time.AfterFunc(w.footStays, func() {
		w.p.Do(func() {
			if w.reloads == now {
				w.foot.SetReload("")
			}
		})
	})
}

// dropStale takes the notice that is shown away, where it no longer holds.
func (w *Window) dropStale() {
	if w.told == nil {
		return
	}
	hold := w.parts.notices()
	if slices.ContainsFunc(hold, func(n backend.Notice) bool { return n.Text == w.told.Text }) {
		return
	}
	w.tell(w.place, "")
}

// tell shows a notice; "" takes it away.
func (w *Window) tell(text, next string) {
	w.told = nil
	w.notice.set(text, next)
	w.center.Refresh()
}

// noticeRuns is a notice in words: a sentence, and what to do on a line of its own.
func noticeRuns(text, next string) []prose.Run {
	runs := prose.Runs(i18n.Sentence(text), kit.RoleNone)
	if next != "" {
		runs = append(runs, prose.Run{Text: "\n"})
		runs = append(runs, prose.Runs(i18n.Sentence(next), kit.RoleMuted)...)
	}
	return runs
}

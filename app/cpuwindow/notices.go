package cpuwindow

import (
	"time"

	"mac-stats/app/backend"
	"mac-stats/app/i18n"
)

// footStays is how long the foot shows what was reloaded.
const footStays = 8 * time.Second

// onNotice handles a notice of the backend: something that happened outside a turn.
func (w *Window) onNotice(n backend.Notice) {
	switch n.Kind {
	case backend.NoticeMemory:
		w.chats().AddLessons(n.Session, n.Written, n.Proposed, n.Time)
		w.onReload(n)
	case backend.NoticeReload:
		w.applyConfig()
		w.notices.DropStale()
		w.onReload(n)
	case backend.NoticeForgot:
		w.chat.DropForgotten(n.Forgot)
		if w.visible {
			w.library.Reload()
		}
		w.chats().Reload() // even if hidden: what was forgotten is neither kept nor drawn at the next showing
	case backend.NoticeSchedule:
		w.notices.DropStale()
		if w.visible && w.panes.page == pageSchedules {
			w.panes.load()
		}
		w.reloadSessions()
	case backend.NoticeSessions:
		w.reloadSessions()
	case backend.NoticeAhead:
		if w.ahead = ""; n.Text != "" {
			w.ahead = i18n.With("{{.Model}} is reading ahead", i18n.Places{"Model": n.Text})
		}
		if w.footTimer == nil { // what was reloaded stays as long as it should
			w.chat.Foot.SetReload(w.ahead)
		}
	default:
		w.notices.ShowNotice(n)
	}
}

// reloadSessions reads the list and the shown conversation again.
func (w *Window) reloadSessions() {
	if w.visible {
		w.library.Reload()
		w.chats().Reload()
	}
}

// onReload shows what was reloaded: in the foot for a while, and as a notice if the user has
// to act.
func (w *Window) onReload(n backend.Notice) {
	if n.Next != "" {
		w.notices.Show(n.Text, n.Next)
	}
	if !w.visible {
		return
	}
	w.chat.Foot.SetReload(n.Text)
	w.countProposals()
	if w.panes.page != pageChat && w.panes.page != pageTranscript {
		w.panes.load()
	}
	var timer *time.Timer
	timer = time.AfterFunc(footStays, func() {
		w.p.Do(func() {
			if w.footTimer == timer {
				w.footTimer = nil
				w.chat.Foot.SetReload(w.ahead)
			}
		})
	})
	w.footTimer = timer
}

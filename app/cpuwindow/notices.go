package cpuwindow

import (
	"time"

	"mac-stats/app/backend"
)

// footStays is how long the foot says what was reloaded.
const footStays = 8 * time.Second

// onNotice takes what happened outside a turn.
func (w *Window) onNotice(n backend.Notice) {
	switch n.Kind {
	case backend.NoticeMemory:
		w.chats().Learnt(n.Session, n.Written, n.Proposed, n.Time)
		w.onReload(n)
	case backend.NoticeReload:
		w.followConfig()
		w.notices.DropStale()
		w.onReload(n)
	case backend.NoticeForgot:
		w.chat.Forgot(n.Forgot)
		if w.visible {
			w.library.Reload()
		}
		w.chats().Reload()
	case backend.NoticeSchedule:
		w.notices.DropStale()
		if w.visible && w.page == pageSchedules {
			w.made.schedules.Load()
		}
		fallthrough
	case backend.NoticeSessions:
		if w.visible {
			w.library.Reload()
			w.chats().Reload()
		}
	default:
		w.notices.TellOf(n)
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
	w.chat.Foot.SetReload(n.Text)
	w.countProposals()
	if w.page != pageChat && w.page != pageTranscript {
		w.loadPage(w.page)
	}
	w.reloads++
	now := w.reloads
	time.AfterFunc(w.footStays, func() {
		w.p.Do(func() {
			if w.reloads == now {
				w.chat.Foot.SetReload("")
			}
		})
	})
}

// tell shows a notice; "" takes it away.
func (w *Window) tell(text, next string) { w.notices.Tell(text, next) }

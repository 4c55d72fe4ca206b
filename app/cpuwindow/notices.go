package cpuwindow

import (
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/app/backend"
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
	w.foot.setReload(n.Text)
	w.countProposals()
	if w.page != pageChat && w.page != pageTranscript {
		w.loadPage(w.page)
	}
	w.reloads++
	now := w.reloads
	time.AfterFunc(w.footStays, func() {
		w.p.Do(func() {
			if w.reloads == now {
				w.foot.setReload("")
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
func noticeRuns(text, next string) []run {
	runs := codeSpans(fullStop(text), roleNone)
	if next != "" {
		runs = append(runs, run{text: "\n"})
		runs = append(runs, codeSpans(fullStop(next), roleMuted)...)
	}
	return runs
}

// fullStop ends a sentence.
func fullStop(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?:)") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// codeSpans makes what stands between backticks code.
func codeSpans(text string, role fyne.ThemeColorName) []run {
	var runs []run
	for {
		before, rest, open := strings.Cut(text, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !open || !closed || code == "" {
			if text != "" || runs == nil {
				runs = append(runs, run{text: text, role: role})
			}
			return runs
		}
		if before != "" {
			runs = append(runs, run{text: before, role: role})
		}
		runs = append(runs, run{text: code, mono: true, role: role})
		text = after
	}
}

package cpuwindow

import (
	"path/filepath"
	"strings"

	"mac-stats/app/i18n"
)

// showProposals says beside Memory how many proposals wait.
func (w *Window) showProposals(n int) {
	w.proposed = n
	w.markPages()
}

// markPages says beside Memory and Agents what waits there: proposals, else edits
// that are not saved.
func (w *Window) markPages() {
	words := map[page]string{}
	for _, path := range w.edits.Unsaved() {
		if strings.HasPrefix(filepath.Base(path), "memory") || filepath.Base(filepath.Dir(path)) == "memory" {
			words[pageMemory] = i18n.T("not saved")
		} else {
			words[pageAgents] = i18n.T("not saved")
		}
	}
	if w.proposed > 0 {
		words[pageMemory] = i18n.With("{{.Proposed}} to review", i18n.Places{"Proposed": w.proposed})
	}
	for _, p := range []page{pageMemory, pageAgents} {
		if b := w.side.pages[p]; b.Trailing != words[p] {
			b.Trailing = words[p]
			b.Refresh()
		}
	}
}

// countProposals looks into the inbox off the UI goroutine.
func (w *Window) countProposals() {
	go func() {
		list, err := w.parts.memories.Inbox()
		if err != nil {
			return // the Memory page says why
		}
		w.p.Do(func() { w.showProposals(len(list)) })
	}()
}

// openOrigin shows the session a memory comes from, in the viewer.
func (w *Window) openOrigin(session string) {
	go func() {
		t, err := w.parts.sessions.Load(w.ctx, session)
		w.p.Do(func() {
			if err != nil {
				w.tell(i18n.With("The conversation {{.Session}} can't be opened", i18n.Places{"Session": session}), i18n.With("It was deleted, or was never written: {{.Error}}", i18n.Places{"Error": err.Error()}))
				return
			}
			w.openTranscriptOf(t.Info, "", "")
		})
	}()
}

package cpuwindow

import (
	"path/filepath"
	"strings"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// pageMarks writes beside Memory and Agents in the sidebar what waits there: proposals, or
// edits that are not saved.
type pageMarks struct {
	buttons  map[page]*kit.Button
	unsaved  func() []string // paths of files with unsaved edits
	proposed int             // proposals in the inbox
}

func (m *pageMarks) setProposed(n int) {
	m.proposed = n
	m.update()
}

func (m *pageMarks) update() {
	words := map[page]string{}
	for _, path := range m.unsaved() {
		if strings.HasPrefix(filepath.Base(path), "memory") || filepath.Base(filepath.Dir(path)) == "memory" {
			words[pageMemory] = i18n.T("not saved")
		} else {
			words[pageAgents] = i18n.T("not saved")
		}
	}
	if m.proposed > 0 {
		words[pageMemory] = i18n.With("{{.Proposed}} to review", i18n.Places{"Proposed": m.proposed})
	}
	for _, p := range []page{pageMemory, pageAgents} {
		if b := m.buttons[p]; b.Trailing != words[p] {
			b.Trailing = words[p]
			b.Refresh()
		}
	}
}

// countProposals counts the proposals in the inbox off the UI goroutine.
func (w *Window) countProposals() {
	go func() {
		list, err := w.parts.memories.Inbox()
		if err != nil {
			return // the Memory page shows the error
		}
		w.p.Do(func() { w.panes.marks.setProposed(len(list)) })
	}()
}

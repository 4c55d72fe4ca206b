package notices

import (
	"path/filepath"

	"mac-stats/app/i18n"
	"mac-stats/sessionmem/memory"
)

// showMissing shows the notice of remembered lines that another program removed from a memory
// file, and offers to restore them. The Memory page lists them.
func (n *Notices) showMissing(lines []memory.Dropped) {
	n.Show(missingWords(lines), i18n.T("Another program saved the file without them. The Memory page shows them; there you can also keep them removed."))
	n.Bar.setAction(i18n.T("Restore"), func() {
		go func() {
			_, err := n.parts.Memories.Restore(n.host.Context())
			n.parts.Decided()
			if err != nil {
				n.host.Do(func() {
					n.Show(i18n.With("The lines can't be restored: {{.Error}}", i18n.Places{"Error": err.Error()}), "")
				})
			}
		}()
	})
	n.host.NoticeChanged()
}

// missingWords returns how many lines are missing from which file, as a sentence.
func missingWords(missing []memory.Dropped) string {
	file := ""
	for _, d := range missing {
		base := filepath.Base(d.Path)
		if file != "" && file != base {
			return i18n.Count("{{.N}} remembered lines are no longer in their files", len(missing))
		}
		file = base
	}
	if file == "memory.md" {
		return i18n.Count("{{.N}} remembered lines are no longer in memory.md", len(missing))
	}
	return i18n.Count("{{.N}} remembered lines are no longer in their files", len(missing))
}

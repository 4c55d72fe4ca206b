package notices

import (
	"path/filepath"

	"mac-stats/app/i18n"
	"mac-stats/sessionmem/memory"
)

// Remembered lines that another program's save took out of a memory file: the notice bar
// tells of them, the Memory page shows them, and both offer to put them back.

// tellMissing shows the notice, with the way to put the lines back.
func (n *Notices) tellMissing(lines []memory.Dropped) {
	n.Show(missingWords(lines), i18n.T("Another program saved the file without them. The Memory page shows them; there you can also keep them removed."))
	n.Bar.offerTo(i18n.T("Restore"), func() {
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

// missingWords says how many lines are missing, and where.
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

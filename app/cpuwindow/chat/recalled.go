package chat

import (
	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// recalledChip says how much of earlier conversations an answer was made with, and
// opens them at the place. It gives none where there is nothing.
func (c *View) recalledChip(notes []agents.RecalledNote, g *kit.HoverGroup) []fyne.CanvasObject {
	if len(notes) == 0 {
		return nil
	}
	var b *kit.Button
	b = g.Add(i18n.Count("recalled: {{.N}} notes", len(notes)), func() { c.Act.OpenRecalled(notes, b) })
	return []fyne.CanvasObject{b}
}

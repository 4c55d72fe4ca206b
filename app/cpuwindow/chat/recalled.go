package chat

import (
	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// recalledChip shows how many notes of earlier conversations were in an answer's prompt,
// and opens them in their places. It returns nil if there were none.
func (c *View) recalledChip(notes []agents.RecalledNote, g *kit.HoverGroup) []fyne.CanvasObject {
	if len(notes) == 0 {
		return nil
	}
	var b *kit.Button
	b = g.Add(i18n.Count("recalled: {{.N}} notes", len(notes)), func() { c.Act.OpenRecalled(notes, b) })
	return []fyne.CanvasObject{b}
}

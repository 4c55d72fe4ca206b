package chat

import (
	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// memoryChips say what the prompt of an answer held of the memory: what the model
// was given, for what it made of it nobody knows. They open the file.
func (c *View) memoryChips(read []agents.MemoryRead, g *kit.HoverGroup) []fyne.CanvasObject {
	var out []fyne.CanvasObject
	for i, r := range read {
		label := r.Name + " · " + i18n.Count("{{.N}} lines", r.Lines)
		if i == 0 {
			label = i18n.With("Used {{.Label}}", i18n.Places{"Label": label})
		}
		if r.Cut > 0 {
			label += i18n.With(", {{.Cut}} left out", i18n.Places{"Cut": r.Cut})
		}
		out = append(out, g.Add(label, func() { c.Act.OpenMemory(r.Name) }))
	}
	return out
}

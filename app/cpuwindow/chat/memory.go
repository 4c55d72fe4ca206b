package chat

import (
	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// memoryChips shows how much of the memory was in an answer's prompt; nobody knows what the
// model made of it. Each chip opens its file.
func (c *View) memoryChips(read []agents.MemoryRead, g *kit.HoverGroup) []fyne.CanvasObject {
	var out []fyne.CanvasObject
	for i, r := range read {
		label := r.Name + " · " + i18n.Count("{{.N}} lines", r.Lines)
		if i == 0 {
			label = i18n.With("Used {{.Label}}", i18n.Places{"Label": label})
		}
		if r.Cut > 0 {
			label += i18n.With(", {{.Cut}} left out", i18n.Places{"Cut": i18n.Count("{{.N}} characters", r.Cut)})
		}
		out = append(out, g.Add(label, func() { c.Act.OpenMemory(r.Name) }))
	}
	return out
}

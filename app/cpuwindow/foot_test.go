package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/ui/kit"
)

// Whatever the width, nothing in the foot is drawn over something else.
func TestTheFootsPartsStayApart(t *testing.T) {
	newBench(t).shown()
	f := newFoot(func() {})
	f.setUsage(&agents.Usage{PromptTokens: 1300, ContextSize: 16384}, 0)
	f.setServer("Ollama 0.6.5 · ready", false)
	f.setReload("config.toml reloaded · +2 −1")
	drawn := func(w *kit.Label) (from, to float32) {
		text := test.WidgetRenderer(w).Objects()[0].(*canvas.Text)
		if text.Text == "" {
			return 0, 0
		}
		return w.Position().X, w.Position().X + kit.MeasureText(text.Text, text.TextSize, text.TextStyle).Width
	}
	seen := map[bool]bool{}
	for width := float32(260); width <= 700; width += 8 {
		f.box.Resize(fyne.NewSize(width, 16))
		f.box.Refresh()
		f.setReload("memory.md reloaded · +1")
		f.setReload("config.toml reloaded · +2 −1")
		from, to := drawn(f.reload)
		seen[to > 0] = true
		if to == 0 {
			continue
		}
		if _, context := drawn(f.context); from < context+kit.Gap8 {
			t.Errorf("%.0f wide: what was reloaded begins at %.0f, the context ends at %.0f", width, from, context)
		}
		if server, _ := drawn(f.server); to > server-kit.Gap4 {
			t.Errorf("%.0f wide: what was reloaded ends at %.0f, the server begins at %.0f", width, to, server)
		}
	}
	if !seen[true] || !seen[false] {
		t.Errorf("it was seen: %t, and away: %t", seen[true], seen[false])
	}
}

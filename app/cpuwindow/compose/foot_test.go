package compose

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

// At any width, the parts of the foot don't overlap.
func TestTheFootsPartsStayApart(t *testing.T) {
	screentest.New(t)
	f := NewFoot(func() {})
	f.SetUsage(&agents.Usage{PromptTokens: 1300, ContextSize: 16384}, 0)
	f.SetServer("Ollama 0.6.5 · ready", false)
	f.SetReload("config.toml reloaded · +2 −1")
	drawn := func(w *kit.Label) (from, to float32) {
		text := test.WidgetRenderer(w).Objects()[0].(*canvas.Text)
		if text.Text == "" {
			return 0, 0
		}
		return w.Position().X, w.Position().X + kit.MeasureText(text.Text, text.TextSize, text.TextStyle).Width
	}
	seen := map[bool]bool{}
	for width := float32(260); width <= 700; width += 8 {
		f.Box.Resize(fyne.NewSize(width, 16))
		f.Box.Refresh()
		f.SetReload("memory.md reloaded · +1")
		f.SetReload("config.toml reloaded · +2 −1")
		from, to := drawn(f.Reload)
		seen[to > 0] = true
		if to == 0 {
			continue
		}
		if _, context := drawn(f.meter); from < context+kit.Gap8 {
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

// In a narrow window the number of summarised messages gives way to the server's state.
func TestTheSummarysLinkIsHiddenWithoutRoom(t *testing.T) {
	screentest.New(t)
	f := NewFoot(func() {})
	f.SetUsage(&agents.Usage{PromptTokens: 1300, ContextSize: 16384}, 8)
	f.SetServer("Ollama 0.6.5 · ready", false)
	shown := map[bool]bool{}
	for width := float32(260); width <= 700; width += 8 {
		f.Box.Resize(fyne.NewSize(width, 16))
		text := test.WidgetRenderer(f.summary).Objects()[1].(*canvas.Text)
		shown[f.summary.Visible()] = true
		if !f.summary.Visible() {
			continue
		}
		if end := f.summary.Position().X + text.Position().X + kit.MeasureText(text.Text, text.TextSize, text.TextStyle).Width; end > f.server.Position().X {
			t.Errorf("%.0f wide: %q ends at %.0f, the server begins at %.0f", width, text.Text, end, f.server.Position().X)
		}
	}
	if !shown[true] || !shown[false] {
		t.Errorf("it was seen: %t, and away: %t", shown[true], shown[false])
	}
}

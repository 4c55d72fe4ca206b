package kit_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/app/ui/screentest"
)

// A line shortens its widest label where its parts don't fit, so that what follows it stays visible.
func TestALineShortensItsWidestLabel(t *testing.T) {
	screentest.New(t)
	for width := float32(60); width <= 500; width += 20 {
		state := kit.Small("failed: port 9 is not one that web pages are read from")
		sign := kit.NewButton(kit.ButtonQuiet, "›", func() {})
		line := kit.Line(kit.Gap8, 1, kit.Bold("Fetch"), kit.Muted("a task").Squeezable(), state, sign)
		line.Resize(fyne.NewSize(width, 20))
		if end := sign.Position().X + sign.Size().Width; end > width {
			t.Errorf("%.0f wide: the last part ends at %.0f", width, end)
		}
		if words := test.WidgetRenderer(state).Objects()[0].(*canvas.Text); width > 300 && words.Text == "" {
			t.Errorf("%.0f wide: the state has no text", width)
		}
	}
}

// A flow row wraps text, and places what follows beside it or below.
func TestAFlowRowWrapsText(t *testing.T) {
	screentest.New(t)
	for width := float32(120); width <= 600; width += 20 {
		text := prose.New([]prose.Run{{Text: "The answer ends here because the context of qwen3:8b is full."}}, kit.SizeSmall, kit.RoleMuted)
		more := kit.NewButton(kit.ButtonLink, "Continue", func() {})
		row := kit.NewFlowRow(kit.Gap8, text, more)
		row.Resize(fyne.NewSize(width, row.Measure(width)))
		if end := more.Position().X + more.Size().Width; end > width {
			t.Errorf("%.0f wide: the button ends at %.0f", width, end)
		}
		if end := more.Position().Y + more.Size().Height; end > row.Size().Height+1 {
			t.Errorf("%.0f wide: the button ends at %.0f of %.0f", width, end, row.Size().Height)
		}
		if text.Widest == 0 || text.Widest > width || text.Size().Height < float32(len(text.Lines))*text.Leading {
			t.Errorf("%.0f wide: %d lines, %.0f wide, on %v", width, len(text.Lines), text.Widest, text.Size())
		}
		beside := more.Position().X > 0
		if beside != (width >= text.Widest+kit.Gap8+more.Size().Width) {
			t.Errorf("%.0f wide: the button stands at %v", width, more.Position())
		}
	}
}

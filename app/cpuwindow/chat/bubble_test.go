package chat

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

func TestTheActionsOfAMessageStandBesideItsBubble(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		for _, width := range []float32{380, 700} {
			actions := kit.Line(kit.Gap12, -1, kit.NewButton(kit.ButtonQuiet, "Edit", func() {}), kit.NewButton(kit.ButtonQuiet, "Copy", func() {}), kit.NewButton(kit.ButtonQuiet, "Forget…", func() {}))
			f := newBubble(strings.Repeat("a message of many words ", 10), actions)
			f.Resize(fyne.NewSize(width, f.Measure(width)))
			test.WidgetRenderer(f).Layout(f.Size())
			if end := actions.Position().X + actions.Size().Width; end > f.Bg.Position().X {
				t.Errorf("%.0f wide: the actions end at %.0f, the bubble begins at %.0f", width, end, f.Bg.Position().X)
			}
		}
	})
}

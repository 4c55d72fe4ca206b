package chat

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
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

func TestALongMessageIsFolded(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		c := New(Actions{})
		build := func(lines int, key string) (*column.Framed, *kit.Button) {
			text := strings.Repeat("a line\n", lines-1) + "the needle"
			f := newBubble(text, kit.Line(0, -1))
			return f, c.fold(f, key, text)
		}
		if _, b := build(foldFrom-1, "short"); b != nil {
			t.Error("a message that is hardly longer than its fold is folded")
		}
		f, b := build(60, "long")
		folded := f.Measure(600)
		if b == nil || folded > 300 {
			t.Fatalf("60 lines are %.0f high, with the button %v", folded, b)
		}
		b.Tapped(nil)
		if whole := f.Measure(600); whole < 60*15 {
			t.Errorf("unfolded it is %.0f high", whole)
		}
		if again, _ := build(60, "long"); again.Measure(600) == folded {
			t.Error("built anew it is folded again")
		}
		b.Tapped(nil)
		f.SetMarks([]prose.Mark{{From: len(f.FlatText()) - 6, To: len(f.FlatText())}}, 0)
		if f.Measure(600) == folded {
			t.Error("what find found in the folded part isn't shown")
		}
	})
}

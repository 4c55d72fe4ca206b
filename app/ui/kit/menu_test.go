package kit

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

func TestAMenuByKeyboardAndMouse(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     func(p *menuPopUp)
		chosen string
	}{
		{"Down and Enter choose", func(p *menuPopUp) {
			p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
			p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
			p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		}, "second"},
		{"Up begins at the end", func(p *menuPopUp) {
			p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyUp})
			p.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		}, "second"},
		{"Esc closes", func(p *menuPopUp) { p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape}) }, ""},
		{"a press beside it closes", func(p *menuPopUp) { p.Tapped(nil) }, ""},
		{"a right press beside it closes", func(p *menuPopUp) { p.TappedSecondary(nil) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newTestApp(t).NewWindow("")
			w.Resize(fyne.NewSize(600, 400))
			canvas, chosen := w.Canvas(), ""
			pick := func(s string) func() { return func() { chosen = s } }
			ShowMenuAt(fyne.NewMenu("", fyne.NewMenuItem("First", pick("first")), fyne.NewMenuItem("Second", pick("second"))), fyne.NewPos(9000, 9000), canvas)
			p, ok := canvas.Overlays().Top().(*menuPopUp)
			if !ok || canvas.Focused() != fyne.Focusable(p) {
				t.Fatal("the menu is not open, or has no keyboard")
			}
			card := test.WidgetRenderer(p).(*menuRenderer).card //nolint:forcetypeassert // what the menu draws itself with
			if end := card.Position().Add(card.Size()); end.X > canvas.Size().Width || end.Y > canvas.Size().Height {
				t.Errorf("the menu ends at %v, outside the window of %v", end, canvas.Size())
			}
			c.do(p)
			if canvas.Overlays().Top() != nil {
				t.Error("the menu is still open")
			}
			if chosen != c.chosen {
				t.Errorf("%q was chosen, want %q", chosen, c.chosen)
			}
		})
	}
}

package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

func TestAMenuIsWorkedByKeysAndByMouse(t *testing.T) {
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
			inBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				canvas, chosen := b.w.win.Canvas(), ""
				pick := func(s string) func() { return func() { chosen = s } }
				showMenuAt(fyne.NewMenu("", fyne.NewMenuItem("First", pick("first")), fyne.NewMenuItem("Second", pick("second"))), fyne.NewPos(9000, 9000), canvas)
				p, ok := canvas.Overlays().Top().(*menuPopUp)
				if !ok || canvas.Focused() != fyne.Focusable(p) {
					t.Fatal("the menu is not open, or has no keyboard")
				}
				card := test.WidgetRenderer(p).(*menuRenderer).card //nolint:forcetypeassert // what the menu draws itself with
				if end := card.Position().Add(card.Size()); end.X > canvas.Size().Width || end.Y > canvas.Size().Height {
					t.Errorf("the menu ends at %v, outside the window of %v", end, canvas.Size())
				}
				c.do(p)
				b.settle()
				if canvas.Overlays().Top() != nil {
					t.Error("the menu is still open")
				}
				if chosen != c.chosen {
					t.Errorf("%q was chosen, want %q", chosen, c.chosen)
				}
			})
		})
	}
}

func TestEscClosesTheDrawerAndLeavesTheAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.win.Resize(fyne.NewSize(420, 700))
		b.enter("hello")
		b.settle()
		b.w.toggleDrawer()
		b.w.escape()
		if b.w.root.drawer {
			t.Error("Esc leaves the drawer open")
		}
		if b.run(0).stopped {
			t.Error("Esc stopped the answer behind the drawer")
		}
		b.w.escape()
		if !b.run(0).stopped {
			t.Error("Esc does not stop the answer")
		}
	})
}

func TestAFieldHasAMenuOfOurs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.p.App.Clipboard().SetContent("from elsewhere")
		c, e := b.w.win.Canvas(), b.w.compose.entry
		choose := func(nth int) {
			t.Helper()
			test.TapSecondary(e)
			p, ok := c.Overlays().Top().(*menuPopUp)
			if !ok {
				t.Fatal("no menu of ours is open")
			}
			for range nth {
				p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
			}
			p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
			b.settle()
			if c.Overlays().Top() != nil || c.Focused() != fyne.Focusable(e) {
				t.Errorf("after the choice %T has the focus", c.Focused())
			}
		}
		choose(5) // undo, redo, cut, copy, paste
		if e.Text != "from elsewhere" {
			t.Errorf("pasted is %q", e.Text)
		}
		choose(6) // select all
		choose(3)
		if e.Text != "" || b.w.p.App.Clipboard().Content() != "from elsewhere" {
			t.Errorf("after a cut of all: %q, on the clipboard %q", e.Text, b.w.p.App.Clipboard().Content())
		}
	})
}

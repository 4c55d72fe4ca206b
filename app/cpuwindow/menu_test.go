package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/ui/screentest"
)

func TestEscClosesTheDrawerAndLeavesTheAnswer(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.win.Resize(fyne.NewSize(420, 700))
		b.enter("hello")
		b.Settle()
		b.w.root.toggleDrawer()
		windowHost{b.w}.Escape()
		if b.w.root.drawer {
			t.Error("Esc leaves the drawer open")
		}
		if b.run(0).stopped {
			t.Error("Esc stopped the answer behind the drawer")
		}
		windowHost{b.w}.Escape()
		if !b.run(0).stopped {
			t.Error("Esc does not stop the answer")
		}
	})
}

func TestAFieldHasAMenuOfOurs(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.w.p.App.Clipboard().SetContent("from elsewhere")
		c, e := b.w.win.Canvas(), b.w.chat.Compose.Entry
		choose := func(nth int) {
			t.Helper()
			test.TapSecondary(e)
			p, ok := c.Overlays().Top().(fyne.Focusable)
			if !ok {
				t.Fatal("no menu of ours is open")
			}
			for range nth {
				p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
			}
			p.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
			b.Settle()
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

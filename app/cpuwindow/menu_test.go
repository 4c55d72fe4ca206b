package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"

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
		if b.run(0).Stopped {
			t.Error("Esc stopped the answer behind the drawer")
		}
		windowHost{b.w}.Escape()
		if !b.run(0).Stopped {
			t.Error("Esc does not stop the answer")
		}
	})
}

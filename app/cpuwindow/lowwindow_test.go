package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/ui/screentest"
)

func TestALowWindowKeepsRoomForTheChat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		for _, size := range []struct {
			width, height, strip float32
			cells                int
		}{{980, 700, vitals.CellHeight, 6}, {980, 400, vitals.CellHeight, 6}, {450, 700, 2 * vitals.CellCompact, 6}, {450, 380, vitals.CellCompact, 3}, {450, 700, 2 * vitals.CellCompact, 6}} {
			b.w.win.Resize(fyne.NewSize(size.width, size.height))
			shown := 0
			for _, c := range b.w.vitals.Cells {
				if c.Visible() {
					shown++
				}
			}
			if h := b.w.vitals.Object.Size().Height; shown != size.cells || h < size.strip || h > size.strip+1 {
				t.Errorf("%g × %g: %d cells on a strip of %g, want %d on %g", size.width, size.height, shown, h, size.cells, size.strip)
			}
		}
	})
}

func TestAWindowAtThreeHundredPercentKeepsRoomForTheChat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		for _, size := range []fyne.Size{fyne.NewSize(455, 249), fyne.NewSize(455, 339), fyne.NewSize(455, 340), fyne.NewSize(683, 374)} {
			b.w.win.Resize(size)
			chat, strip := b.w.chat.View.Object, b.w.vitals.Object
			if chat.Size().Height < 60 {
				t.Errorf("%v: the conversation has a height of %g", size, chat.Size().Height)
			}
			if folded := size.Height < tinyBelow; strip.Visible() == folded {
				t.Errorf("%v: the vitals are shown: %v", size, strip.Visible())
			}
		}
		// when the list is opened, then the vitals come with it
		b.w.win.Resize(fyne.NewSize(455, 249))
		b.w.root.toggleDrawer()
		if strip := b.w.vitals.Object; !strip.Visible() || b.w.side.object.Position().Y < strip.Size().Height {
			t.Errorf("the vitals are shown: %v, %v high; the list begins at %v", strip.Visible(), strip.Size(), b.w.side.object.Position())
		}
		place := func(o fyne.CanvasObject) fyne.Position {
			return fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
		}
		if find, first := b.w.side.find, b.w.side.pages[pageMemory]; place(first).Y < place(find).Y+find.Size().Height+leastList {
			t.Errorf("the search ends at %g, the pages begin at %g", place(find).Y+find.Size().Height, place(first).Y)
		}
		b.w.library.List.Port.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -1000)})
		if last := b.w.side.pages[pageSettings]; place(last).Y+last.Size().Height > 249 {
			t.Errorf("the last page is at %g, below the window, after the wheel was turned", place(last).Y)
		}
		b.w.root.toggleDrawer()
		if b.w.vitals.Object.Visible() {
			t.Error("the vitals stay when the list is closed")
		}
	})
}

// What has the focus is in the window, even where the sidebar scrolls as a whole.
func TestTheFocusStaysInALowWindow(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).withSessions(20).shown()
		for _, height := range []float32{220, 249, 340, 420, 700} {
			b.w.win.Resize(fyne.NewSize(455, height))
			if !b.w.root.drawer {
				b.w.root.toggleDrawer()
			}
			last := b.w.side.pages[pageSettings]
			for _, o := range []interface {
				fyne.Focusable
				fyne.CanvasObject
			}{b.w.side.fresh, last, b.w.side.find, b.w.side.pages[pageTools], b.w.side.Port, last, b.w.side.Port} {
				b.w.win.Canvas().Focus(o)
				b.Settle()
				driver := fyne.CurrentApp().Driver()
				at, top := driver.AbsolutePositionForObject(o), driver.AbsolutePositionForObject(b.w.side.object).Y
				if at.Y < top || at.Y+o.Size().Height > height {
					t.Errorf("a window of %g, the sidebar from %g on: %s with the focus is at %g to %g", height, top, b.focusName(), at.Y, at.Y+o.Size().Height)
				}
			}
		}
	})
}

// The list goes on above the sidebar's edge where all of it has scrolled, but isn't clicked there.
func TestTheVitalsAreClickedAboveAScrolledSidebar(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).withSessions(20).shown()
		b.w.win.Resize(fyne.NewSize(455, 249))
		for y := float32(10); y < vitals.CellCompact; y += 10 {
			b.w.showPage(pageChat)
			if !b.w.root.drawer {
				b.w.root.toggleDrawer()
			}
			b.w.win.Canvas().Focus(b.w.side.pages[pageSettings])
			test.TapCanvas(b.w.win.Canvas(), fyne.NewPos(40, y))
			b.Settle()
			if b.w.panes.page != pageVitals {
				t.Errorf("a click on the vitals at %g shows %s", y, b.w.panes.page)
			}
		}
	})
}

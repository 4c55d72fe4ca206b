package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"

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

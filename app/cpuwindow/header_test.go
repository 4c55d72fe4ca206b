package cpuwindow

import (
	"testing"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
)

func TestTheHeaderShowsItsChoicesInFull(t *testing.T) {
	tests := map[string]struct {
		width float32
		lines int
	}{
		"a window":              {980, 1},
		"one of 900":            {900, 1},
		"one of 980 at 150 %":   {653, 2},
		"a narrow one":          {420, 2},
		"the widest of drawers": {kit.DrawerBelow - 1, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				b.w.win.Resize(fyne.NewSize(test.width, 700))
				b.Settle()
				h := b.w.chat.Head
				for _, c := range []*kit.Button{h.Agent, h.Model, h.Options} {
					if c.Size().Width < c.MinSize().Width {
						t.Errorf("%q needs %g and has %g", c.Text, c.MinSize().Width, c.Size().Width)
					}
					if below := c.Position().Y >= c.MinSize().Height+kit.Gap8; below != (test.lines == 2) {
						t.Errorf("%q is at %v, want it on line %d", c.Text, c.Position(), test.lines)
					}
				}
			})
		})
	}
}

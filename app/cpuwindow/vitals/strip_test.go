package vitals

import (
	"testing"

	"fyne.io/fyne/v2"
	fynetest "fyne.io/fyne/v2/test"

	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
)

// A window 980 pixels wide has six cells of 163 pixels; at 150 %, of 109 pixels.
func TestCellsOfTheStripAreReadableAtAnyZoom(t *testing.T) {
	network := reading{label: "Network", number: "999", unit: "kB/s ↓", sub: "999 kB/s ↑", role: kit.RoleText}
	tests := map[string]struct {
		r             reading
		width, height float32
	}{
		"network":                   {network, 163, CellHeight},
		"network at 150 %":          {network, 109, CellHeight},
		"memory":                    {reading{label: "Memory", number: "18.2", unit: "of 32 GB", role: kit.RoleText}, 163, CellHeight},
		"memory at 150 %":           {reading{label: "Memory", number: "118.2", unit: "of 128 GB", role: kit.RoleText}, 109, CellHeight},
		"temperature at 150 %":      {reading{label: "Temperature", number: "101", unit: "°C hottest", role: kit.RoleText}, 109, CellHeight},
		"no GPU at 150 %":           {reading{label: "GPU", na: "no readable GPU"}, 109, CellHeight},
		"network in a narrow one":   {network, 140, CellCompact},
		"no sensor in a narrow one": {reading{label: "Temperature", na: "no sensor"}, 140, CellCompact},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			func() {
				fynetest.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
				c := newVitalCell()
				fynetest.NewWindow(c)
				c.Resize(fyne.NewSize(test.width, test.height))
				c.set(test.r, make([]monitor.Point, 60))
				for _, w := range []*kit.Label{c.Num, c.unit, c.sub} {
					end := w.Position().X + w.Size().Width
					if w.Text != "" && (widthOf(w) > w.Size().Width+1 || end > test.width || w.Position().X < 0) {
						t.Errorf("%q takes %g and has %g, to %g of %g", w.Text, widthOf(w), w.Size().Width, end, test.width)
					}
					if c.spark.Visible() && w != c.Num && w.Text != "" && overlap(w, c.spark) {
						t.Errorf("%q lies on the sparkline", w.Text)
					}
				}
				if c.sub.Text != "" && c.unit.Text != "" && overlap(c.sub, c.unit) {
					t.Errorf("%q lies on %q", c.sub.Text, c.unit.Text)
				}
			}()
		})
	}
}

func overlap(a, b fyne.CanvasObject) bool {
	apart := a.Position().X+a.Size().Width <= b.Position().X || b.Position().X+b.Size().Width <= a.Position().X ||
		a.Position().Y+a.Size().Height <= b.Position().Y || b.Position().Y+b.Size().Height <= a.Position().Y
	return !apart
}

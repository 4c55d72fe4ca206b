package vitals

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	fynetest "fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
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

// measured has a history without points.
func measured(monitor.Metric, monitor.Range) monitor.Series { return monitor.Series{} }

func TestSmallChangesAreDrawnTogether(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		screentest.New(t)
		v := NewStrip(func(monitor.Metric) {})
		at := func(cpu float64) string {
			v.Update(Readings(monitor.Snapshot{Time: time.Now(), CPU: monitor.CPUReading{Percent: cpu}}), measured)
			return v.Cells[0].Num.Text
		}
		if got := at(10); got != "10" {
			t.Errorf("the first reading shows as %s", got)
		}
		for _, step := range []struct {
			after time.Duration
			cpu   float64
			want  string
		}{
			{time.Second, 11, "10"}, // a small change waits
			{time.Second, 10, "10"},
			{time.Second, 11, "11"}, // at most three seconds
			{time.Second, 40, "40"}, // at once
			{time.Second, 41.4, "40"},
			{time.Second, 43, "43"},
		} {
			time.Sleep(step.after)
			if got := at(step.cpu); got != step.want {
				t.Errorf("at %v %% it shows %s, want %s", step.cpu, got, step.want)
			}
		}
	})
}

func TestTheStripShowsReadingsAndOpensThem(t *testing.T) {
	s := screentest.New(t)
	var opened []monitor.Metric
	v := NewStrip(func(m monitor.Metric) { opened = append(opened, m) })
	s.Win = fynetest.NewTempWindow(t, v.Object)
	s.Win.SetPadded(false)
	v.Update(Readings(monitor.Snapshot{}), measured)
	s.Sees("CPU", "–")
	v.drawn.Store(nil)
	v.Update(Readings(monitor.Snapshot{
		Time: time.Now(), CPU: monitor.CPUReading{Percent: 37.4, Cores: make([]float64, 8)}, Memory: monitor.MemoryReading{Used: 8 << 30, Total: 16 << 30},
		GPU: monitor.GPUReading{NA: "no readable GPU"}, Temperature: monitor.TemperatureReading{Celsius: 81}, Disk: monitor.DiskReading{Free: 5e9, Total: 1e11},
		Network: monitor.NetworkReading{Down: 2.5e9, Up: 3e3},
	}), measured)
	for _, tt := range []struct {
		width      float32
		narrow, lo bool
		cells      int
		height     float32
	}{
		{980, false, false, 6, CellHeight}, {980, false, true, 6, CellHeight}, {450, true, false, 6, 2 * CellCompact}, {450, true, true, 3, CellCompact},
	} {
		v.SetNarrow(tt.narrow, tt.lo)
		s.Win.Resize(fyne.NewSize(tt.width, v.Object.MinSize().Height))
		v.Object.Refresh()
		shown := 0
		for _, c := range v.Cells {
			if c.Visible() {
				shown++
				if end := c.Position().X + c.Size().Width; end > tt.width {
					t.Errorf("%g wide: a cell ends at %g", tt.width, end)
				}
			}
		}
		if h := v.Object.MinSize().Height; shown != tt.cells || h < tt.height || h > tt.height+1 {
			t.Errorf("%g wide: %d cells on %g, want %d on %g", tt.width, shown, h, tt.cells, tt.height)
		}
		s.Sees("CPU · 8 cores", "37", "8.0", "of 16 GB", "n/a")
	}
	s.SeesNot("GB/s ↓")
	v.SetNarrow(false, false)
	s.Win.Resize(fyne.NewSize(980, CellHeight+1))
	v.Object.Refresh()
	s.Sees("no readable GPU", "81", "5.0", "GB free", "2.5", "GB/s ↓", "3 kB/s ↑")
	fynetest.Tap(v.Cells[3])
	fynetest.TapCanvas(s.Canvas(), fyne.NewPos(20, 20)) // on the first cell
	if diff := cmp.Diff([]monitor.Metric{monitor.Temperature, monitor.CPU}, opened); diff != "" || v.Cells[0].Cursor() != desktop.PointerCursor {
		t.Errorf("opened (-want +got):\n%s", diff)
	}
}

// A number from before the pause is no longer true.
func TestTheStripSaysThatItIsPaused(t *testing.T) {
	s := screentest.New(t)
	v := NewStrip(func(monitor.Metric) {})
	s.Win = fynetest.NewTempWindow(t, v.Object)
	s.Win.SetPadded(false)
	s.Win.Resize(fyne.NewSize(980, CellHeight+1))
	busy := monitor.Snapshot{Time: time.Now(), CPU: monitor.CPUReading{Percent: 100, Cores: make([]float64, 8)}}
	v.Update(Readings(busy), measured)
	s.Sees("100")
	s.SeesNot("paused")
	busy.Paused = true
	if !v.Due(Readings(busy)) {
		t.Error("the pause isn't drawn")
	}
	v.Update(Readings(busy), measured)
	s.Sees("paused", "–")
	s.SeesNot("100")
	busy.Paused = false
	v.Update(Readings(busy), measured)
	s.Sees("100")
}

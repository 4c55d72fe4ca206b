package vitals

import (
	"image"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
)

// inked reports for each column of an image whether anything is drawn in its rows.
func inked(img image.Image, from, to int) string {
	s := ""
	for x := range img.Bounds().Dx() {
		sign := "."
		for y := from; y < to; y++ {
			if _, _, _, a := img.At(x, y).RGBA(); a > 0x6000 {
				sign = "#"
			}
		}
		s += sign
	}
	return s
}

func TestChart(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	point := func(v float64) monitor.Point { return monitor.Point{Mean: v, Max: v, OK: true} }
	gap := monitor.Point{}
	for _, c := range []struct {
		name        string
		points      []monitor.Point
		full        float64
		above, foot string // what is drawn in the upper and the lower half
	}{
		{"no points", nil, 100, ".........", "........."},
		{"only a gap", []monitor.Point{gap, gap, gap}, 100, ".........", "........."},
		{"zero lies at the foot", []monitor.Point{point(0), point(0), point(0)}, 100, ".........", "#########"},
		{"full lies at the top", []monitor.Point{point(100), point(100), point(100)}, 100, "#########", "........."},
		{"too much is full", []monitor.Point{point(900), point(900), point(900)}, 100, "#########", "........."},
		{"a gap is left out", []monitor.Point{point(0), point(0), gap, point(0), point(0)}, 100, ".........", "###..####"},
		{"one reading is no line", []monitor.Point{gap, gap, point(50)}, 100, ".........", "........."},
		{"its own maximum is the top", []monitor.Point{point(7), point(7), point(7)}, 0, "#########", "........."},
	} {
		t.Run(c.name, func(t *testing.T) {
			ch := newChart(9, 20, false)
			ch.Resize(fyne.NewSize(9, 20))
			ch.set(c.points, c.full)
			img := (&chartRenderer{c: ch}).draw(9, 20)
			if got := inked(img, 0, 10); got != c.above {
				t.Errorf("above %s, want %s", got, c.above)
			}
			if got := inked(img, 10, 20); got != c.foot {
				t.Errorf("below %s, want %s", got, c.foot)
			}
		})
	}
}

func TestPeaksAreDrawnOverMeans(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	points := []monitor.Point{{Mean: 0, Max: 100, OK: true}, {Mean: 0, Max: 100, OK: true}}
	for _, peaks := range []bool{true, false} {
		c := newChart(9, 20, peaks)
		c.set(points, 100)
		_, _, _, a := (&chartRenderer{c: c}).draw(9, 20).At(4, 1).RGBA()
		if (a > 0) != peaks {
			t.Errorf("peaks %v, but the top has strength %d", peaks, a)
		}
	}
}

func TestAChartIsRedrawnOnlyIfItLooksDifferent(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	c := newChart(60, 20, false)
	points := func(v float64) []monitor.Point {
		return []monitor.Point{{Mean: 50, Max: 50, OK: true}, {Mean: v, Max: 99, OK: true}}
	}
	for _, step := range []struct {
		name  string
		value float64
		full  float64
		want  int
	}{
		{"the first time", 10, 100, 1},
		{"the same", 10, 100, 0},
		{"a change below a pixel", 10.6, 100, 0},
		{"a change of a pixel", 15, 100, 1},
		{"another scale", 15, 50, 1},
	} {
		before := slices.Clone(c.drawn)
		c.set(points(step.value), step.full)
		draws := 0
		if !slices.Equal(before, c.drawn) {
			draws = 1
		}
		if draws != step.want {
			t.Errorf("%s: drawn %d times, want %d", step.name, draws, step.want)
		}
	}
}

// BenchmarkChart measures a change of a chart of a whole day.
func BenchmarkChart(b *testing.B) {
	test.NewTempApp(b).Settings().SetTheme(kit.NewTheme(kit.Look{}))
	c := newChart(320, 56, true)
	c.Resize(fyne.NewSize(320, 56))
	for i := range 144 {
		c.points = append(c.points, monitor.Point{Mean: float64(i % 50), Max: float64(i % 90), OK: true})
	}
	r := &chartRenderer{c: c}
	for b.Loop() {
		r.draw(320, 56)
	}
}

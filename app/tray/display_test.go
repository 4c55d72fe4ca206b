package tray

import (
	"bytes"
	"image/png"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestCellsOf(t *testing.T) {
	all := Display{Graph: true, Numbers: true, CPU: true, Memory: true, Temperature: true, Network: true}
	for _, c := range []struct {
		name string
		d    Display
		r    Reading
		want []cell
	}{
		{"nothing chosen is the CPU", Display{}, Reading{CPU: 12}, []cell{{"10", 10, calm}}},
		{"all of it", all, Reading{CPU: 61, Memory: 96, Temperature: 81.2, Network: 4.2e6}, []cell{
			{"60", 60, warm}, {"95", 95, hot}, {"82", 80, warm}, {"4", 70, calm},
		}},
		{"nothing known", all, Unknown(), []cell{noCell(), noCell(), noCell(), noCell()}},
		{"cold and idle", all, Reading{}, []cell{{"0", 0, calm}, {"0", 0, calm}, {"0", 0, calm}, {"0", 0, calm}}},
		{"little traffic", Display{Network: true}, Reading{Network: 3.1e5}, []cell{{".3", 50, calm}}},
		{"nearly one", Display{Network: true}, Reading{Network: 9.6e5}, []cell{{"1", 60, calm}}},
		{"very much", Display{Network: true}, Reading{Network: 1e12}, []cell{{"999", 100, calm}}},
	} {
		cells, n := cellsOf(c.d, c.r)
		if diff := cmp.Diff(c.want, cells[:n], cmp.AllowUnexported(cell{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestEveryDisplayHasItsOwnPicture(t *testing.T) {
	icons, seen := newIcons(false, false), map[string]Display{}
	r := Reading{CPU: 35, Memory: 55, Temperature: 70, Network: 2e7}
	for bits := range 1 << 6 {
		var d Display
		for i, o := range options() {
			*o.field(&d) = bits>>i&1 == 1
		}
		if d != d.normal() {
			continue
		}
		s := state{display: d}
		s.cells, s.n = cellsOf(d, r)
		data := icons.of(s)
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil || img.Bounds().Dx() != iconSize {
			t.Fatalf("%+v: %v", d, err)
		}
		if before, ok := seen[string(data)]; ok {
			t.Errorf("%+v looks like %+v", d, before)
		}
		seen[string(data)] = d
	}
	if len(seen) != 3*15 {
		t.Errorf("%d pictures, want 45", len(seen))
	}
	if len(icons.drawn) > maxDrawn {
		t.Errorf("%d pictures are kept", len(icons.drawn))
	}
}

func TestBesideTheIcon(t *testing.T) {
	for _, c := range []struct {
		d      Display
		r      Reading
		paused bool
		want   string
	}{
		{Display{Graph: true, CPU: true}, Reading{CPU: 40}, false, ""},
		{Display{Numbers: true, CPU: true, Temperature: true, Network: true}, Reading{CPU: 40, Temperature: 60, Network: 2e6}, false, "40% 60° \u20072"},
		{Display{Numbers: true, Memory: true}, Unknown(), false, "\u2007–"},
		{Display{Numbers: true, CPU: true}, Reading{CPU: 40}, true, ""},
		{Display{Numbers: true, CPU: true}, Reading{CPU: 5}, false, "\u20075%"},
	} {
		s := state{display: c.d, paused: c.paused}
		s.cells, s.n = cellsOf(c.d, c.r)
		if got := s.beside(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.d, got, c.want)
		}
	}
}

func TestTheMenuSwitchesWhatTheIconShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var chosen []Display
		shell := &fakeShell{}
		bar := newMenuBar(params(Actions{Display: func(d Display) { chosen = append(chosen, d) }}), shell, present)
		bar.titled = true
		bar.Start()
		bar.SetVitals(Reading{CPU: 40, Memory: 50, Temperature: 60, Network: 0}, "")
		synctest.Wait()
		shell.take()
		for _, step := range []struct {
			name string
			do   func()
			then string
			want Display
		}{
			{"another metric", func() { shell.onClick(labelMemory) }, "icon|title 40% 50%|checked", Display{Graph: true, Numbers: true, CPU: true, Memory: true}},
			{"one less", func() { shell.onClick(labelCPU) }, "icon|title 50%|unchecked", Display{Graph: true, Numbers: true, Memory: true}},
			{"the last one gives way to the CPU", func() { shell.onClick(labelMemory) }, "icon|title 40%|checked|unchecked", Display{Graph: true, Numbers: true, CPU: true}},
			{"no graph", func() { shell.onClick(labelGraph) }, "icon|unchecked", Display{Numbers: true, CPU: true}},
			{"nor numbers brings the graph back", func() { shell.onClick(labelNumbers) }, "icon|title |checked|unchecked", Display{Graph: true, CPU: true}},
			{"a number that is not shown", func() { bar.SetVitals(Reading{CPU: 40, Memory: 99}, "") }, "", Display{Graph: true, CPU: true}},
		} {
			step.do()
			synctest.Wait()
			if got := strings.Join(shell.take(), "|"); got != step.then {
				t.Errorf("%s: %q, want %q", step.name, got, step.then)
			}
			if got := chosen[len(chosen)-1]; got != step.want {
				t.Errorf("%s: chosen %+v, want %+v", step.name, got, step.want)
			}
		}
		bar.Stop()
	})
}

package cpuwindow

import (
	"testing"
	"time"

	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
)

func TestSmallChangesAreDrawnTogether(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		at := func(cpu float64) string {
			b.vitals.publish(monitor.Snapshot{Time: time.Now(), CPU: monitor.CPUReading{Percent: cpu}})
			b.settle()
			return b.w.vitals.cells[0].num.Text
		}
		if got := at(10); got != "10" {
			t.Errorf("the first reading shows as %s", got)
		}
		for _, step := range []struct {
			after time.Duration
			cpu   float64
			want  string
		}{
			{time.Second, 11, "10"}, // nobody acts on it: it waits
			{time.Second, 10, "10"},
			{time.Second, 11, "11"}, // for three seconds at most
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

func TestAlmost(t *testing.T) {
	for _, c := range []struct {
		a, b reading
		want bool
	}{
		{reading{number: "3", unit: "%"}, reading{number: "4", unit: "%"}, true},
		{reading{number: "3", unit: "%"}, reading{number: "5", unit: "%"}, false},
		{reading{number: "60", unit: "%"}, reading{number: "62", unit: "%"}, true},
		{reading{number: "79", role: kit.RoleText}, reading{number: "80", role: kit.RoleWarn}, false},
		{reading{number: "2.3"}, reading{number: "2.4"}, true},
		{reading{number: "2.3"}, reading{number: "2.5"}, false},
		{reading{number: "999", unit: "kB/s ↓"}, reading{number: "1.0", unit: "MB/s ↓"}, false},
		{reading{number: "0", sub: "0 kB/s ↑"}, reading{number: "0", sub: "1 kB/s ↑"}, true},
		{reading{number: "0", sub: "0 kB/s ↑"}, reading{number: "0", sub: "9 kB/s ↑"}, false},
		{reading{number: "0", sub: "1.0 kB/s ↑"}, reading{number: "0", sub: "1.0 MB/s ↑"}, false},
		{reading{na: "no sensor"}, reading{number: "50"}, false},
		{reading{}, reading{number: "50"}, false},
	} {
		if got := c.a.almost(c.b); got != c.want {
			t.Errorf("%+v and %+v: %v", c.a, c.b, got)
		}
	}
}

package vitals

import (
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
)

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

func TestLevels(t *testing.T) {
	tests := []struct {
		name string
		r    reading
		want fyne.ThemeColorName
	}{
		{"calm CPU", cpuReading(monitor.Snapshot{Time: time.Now(), CPU: monitor.CPUReading{Percent: 40}}), kit.RoleText},
		{"hot CPU", cpuReading(monitor.Snapshot{Time: time.Now(), CPU: monitor.CPUReading{Percent: 96}}), kit.RoleHot},
		{"warm", temperatureReading(monitor.Snapshot{Temperature: monitor.TemperatureReading{Celsius: 81}}), kit.RoleWarn},
		{"a disk with room", diskReading(monitor.Snapshot{Disk: monitor.DiskReading{Free: 200e9, Total: 500e9}}), kit.RoleText},
		{"a disk nearly full", diskReading(monitor.Snapshot{Disk: monitor.DiskReading{Free: 1e9, Total: 500e9}}), kit.RoleHot},
		{"memory under pressure", memoryReading(monitor.Snapshot{Memory: monitor.MemoryReading{Used: 90, Total: 100}}), kit.RoleWarn},
	}
	for _, tc := range tests {
		if tc.r.role != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, tc.r.role, tc.want)
		}
	}
	if r := gpuReading(monitor.Snapshot{Time: time.Now(), GPU: monitor.GPUReading{NA: "why"}}); r.number != "" || r.na != "why" {
		t.Errorf("a missing sensor reads %+v", r)
	}
}

func TestThePageShowsEveryMetric(t *testing.T) {
	for _, m := range monitor.Metrics() {
		if !slices.Contains(pageMetrics(), m) {
			t.Errorf("%s is measured and has no card in details", m)
		}
	}
}

func TestMemoryDetailWithoutSwap(t *testing.T) {
	lines := memoryDetail(monitor.Snapshot{Time: time.Now(), Memory: monitor.MemoryReading{Used: 1 << 30, Total: 8 << 30, SwapNA: "no swap", Pressure: "waiting 0.4 % of the time"}}).lines
	if got := lines[1:]; !slices.Equal(got, []string{"no swap", "pressure: waiting 0.4 % of the time"}) {
		t.Errorf("%q", got)
	}
}

func TestTheQuitButtonDoesNotOverlapTheMemory(t *testing.T) {
	test.NewTempApp(t)
	l := newProcessLine(func(monitor.Process) {})
	l.Object.Resize(fyne.NewSize(600, processLead))
	if memory, quit := l.memory.Position().X+l.memory.Size().Width, l.Quit.Position().X; quit-memory < kit.Gap8 {
		t.Errorf("%g px between the memory and the button", quit-memory)
	}
}

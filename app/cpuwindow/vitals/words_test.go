package vitals

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/app/i18n"
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

func TestDetails(t *testing.T) {
	now := time.Now()
	sensors := make([]monitor.Sensor, sensorLines+2)
	for i := range sensors {
		sensors[i] = monitor.Sensor{Name: fmt.Sprintf("s%d", i), Celsius: 40}
	}
	for _, tt := range []struct {
		name string
		d    detail
		text string // number, unit, scope and lines
	}{
		{"one core", cpuDetail(monitor.Snapshot{Time: now, CPU: monitor.CPUReading{Percent: 5, LoadNA: "not on Windows"}}), "5 % · % of the whole machine · load average n/a: not on Windows"},
		{"no CPU", cpuDetail(monitor.Snapshot{Time: now, CPU: monitor.CPUReading{NA: "why"}}), " · % of the whole machine"},
		{"swap that is used", memoryDetail(monitor.Snapshot{Memory: monitor.MemoryReading{Used: 1 << 30, Total: 8 << 30, Available: 7 << 30, SwapUsed: 1 << 30, SwapTotal: 2 << 30, Pressure: "raised"}}), "1.0 of 8 GB used · of the whole machine · 7.0 GB available · swap 1.0 of 2.0 GB · pressure: raised"},
		{"swap not known", memoryDetail(monitor.Snapshot{Memory: monitor.MemoryReading{Used: 1 << 30, Total: 8 << 30, SwapNA: "why", PressureNA: "not reported by this kernel"}}), "1.0 of 8 GB used · of the whole machine · 0.0 GB available · swap n/a: why · pressure n/a: not reported by this kernel"},
		{"no memory", memoryDetail(monitor.Snapshot{}), " · of the whole machine"},
		{"a GPU", gpuDetail(monitor.Snapshot{Time: now, GPU: monitor.GPUReading{Percent: 12, Name: "Radeon", Cards: []monitor.GPUCard{{Name: "Radeon", Percent: 12}}}}), "12 % · % of the busiest GPU · Radeon"},
		{
			"a GPU with its memory and programs", gpuDetail(monitor.Snapshot{Time: now, GPU: monitor.GPUReading{Percent: 94, Name: "RTX", Cards: []monitor.GPUCard{
				{Name: "RTX", Percent: 94, MemoryUsed: 5 << 30, MemoryTotal: 20 << 30, Celsius: 61, Watts: 70.5, Processes: []monitor.GPUProcess{
					{PID: 1, Name: "ollama", Memory: 4 << 30}, {PID: 2}, {PID: 3, Name: "c"}, {PID: 4, Name: "d"}, {PID: 5, Name: "e"}, {PID: 6, Name: "f"},
				}},
				{Name: "i915", PercentNA: "the GPU is asleep"},
			}}}),
			"94 % · % of the busiest GPU · RTX · 94 % · 5.0 of 20 GB · 61 °C · 70 W · ollama 4.0 GB · process 2 · c · d · and 2 more · i915 · n/a: the GPU is asleep",
		},
		{"many sensors", temperatureDetail(monitor.Snapshot{Temperature: monitor.TemperatureReading{Celsius: 40, All: sensors}}), "40 °C · the hottest of 8 sensors · s0 40 °C · s1 40 °C · s2 40 °C · s3 40 °C · s4 40 °C · s5 40 °C · and 2 more, cooler"},
		{"no sensor", temperatureDetail(monitor.Snapshot{Temperature: monitor.TemperatureReading{NA: "no temperature sensor"}}), " · the hottest sensor"},
		{"no rates", diskDetail(monitor.Snapshot{Disk: monitor.DiskReading{Free: 1e9, Total: 4e9, RateNA: "why"}}), "1.0 GB free of 4.0 GB · the volume of your home folder · transfers n/a: why"},
		{"no disk", diskDetail(monitor.Snapshot{}), " · the volume of your home folder"},
		{"much traffic", networkDetail(monitor.Snapshot{Time: now, Network: monitor.NetworkReading{Down: 2e9, Up: 900}}), "2.0 GB/s · up and down together · down 2.0 GB/s · up 900 B/s"},
		{"two cards", networkDetail(monitor.Snapshot{Time: now, Network: monitor.NetworkReading{Interfaces: []string{"eth0", "wlan0"}}}), "0 kB/s · up and down together · down 0 B/s · up 0 B/s · counted: eth0, wlan0"},
		{"many cards", networkDetail(monitor.Snapshot{Time: now, Network: monitor.NetworkReading{Interfaces: strings.Fields("a b c d e f")}}), "0 kB/s · up and down together · down 0 B/s · up 0 B/s · counted: a, b, c, d and 2 more"},
		{"no network", networkDetail(monitor.Snapshot{Time: now, Network: monitor.NetworkReading{NA: "no network interface"}}), " · up and down together"},
		{"on mains", batteryDetail(monitor.Snapshot{Time: now, Battery: monitor.BatteryReading{Percent: 99}}), "99 % · of its charge when full · on mains"},
		{"charging", batteryDetail(monitor.Snapshot{Time: now, Battery: monitor.BatteryReading{Percent: 9, Charging: true}}), "9 % · of its charge when full · charging"},
		{"a faulty battery", batteryDetail(monitor.Snapshot{Time: now, Battery: monitor.BatteryReading{Percent: 50, Without: "BAT1"}}), "50 % · of its charge when full · on mains · charge not reported by BAT1"},
		{"no battery", batteryDetail(monitor.Snapshot{Time: now, Battery: monitor.BatteryReading{NA: "no battery"}}), " · of its charge when full"},
	} {
		got := strings.Join(append([]string{strings.TrimSpace(tt.d.number + " " + tt.d.unit), tt.d.scope}, tt.d.lines...), " · ")
		if got != tt.text {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.text)
		}
	}
}

func TestTheStripNamesTheInterfacesItCounts(t *testing.T) {
	for want, names := range map[string][]string{"Network": nil, "Network · eth0": {"eth0"}, "Network · 3 interfaces": {"eth0", "eth1", "wlan0"}} {
		if got := networkReading(monitor.Snapshot{Network: monitor.NetworkReading{Interfaces: names}}).label; got != want {
			t.Errorf("%v: %q, want %q", names, got, want)
		}
		if got := networkDetail(monitor.Snapshot{Network: monitor.NetworkReading{Interfaces: names}}).label; got != "Network" {
			t.Errorf("%v: the page's title is %q", names, got)
		}
	}
}

// The reasons that the monitor gives in English can be translated; unknown ones are shown.
func TestReasonsAreTranslated(t *testing.T) {
	texts, err := i18n.Read(os.DirFS("../../../assets"))
	if err != nil {
		t.Fatal(err)
	}
	german := func(text string) bool { return texts["de"][text] != nil }
	for _, why := range []string{"no readable GPU", "no sensor", "no battery", "the battery doesn't report its charge", "no network interface", "not reported by this kernel", "not reported by this system"} {
		if got := naWords(why); got != why || !german(why) {
			t.Errorf("%q is shown as %q, in German: %t", why, got, german(why))
		}
	}
	for _, words := range []string{"normal", "raised", "critical"} {
		if got := pressureWords(words); got != words || !german(words) {
			t.Errorf("%q is shown as %q, in German: %t", words, got, german(words))
		}
	}
	if naWords("something else") != "something else" || pressureWords("something else") != "something else" {
		t.Error("an unknown reason isn't shown")
	}
}

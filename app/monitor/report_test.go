package monitor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func vitals() Snapshot {
	return Snapshot{
		CPU:         CPUReading{Percent: 37.4, Cores: []float64{70, 4.6}, Load1: 1.5, Load5: 1.25, Load15: 1},
		Memory:      MemoryReading{Used: 182 * gib / 10, Total: 32 * gib, Available: 138 * gib / 10, SwapNA: "no swap"},
		Disk:        DiskReading{Free: 212e9, Total: 494.4e9, ReadRate: 1.5e6, WriteRate: 0},
		Network:     NetworkReading{Interfaces: []string{"eth0", "wlan0"}, Down: 2.4e6, Up: 812},
		GPU:         GPUReading{NA: "no readable GPU"},
		Temperature: TemperatureReading{Sensor: "coretemp", Celsius: 81.2},
		Battery:     BatteryReading{Percent: 64, Charging: true},
		Processes:   ProcessesReading{Top: []Process{{PID: 7, Name: "ollama", CPU: 182, Memory: 4.1e9}}},
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Snapshot)
		want   string
	}{
		{"everything", func(*Snapshot) {}, "CPU 37 % · memory 18.2 of 32 GB · 81 °C · disk 212 GB free"},
		{
			"with a GPU, on battery", func(s *Snapshot) {
				s.GPU = GPUReading{Percent: 5}
				s.Battery = BatteryReading{Percent: 64, OnBattery: true}
			},
			"CPU 37 % · memory 18.2 of 32 GB · GPU 5 % · 81 °C · disk 212 GB free · battery 64 %",
		},
		{"what is n/a is left out", func(s *Snapshot) { s.CPU.NA, s.Temperature.NA = "x", "y" }, "memory 18.2 of 32 GB · disk 212 GB free"},
		{"nothing yet", func(s *Snapshot) {
			for _, m := range Metrics() {
				s.setNA(m, notSampled)
			}
		}, "no vitals yet"},
		{"paused", func(s *Snapshot) { s.Paused = true }, "monitoring is paused"},
	} {
		s := vitals()
		c.change(&s)
		if got := s.Line(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReport(t *testing.T) {
	want := strings.Join([]string{
		"CPU: 37 % of all 2 cores together; each core in %: 70, 5; load average 1.50 (1 min), 1.25 (5 min), 1.00 (15 min)",
		"Memory: 18.2 of 32 GB used (57 %), 13.8 GB available; swap n/a (no swap)",
		"Disk: 212 GB of 494 GB free on the volume of the home folder; reading 1.5 MB/s, writing 0 B/s",
		"Network: 2.4 MB/s down, 812 B/s up, counted at eth0, wlan0",
		"GPU: n/a (no readable GPU)",
		"Temperature: 81 °C at the hottest sensor (coretemp)",
		"Battery: 64 %, charging",
		"Processes, busiest first (CPU in % of one core):",
		"- ollama (pid 7): CPU 182 %, memory 4.1 GB",
	}, "\n")
	s := vitals()
	if diff := cmp.Diff(want, s.Report("")); diff != "" {
		t.Errorf("everything (-want +got):\n%s", diff)
	}
	if got := s.Report(" GPU "); got != "GPU: n/a (no readable GPU)" {
		t.Errorf("one topic: %q", got)
	}
	for _, topic := range Topics() {
		if got := s.Report("colour"); !strings.Contains(got, topic) {
			t.Errorf("an unknown topic does not name %s: %q", topic, got)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 99949: "99.9 kB", 99999: "100 kB", 999499: "999 kB", 999500: "1.0 MB", 1 << 63: "9.2 EB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestParseNvidiaSMI(t *testing.T) {
	// The first two lines of either are recorded from an H200 with driver 580.
	cards := "99, 9075, 143771, 58, 693.92, Disabled, GPU-f9251ec8, NVIDIA H200\n" +
		"[N/A], 40448, 81559, 33, 71.20, Enabled, GPU-2, NVIDIA H100 80GB HBM3\n" +
		"[N/A], [N/A], [N/A], [N/A], [Not Supported], [N/A], GPU-3, Tesla, K80\n\nnonsense\n"
	processes := "GPU-f9251ec8, 532, 9066, python3\n" + "GPU-f9251ec8, 77, [N/A], [Not Found]\n" +
		"GPU-2, 9, 100, /opt/a b/ollama\n" + "GPU-2, 8, 300, C:\\x\\game.exe\n" + "GPU-other, 1, 1, x\nnonsense\n"
	got := parseNvidiaSMI([]byte(cards), []byte(processes))
	want := []GPUCard{
		{
			Name: "NVIDIA H200", Percent: 99, MemoryUsed: 9075 << 20, MemoryTotal: 143771 << 20, Celsius: 58, Watts: 693.92,
			Processes: []GPUProcess{{PID: 532, Name: "python3", Memory: 9066 << 20}, {PID: 77}},
		},
		{
			Name: "NVIDIA H100 80GB HBM3", PercentNA: "NVIDIA H100 80GB HBM3 is partitioned (MIG) and doesn't report its load",
			MemoryUsed: 40448 << 20, MemoryTotal: 81559 << 20, Celsius: 33, Watts: 71.2,
			Processes: []GPUProcess{{PID: 8, Name: "game.exe", Memory: 300 << 20}, {PID: 9, Name: "ollama", Memory: 100 << 20}},
		},
		{Name: "Tesla, K80", PercentNA: "Tesla, K80 doesn't report its load"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseIOReg(t *testing.T) {
	out := `+-o AGXAcceleratorG13X  <class AGXAcceleratorG13X, id 0x1000004c8, registered, matched>
  | {
  |   "model" = "Apple M1 Pro"
  |   "PerformanceStatistics" = {"In use system memory"=1,"Device Utilization %"=23,"Renderer Utilization %"=22}
  | }

+-o IntelAccelerator  <class IntelAccelerator>
    {
      "model" = <"Intel UHD">
    }
`
	want := []GPUCard{{Name: "Apple M1 Pro", Percent: 23}, {Name: "Intel UHD", PercentNA: "IntelAccelerator doesn't report its load"}}
	if diff := cmp.Diff(want, parseIOReg([]byte(out))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzGPUOutput(f *testing.F) {
	f.Add([]byte("5, 1, 2, 3, 4, x, GPU-1, a\nGPU-1, 1, 99999999999999999999999, b\n"))
	f.Add([]byte("+-o x\n\"Device Utilization %\"=9999999999999999999999\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, gpu := range append(parseIOReg(data), parseNvidiaSMI(data, data)...) {
			if gpu.PercentNA == "" && !(gpu.Percent >= 0 && gpu.Percent <= 100) {
				t.Errorf("%q gives %+v", data, gpu)
			}
		}
	})
}

package monitor

import "time"

// Metric is a sampled quantity.
type Metric string

// The metrics.
const (
	CPU         Metric = "cpu"
	Memory      Metric = "memory"
	Disk        Metric = "disk"
	Network     Metric = "network"
	GPU         Metric = "gpu"
	Temperature Metric = "temperature"
	Battery     Metric = "battery"
	Processes   Metric = "processes"
)

// Metrics lists all metrics in the order of reports.
func Metrics() []Metric {
	return []Metric{CPU, Memory, Disk, Network, GPU, Temperature, Battery, Processes}
}

// notSampled is the reason for a value that was not requested yet.
const notSampled = "not sampled yet"

// Snapshot holds the latest reading of every metric. An NA field says why a value is
// missing; it is "" if the value is there.
type Snapshot struct {
	Time        time.Time // of the latest reading
	Paused      bool
	CPU         CPUReading
	Memory      MemoryReading
	Disk        DiskReading
	Network     NetworkReading
	GPU         GPUReading
	Temperature TemperatureReading
	Battery     BatteryReading
	Processes   ProcessesReading
}

// CPUReading is the load of all cores together and of each, in percent (0 to 100), and the
// load averages of 1, 5 and 15 minutes if the system has them.
type CPUReading struct {
	NA      string
	Percent float64
	Cores   []float64 // shared between snapshots: read only
	LoadNA  string
	Load1   float64
	Load5   float64
	Load15  float64
}

// MemoryReading is the use of memory and swap, in bytes.
type MemoryReading struct {
	NA                     string
	Used, Total, Available uint64
	Cached                 uint64 // cached files, released when needed; 0 if unknown
	SwapUsed, SwapTotal    uint64
	SwapNA                 string
	Pressure               string // in words: "waiting 0.4 % of the time"
	PressureNA             string
}

// Percent returns the used share of the memory, 0 to 100; 0 if the total is unknown.
func (r MemoryReading) Percent() float64 {
	if r.Total == 0 {
		return 0
	}
	return float64(r.Used) / float64(r.Total) * 100
}

// DiskReading covers the volume with the home folder (bytes), and all disks together
// (bytes/s).
type DiskReading struct {
	NA                  string
	Free, Total         uint64
	RateNA              string
	ReadRate, WriteRate float64
	Volumes             []Volume // shared between snapshots: read only
}

// Volume is a mounted volume on a disk of this machine.
type Volume struct {
	Path                string // the mount point
	Free, Total         uint64 // bytes
	RateNA              string
	ReadRate, WriteRate float64 // bytes/s
}

// NetworkReading is the traffic of the interfaces that lead out of the machine, in bytes/s.
type NetworkReading struct {
	NA         string
	Interfaces []string // those counted that ever carried anything, or else all; shared: read only
	Down, Up   float64
}

// GPUReading covers the graphics cards. Name and Percent are of the busiest one.
type GPUReading struct {
	NA        string // no card tells anything
	Name      string
	PercentNA string // cards are read, but none reports how busy it is
	Percent   float64
	Cards     []GPUCard // busiest first; shared between snapshots: read only
}

// GPUCard is one graphics card. A value that its driver doesn't report is 0, but for the
// load, which has a reason.
type GPUCard struct {
	Name        string       `json:"name"`
	PercentNA   string       `json:"percent_na,omitempty"`
	Percent     float64      `json:"percent"`
	MemoryUsed  uint64       `json:"memory_used,omitempty"` // bytes of its own memory
	MemoryTotal uint64       `json:"memory_total,omitempty"`
	Celsius     float64      `json:"celsius,omitempty"`
	Watts       float64      `json:"watts,omitempty"`
	Partitions  int          `json:"partitions,omitempty"` // into which it is divided (MIG)
	Processes   []GPUProcess `json:"processes,omitempty"`  // with the most of its memory first
	// ProcessesNA says whose processes are missing from the list; "" if none are.
	ProcessesNA string `json:"processes_na,omitempty"`
}

// GPUProcess is a process that uses a graphics card. Memory is 0 if it isn't reported.
type GPUProcess struct {
	PID    int    `json:"pid"`
	Name   string `json:"name,omitempty"` // "" for a process that isn't visible from here, as in a container
	Memory uint64 `json:"memory,omitempty"`
}

// TemperatureReading is the hottest sensor, °C.
type TemperatureReading struct {
	NA      string
	Sensor  string
	Celsius float64
	All     []Sensor // hottest first; shared between snapshots: read only
}

// Sensor is one temperature, °C.
type Sensor struct {
	Name    string
	Celsius float64
}

// BatteryReading is the charge, in percent.
type BatteryReading struct {
	NA        string
	Percent   float64
	Charging  bool
	OnBattery bool
	Without   string // batteries that don't report their charge, so that they aren't counted
}

// ProcessesReading holds the busiest processes, sampled only while shown.
type ProcessesReading struct {
	NA       string
	Count    int       // number of all processes
	Top      []Process // by CPU; shared between snapshots: read only
	ByMemory []Process // by memory; also shared
}

// Process is one process; CPU is in percent of one core, as in top.
type Process struct {
	PID    int32
	Since  int64 // start time in the system's own unit: distinguishes it from another with this PID
	Name   string
	CPU    float64
	Memory uint64 // resident bytes
}

// setNA replaces a metric's reading with the reason for its absence.
func (s *Snapshot) setNA(metric Metric, why string) {
	switch metric {
	case CPU:
		s.CPU = CPUReading{NA: why}
	case Memory:
		s.Memory = MemoryReading{NA: why}
	case Disk:
		s.Disk = DiskReading{NA: why}
	case Network:
		s.Network = NetworkReading{NA: why}
	case GPU:
		s.GPU = GPUReading{NA: why}
	case Temperature:
		s.Temperature = TemperatureReading{NA: why}
	case Battery:
		s.Battery = BatteryReading{NA: why}
	case Processes:
		s.Processes = ProcessesReading{NA: why}
	}
}

// headline returns the value of a metric that a sparkline draws.
func (s *Snapshot) headline(metric Metric) (float64, bool) {
	switch metric {
	case CPU:
		return s.CPU.Percent, s.CPU.NA == ""
	case Memory:
		return s.Memory.Percent(), s.Memory.NA == ""
	case Disk:
		return s.Disk.ReadRate + s.Disk.WriteRate, s.Disk.NA == "" && s.Disk.RateNA == ""
	case Network:
		return s.Network.Down + s.Network.Up, s.Network.NA == ""
	case GPU:
		return s.GPU.Percent, s.GPU.NA == "" && s.GPU.PercentNA == ""
	case Temperature:
		return s.Temperature.Celsius, s.Temperature.NA == ""
	case Battery:
		return s.Battery.Percent, s.Battery.NA == ""
	default:
		return 0, false
	}
}

// na returns why a metric has no reading; "" if it has one.
func (s *Snapshot) na(metric Metric) string {
	switch metric {
	case CPU:
		return s.CPU.NA
	case Memory:
		return s.Memory.NA
	case Disk:
		return s.Disk.NA
	case Network:
		return s.Network.NA
	case GPU:
		return s.GPU.NA
	case Temperature:
		return s.Temperature.NA
	case Battery:
		return s.Battery.NA
	default:
		return s.Processes.NA
	}
}

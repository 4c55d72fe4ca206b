package monitor

import (
	"fmt"
	"strings"
)

// gib is the unit of memory. Memory is counted in powers of two, disks and networks in
// powers of ten, as on machines' labels.
const gib = 1 << 30

// Line returns the vitals in one line for a prompt or a menu: "CPU 37 % · memory 18.2 of 32
// GB · 81 °C · disk 212 GB free". It leaves out missing values.
func (s Snapshot) Line() string {
	if s.Paused {
		return "monitoring is paused"
	}
	var parts []string
	if s.CPU.NA == "" {
		parts = append(parts, fmt.Sprintf("CPU %.0f %%", s.CPU.Percent))
	}
	if s.Memory.NA == "" {
		parts = append(parts, "memory "+ofGiB(s.Memory.Used, s.Memory.Total))
	}
	if s.GPU.NA == "" {
		parts = append(parts, s.GPU.line())
	}
	if s.Temperature.NA == "" {
		parts = append(parts, fmt.Sprintf("%.0f °C", s.Temperature.Celsius))
	}
	if s.Disk.NA == "" {
		parts = append(parts, fmt.Sprintf("disk %s free", Bytes(s.Disk.Free)))
	}
	if s.Battery.NA == "" && s.Battery.OnBattery {
		parts = append(parts, fmt.Sprintf("battery %.0f %%", s.Battery.Percent))
	}
	if len(parts) == 0 {
		return "no vitals yet"
	}
	return strings.Join(parts, " · ")
}

// ofGiB returns "18.2 of 32 GB".
func ofGiB(part, whole uint64) string {
	w := fmt.Sprintf("%.1f", float64(whole)/gib)
	return fmt.Sprintf("%.1f of %s GB", float64(part)/gib, strings.TrimSuffix(w, ".0"))
}

// GiB returns a size of memory: "6.2 GB".
func GiB(n uint64) string { return fmt.Sprintf("%.1f GB", float64(n)/gib) }

// Bytes returns a size in powers of ten, with three digits: "812 B", "4.1 MB", "212 GB".
func Bytes(n uint64) string { return bytesOf(float64(n)) }

// Rate returns bytes per second: "4.1 MB/s".
func Rate(perSecond float64) string { return bytesOf(max(0, perSecond)) + "/s" }

func bytesOf(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	i := 0
	for n >= 999.5 && i < len(units)-1 {
		n /= 1000
		i++
	}
	if i == 0 || n >= 99.95 {
		return fmt.Sprintf("%.0f %s", n, units[i])
	}
	return fmt.Sprintf("%.1f %s", n, units[i])
}

// Topics returns the topics of Report.
func Topics() []string {
	metrics := Metrics()
	topics := make([]string, len(metrics))
	for i, m := range metrics {
		topics[i] = string(m)
	}
	return topics
}

// Report describes the metrics of a topic (see Topics; "" means all) for a model, one per
// line. For an unknown topic it lists the known ones.
func (s Snapshot) Report(topic string) string {
	topic = strings.ToLower(strings.TrimSpace(topic))
	var lines []string
	for _, metric := range Metrics() {
		if topic == "" || topic == string(metric) {
			lines = append(lines, s.describe(metric))
		}
	}
	if len(lines) == 0 {
		return fmt.Sprintf("There is no topic %q. Topics: %s; none for all.", topic, strings.Join(Topics(), ", "))
	}
	if s.Paused {
		lines = append(lines, "Monitoring is paused by the user; the numbers may be old.")
	}
	return strings.Join(lines, "\n")
}

func (s Snapshot) describe(metric Metric) string {
	if why := s.na(metric); why != "" {
		return fmt.Sprintf("%s: n/a (%s)", title(metric), why)
	}
	switch metric {
	case CPU:
		return s.describeCPU()
	case Memory:
		return s.describeMemory()
	case Disk:
		return s.describeDisk()
	case Network:
		return fmt.Sprintf("Network: %s down, %s up, counted at %s", Rate(s.Network.Down), Rate(s.Network.Up), s.Network.names())
	case GPU:
		return s.describeGPU()
	case Temperature:
		return fmt.Sprintf("Temperature: %.0f °C at the hottest sensor (%s)", s.Temperature.Celsius, s.Temperature.Sensor)
	case Battery:
		return s.describeBattery()
	default:
		return s.describeProcesses()
	}
}

// namedInterfaces is the largest number of interfaces that are named.
const namedInterfaces = 4

// names returns the interfaces that are counted: "eth0, wlan0", or "eth0, eth1, eth2, eth3 and
// 8 more".
func (r NetworkReading) names() string {
	n := len(r.Interfaces)
	if n <= namedInterfaces {
		return strings.Join(r.Interfaces, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(r.Interfaces[:namedInterfaces], ", "), n-namedInterfaces)
}

// title returns a metric's name for the start of a line.
func title(metric Metric) string {
	if metric == CPU || metric == GPU {
		return strings.ToUpper(string(metric))
	}
	return strings.ToUpper(string(metric[:1])) + string(metric[1:])
}

func (s Snapshot) describeCPU() string {
	var b strings.Builder
	fmt.Fprintf(&b, "CPU: %.0f %% of all %d cores together; each core in %%:", s.CPU.Percent, len(s.CPU.Cores))
	for i, c := range s.CPU.Cores {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %.0f", c)
	}
	if s.CPU.LoadNA == "" {
		fmt.Fprintf(&b, "; load average %.2f (1 min), %.2f (5 min), %.2f (15 min)", s.CPU.Load1, s.CPU.Load5, s.CPU.Load15)
	}
	return b.String()
}

func (s Snapshot) describeMemory() string {
	text := fmt.Sprintf("Memory: %s used (%.0f %%), %.1f GB available",
		ofGiB(s.Memory.Used, s.Memory.Total), s.Memory.Percent(), float64(s.Memory.Available)/gib)
	if s.Memory.SwapNA != "" {
		return text + "; swap n/a (" + s.Memory.SwapNA + ")"
	}
	return text + "; swap " + ofGiB(s.Memory.SwapUsed, s.Memory.SwapTotal) + " used"
}

func (s Snapshot) describeDisk() string {
	text := fmt.Sprintf("Disk: %s of %s free on the volume of the home folder", Bytes(s.Disk.Free), Bytes(s.Disk.Total))
	if s.Disk.RateNA != "" {
		return text + "; transfers n/a (" + s.Disk.RateNA + ")"
	}
	return fmt.Sprintf("%s; reading %s, writing %s", text, Rate(s.Disk.ReadRate), Rate(s.Disk.WriteRate))
}

// line returns the busiest card in a few words: "GPU 94 % · GPU memory 64.2 of 141 GB, most
// of it python3".
func (r GPUReading) line() string {
	text := fmt.Sprintf("GPU %.0f %%", r.Percent)
	if r.PercentNA != "" {
		text = "GPU load n/a (" + r.PercentNA + ")"
	}
	if len(r.Cards) == 0 {
		return text
	}
	card := r.Cards[0]
	if len(r.Cards) > 1 {
		text += fmt.Sprintf(" (the busiest of %d)", len(r.Cards))
	}
	if card.MemoryTotal > 0 {
		text += " · GPU memory " + ofGiB(card.MemoryUsed, card.MemoryTotal)
	}
	if len(card.Processes) > 0 {
		text += ", used by " + card.Processes[0].words()
		if n := len(card.Processes) - 1; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
	}
	return text
}

// words returns "python3 (pid 123, 61.4 GB)".
func (p GPUProcess) words() string {
	name := p.Name
	if name == "" {
		name = "a program that isn't visible from here"
	}
	if p.Memory == 0 {
		return fmt.Sprintf("%s (pid %d)", name, p.PID)
	}
	return fmt.Sprintf("%s (pid %d, %.1f GB)", name, p.PID, float64(p.Memory)/gib)
}

func (s Snapshot) describeGPU() string {
	var b strings.Builder
	for i, card := range s.GPU.Cards {
		if i > 0 {
			b.WriteByte('\n')
		}
		if card.PercentNA == "" {
			fmt.Fprintf(&b, "GPU: %.0f %% busy (%s)", card.Percent, card.Name)
		} else {
			fmt.Fprintf(&b, "GPU: load n/a: %s (%s)", card.PercentNA, card.Name)
		}
		if card.Partitions > 0 {
			fmt.Fprintf(&b, "; %d partitions (MIG)", card.Partitions)
		}
		if card.MemoryTotal > 0 {
			b.WriteString("; memory " + ofGiB(card.MemoryUsed, card.MemoryTotal) + " used")
		}
		if card.Celsius > 0 {
			fmt.Fprintf(&b, "; %.0f °C", card.Celsius)
		}
		if card.Watts > 0 {
			fmt.Fprintf(&b, "; %.0f W", card.Watts)
		}
		for _, p := range card.Processes[:min(len(card.Processes), describedProcesses)] {
			b.WriteString("\n- " + p.words())
		}
		if n := len(card.Processes) - describedProcesses; n > 0 {
			fmt.Fprintf(&b, "\n- and %d more programs", n)
		}
		if card.ProcessesNA != "" {
			b.WriteString("\n- " + card.ProcessesNA)
		}
	}
	return b.String()
}

// describedProcesses is the largest number of a card's programs in a report.
const describedProcesses = 10

func (s Snapshot) describeBattery() string {
	state := "on mains, not charging"
	switch {
	case s.Battery.Charging:
		state = "charging"
	case s.Battery.OnBattery:
		state = "running on battery"
	}
	text := fmt.Sprintf("Battery: %.0f %%, %s", s.Battery.Percent, state)
	if s.Battery.Without != "" {
		text += "; charge not reported by " + s.Battery.Without
	}
	return text
}

func (s Snapshot) describeProcesses() string {
	var b strings.Builder
	b.WriteString("Processes, busiest first (CPU in % of one core):")
	for _, p := range s.Processes.Top {
		fmt.Fprintf(&b, "\n- %s (pid %d): CPU %.0f %%, memory %s", p.Name, p.PID, p.CPU, Bytes(p.Memory))
	}
	return b.String()
}

package vitals

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
)

// detail is the text of one metric on the vitals page.
type detail struct {
	reading
	scope    string    // what the number measures: "% of all 8 cores together"
	fraction float64   // of the gauge; negative for none
	cores    []float64 // percent of each core; CPU only
	lines    []string  // further details
}

// details returns the metrics in the order of the page.
func details(s monitor.Snapshot) []detail {
	return []detail{cpuDetail(s), memoryDetail(s), temperatureDetail(s), gpuDetail(s), diskDetail(s), networkDetail(s), batteryDetail(s)}
}

func cpuDetail(s monitor.Snapshot) detail {
	d := detail{reading: cpuReading(s), scope: i18n.T("% of the whole machine"), fraction: s.CPU.Percent / 100, cores: s.CPU.Cores}
	d.label = i18n.T("CPU")
	if n := len(s.CPU.Cores); n > 1 {
		d.scope = i18n.With("% of all {{.N}} cores together", i18n.Places{"N": n})
	}
	switch {
	case d.number == "":
	case s.CPU.LoadNA != "":
		d.lines = []string{i18n.With("load average n/a: {{.Why}}", i18n.Places{"Why": s.CPU.LoadNA})}
	default:
		d.lines = []string{i18n.T("load average") + i18n.Number(fmt.Sprintf(" %.2f · %.2f · %.2f", s.CPU.Load1, s.CPU.Load5, s.CPU.Load15)) + " (1, 5, 15 min)"}
	}
	if busiest := busiestCores(s.CPU.Cores); busiest != "" && d.number != "" {
		d.lines = append(d.lines, busiest)
	}
	return d
}

// busiestCores returns the numbers of the busiest cores with their load, where the page shows no
// number for each: "17 98 % · 203 95 %".
func busiestCores(cores []float64) string {
	if len(cores) <= labelledCores {
		return ""
	}
	byLoad := make([]int, len(cores))
	for i := range byLoad {
		byLoad[i] = i
	}
	slices.SortStableFunc(byLoad, func(a, b int) int { return cmp.Compare(cores[b], cores[a]) })
	var list []string
	for _, i := range byLoad[:4] {
		list = append(list, fmt.Sprintf("%d %.0f %%", i+1, cores[i]))
	}
	return i18n.With("busiest cores: {{.Cores}}", i18n.Places{"Cores": strings.Join(list, " · ")})
}

func memoryDetail(s monitor.Snapshot) detail {
	m := s.Memory
	d := detail{reading: memoryReading(s), scope: i18n.T("of the whole machine"), fraction: m.Percent() / 100}
	if d.number == "" {
		return d
	}
	d.unit += i18n.T(" used")
	first := i18n.With("{{.Available}} GB available", i18n.Places{"Available": gigabytes(m.Available)})
	if m.Cached > 0 {
		first += i18n.With(" · {{.Cached}} GB cached", i18n.Places{"Cached": gigabytes(m.Cached)})
	}
	swap := i18n.With("swap {{.SwapUsed}} of {{.SwapTotal}} GB", i18n.Places{"SwapUsed": gigabytes(m.SwapUsed), "SwapTotal": gigabytes(m.SwapTotal)})
	switch m.SwapNA {
	case "":
	case "no swap":
		swap = i18n.T("no swap")
	default:
		swap = i18n.With("swap n/a: {{.SwapNA}}", i18n.Places{"SwapNA": m.SwapNA})
	}
	pressure := i18n.With("pressure: {{.Pressure}}", i18n.Places{"Pressure": pressureWords(m.Pressure)})
	if m.PressureNA != "" {
		pressure = i18n.With("pressure n/a: {{.PressureNA}}", i18n.Places{"PressureNA": naWords(m.PressureNA)})
	}
	d.lines = []string{first, swap, pressure}
	return d
}

// loadedWords says which models are held in memory.
func loadedWords(models []api.ProcessModelResponse) []string {
	var list []string
	for _, m := range models {
		list = append(list, m.Name+" "+gigabytes(uint64(max(0, m.Size)))+" GB")
	}
	if len(list) == 0 {
		return nil
	}
	return []string{i18n.With("loaded models: {{.Models}}", i18n.Places{"Models": strings.Join(list, " · ")})}
}

func gpuDetail(s monitor.Snapshot) detail {
	d := detail{reading: gpuReading(s), scope: i18n.T("% of the busiest GPU"), fraction: s.GPU.Percent / 100}
	if s.GPU.NA != "" {
		return d
	}
	for _, card := range s.GPU.Cards {
		line := card.Name
		if card.PercentNA != "" {
			line += " · n/a: " + naWords(card.PercentNA)
		} else if len(s.GPU.Cards) > 1 {
			line += fmt.Sprintf(" · %.0f %%", card.Percent)
		}
		if card.MemoryTotal > 0 {
			line += " · " + i18n.With("{{.Used}} of {{.Total}} GB", i18n.Places{"Used": gigabytes(card.MemoryUsed), "Total": WholeGigabytes(card.MemoryTotal)})
		}
		if card.Celsius > 0 {
			line += fmt.Sprintf(" · %.0f °C", card.Celsius)
		}
		if card.Watts > 0 {
			line += fmt.Sprintf(" · %.0f W", card.Watts)
		}
		d.lines = append(d.lines, line)
		for i, p := range card.Processes {
			if i == gpuProcessLines {
				d.lines = append(d.lines, i18n.With("and {{.N}} more", i18n.Places{"N": len(card.Processes) - i}))
				break
			}
			name := p.Name
			if name == "" {
				name = i18n.With("process {{.PID}}", i18n.Places{"PID": p.PID})
			}
			if p.Memory > 0 {
				name += " " + gigabytes(p.Memory) + " GB"
			}
			d.lines = append(d.lines, name)
		}
		if card.ProcessesNA != "" {
			d.lines = append(d.lines, naWords(card.ProcessesNA))
		}
	}
	return d
}

// gpuProcessLines is the largest number of a card's processes that the page lists.
const gpuProcessLines = 4

// sensorLines is the largest number of sensors the page lists.
const sensorLines = 6

func temperatureDetail(s monitor.Snapshot) detail {
	d := detail{reading: temperatureReading(s), scope: i18n.T("the hottest sensor"), fraction: -1}
	if d.number == "" {
		return d
	}
	d.unit = "°C"
	d.scope = i18n.With("the hottest of {{.Sensors}}", i18n.Places{"Sensors": i18n.Count("{{.N}} sensors", len(s.Temperature.All))})
	for i, sensor := range s.Temperature.All {
		if i == sensorLines {
			d.lines = append(d.lines, i18n.With("and {{.All}} more, cooler", i18n.Places{"All": len(s.Temperature.All) - i}))
			break
		}
		d.lines = append(d.lines, fmt.Sprintf("%s %.0f °C", sensor.Name, sensor.Celsius))
	}
	return d
}

func diskDetail(s monitor.Snapshot) detail {
	d := detail{reading: diskReading(s), scope: i18n.T("the volume of your home folder"), fraction: -1}
	if d.number == "" {
		return d
	}
	d.unit += i18n.With(" of {{.Total}}", i18n.Places{"Total": i18n.Number(monitor.Bytes(s.Disk.Total))})
	d.fraction = 1 - float64(s.Disk.Free)/float64(s.Disk.Total)
	if s.Disk.RateNA != "" {
		d.lines = append(d.lines, i18n.With("transfers n/a: {{.RateNA}}", i18n.Places{"RateNA": s.Disk.RateNA}))
	} else {
		d.lines = append(d.lines, i18n.With("all disks: {{.ReadRate}}", i18n.Places{"ReadRate": transfers(s.Disk.ReadRate, s.Disk.WriteRate)}))
	}
	for _, v := range s.Disk.Volumes {
		line := i18n.With("{{.Path}}: {{.Free}} of {{.Total}} free", i18n.Places{"Path": v.Path, "Free": i18n.Number(monitor.Bytes(v.Free)), "Total": i18n.Number(monitor.Bytes(v.Total))})
		if v.RateNA == "" {
			line += " · " + transfers(v.ReadRate, v.WriteRate)
		}
		d.lines = append(d.lines, line)
	}
	return d
}

func transfers(read, write float64) string {
	return i18n.With("reading {{.Read}}, writing {{.Write}}", i18n.Places{"Read": i18n.Number(monitor.Rate(read)), "Write": i18n.Number(monitor.Rate(write))})
}

func networkDetail(s monitor.Snapshot) detail {
	d := detail{reading: networkReading(s), scope: i18n.T("up and down together"), fraction: -1}
	d.label = i18n.T("Network") // its interfaces have a line of their own
	if d.number != "" {
		d.number, d.unit = rate(s.Network.Down + s.Network.Up)
		d.sub = ""
		d.lines = []string{i18n.With("down {{.Down}} · up {{.Up}}", i18n.Places{"Down": i18n.Number(monitor.Rate(s.Network.Down)), "Up": i18n.Number(monitor.Rate(s.Network.Up))})}
		if names := s.Network.Interfaces; len(names) > 0 {
			shown := strings.Join(names[:min(len(names), interfaceNames)], ", ")
			if n := len(names) - interfaceNames; n > 0 {
				shown += " " + i18n.With("and {{.N}} more", i18n.Places{"N": n})
			}
			d.lines = append(d.lines, i18n.With("counted: {{.Interfaces}}", i18n.Places{"Interfaces": shown}))
		}
	}
	return d
}

// interfaceNames is the largest number of network interfaces that the page names.
const interfaceNames = 4

func batteryDetail(s monitor.Snapshot) detail {
	b := s.Battery
	d := detail{
		reading: reading{label: i18n.T("Battery"), metric: monitor.Battery, full: 100, na: b.NA, role: kit.RoleText},
		scope:   i18n.T("of its charge when full"), fraction: b.Percent / 100,
	}
	if b.NA != "" || s.Time.IsZero() {
		return d
	}
	d.number, d.unit = fmt.Sprintf("%.0f", math.Round(b.Percent)), "%"
	state := i18n.T("on mains")
	switch {
	case b.Charging:
		state = i18n.T("charging")
	case b.OnBattery:
		state = i18n.T("running on battery")
		d.role = level(-b.Percent, -20, -10)
	}
	d.lines = []string{state}
	if b.Without != "" {
		d.lines = append(d.lines, i18n.With("charge not reported by {{.Batteries}}", i18n.Places{"Batteries": b.Without}))
	}
	return d
}

// valueWords returns the text of a value in the history of a metric.
func valueWords(m monitor.Metric, v float64) string {
	switch m {
	case monitor.Temperature:
		return fmt.Sprintf("%.0f °C", v)
	case monitor.Disk, monitor.Network:
		return i18n.Number(monitor.Rate(v))
	}
	return fmt.Sprintf("%.0f %%", v)
}

// rangeWords returns the name of a range.
func rangeWords(r monitor.Range) string {
	switch r {
	case monitor.Hour:
		return "1 h"
	case monitor.Day:
		return "24 h"
	}
	return i18n.T("5 min")
}

// HistoryWords returns summedWords with its range: "last 5 min: average 12 %".
func HistoryWords(m monitor.Metric, r monitor.Range, s monitor.Series) string {
	words, ok := summedWords(m, r, s)
	if ok {
		words = i18n.With("last {{.R}}: {{.Words}}", i18n.Places{"R": rangeWords(r), "Words": words})
	}
	return words
}

// summedWords summarises a history: "average 12 %, peak 80 %". ok reports whether anything was
// measured.
func summedWords(m monitor.Metric, r monitor.Range, s monitor.Series) (words string, ok bool) {
	sum, peak, n := 0.0, 0.0, 0
	for _, p := range s.Points {
		if !p.OK {
			continue
		}
		if n == 0 || p.Max > peak {
			peak = p.Max
		}
		sum += p.Mean
		n++
	}
	if n == 0 {
		return i18n.With("nothing measured in the last {{.R}}", i18n.Places{"R": rangeWords(r)}), false
	}
	text := i18n.With("average {{.M}}, peak {{.M2}}", i18n.Places{"M": valueWords(m, sum/float64(n)), "M2": valueWords(m, peak)})
	if missing := time.Duration(len(s.Points)-n) * s.Step; missing > r.Span()/10 {
		text += i18n.With(" ({{.Span}} recorded)", i18n.Places{"Span": spanWords(time.Duration(n) * s.Step)})
	}
	return text, true
}

// spanWords returns a duration in its largest fitting unit: "40 s", "12 min", "5 h".
func spanWords(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return i18n.With("{{.Minutes}} min", i18n.Places{"Minutes": fmt.Sprintf("%.0f", d.Minutes())})
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}

// askWords returns a reading as text for a message.
func askWords(s monitor.Snapshot, topic monitor.Metric, history string) string {
	var b strings.Builder
	b.WriteString("The reading of this machine")
	if !s.Time.IsZero() {
		b.WriteString(" at " + s.Time.Format("15:04:05"))
	}
	b.WriteString(":\n" + s.Report(string(topic)))
	if topic == monitor.Disk && s.Disk.NA == "" {
		for _, line := range diskDetail(s).lines {
			b.WriteString("\n- " + line)
		}
	}
	if history != "" {
		b.WriteString("\n" + history)
	}
	return b.String()
}

// naWords returns why there is no number. The usual reasons are translated.
func naWords(why string) string {
	switch why {
	case "no readable GPU":
		return i18n.T("no readable GPU")
	case "no sensor":
		return i18n.T("no sensor")
	case "no battery":
		return i18n.T("no battery")
	case "the battery doesn't report its charge":
		return i18n.T("the battery doesn't report its charge")
	case "the GPU is asleep":
		return i18n.T("the GPU is asleep")
	case "other users' programs aren't visible":
		return i18n.T("other users' programs aren't visible")
	case "no network interface":
		return i18n.T("no network interface")
	case "not reported by this kernel":
		return i18n.T("not reported by this kernel")
	case "not reported by this system":
		return i18n.T("not reported by this system")
	}
	return why
}

// pressureWords translates the monitor's words for the memory pressure.
func pressureWords(words string) string {
	switch words {
	case "normal":
		return i18n.T("normal")
	case "raised":
		return i18n.T("raised")
	case "critical":
		return i18n.T("critical")
	}
	if share, isShare := strings.CutSuffix(words, " % of the time"); isShare {
		return i18n.With("waiting {{.Share}} % of the time", i18n.Places{"Share": i18n.Number(strings.TrimPrefix(share, "waiting "))})
	}
	return words
}

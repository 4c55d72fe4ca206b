package monitor

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// toolTimeout is the time limit for another program.
const toolTimeout = 3 * time.Second

// gpuReader asks its sources in turn, one for each kind of driver.
type gpuReader struct{ sources []gpuSource }

// gpuSource is one way to read graphics cards. It returns none and no error if the machine
// has none of its kind.
type gpuSource func(ctx context.Context) ([]GPUCard, error)

func (*gpuReader) reset() {}

func (r *gpuReader) read(ctx context.Context) (func(*Snapshot), error) {
	var cards []GPUCard
	why := "no readable GPU"
	for _, source := range r.sources {
		found, err := source(ctx)
		if errors.Is(err, errNotYet) {
			return nil, errNotYet
		}
		if err != nil {
			why = err.Error()
		}
		cards = append(cards, found...)
	}
	slices.SortStableFunc(cards, func(a, b GPUCard) int {
		switch {
		case a.PercentNA == "" && b.PercentNA != "":
			return -1
		case a.PercentNA != "" && b.PercentNA == "":
			return 1
		}
		return cmp.Compare(b.Percent, a.Percent)
	})
	if len(cards) == 0 {
		return nil, unavailableError(why)
	}
	busiest := cards[0]
	if busiest.PercentNA != "" && !slices.ContainsFunc(cards, GPUCard.tells) {
		return nil, unavailableError(busiest.PercentNA)
	}
	reading := GPUReading{Name: busiest.Name, PercentNA: busiest.PercentNA, Percent: busiest.Percent, Cards: cards}
	return func(s *Snapshot) { s.GPU = reading }, nil
}

// tells reports whether anything is known of the card besides its name.
func (c GPUCard) tells() bool {
	return c.PercentNA == "" || c.MemoryTotal > 0 || c.Celsius > 0 || c.Watts > 0 || len(c.Processes) > 0
}

// atMost caches a source's answer, because the source runs another program.
func atMost(every time.Duration, source gpuSource) gpuSource {
	var (
		at   time.Time
		gpus []GPUCard
		err  error
	)
	return func(ctx context.Context) ([]GPUCard, error) {
		if at.IsZero() || time.Since(at) >= every-time.Second/2 {
			gpus, err = source(ctx)
			at = time.Now()
		}
		return gpus, err
	}
}

// run returns another program's output, with a time limit.
func run(ctx context.Context, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, toolTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", name, err)
	}
	return out, nil
}

// smiQuery are the fields of a card that parseNvidiaSMI reads, in their order. The name is
// last because it may contain a comma.
const smiQuery = "utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw,mig.mode.current,uuid,name"

// parseNvidiaSMI parses the output of `nvidia-smi --query-gpu=<smiQuery>
// --format=csv,noheader,nounits`, one card a line, and of `nvidia-smi
// --query-compute-apps=gpu_uuid,pid,used_memory,process_name` with the same format, one
// process a line. Sizes are in MiB. Cards write "[N/A]" and the like for what they don't
// report.
func parseNvidiaSMI(cards, processes []byte) []GPUCard {
	var gpus []GPUCard
	byUUID := map[string]int{}
	fields := func(line string, n int) []string {
		parts := strings.SplitN(line, ",", n)
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		return parts
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= 0 && v < 1<<40) {
			return 0
		}
		return v
	}
	for line := range strings.Lines(string(cards)) {
		f := fields(line, 8)
		if len(f) < 8 {
			continue
		}
		gpu := GPUCard{
			Name: f[7], MemoryUsed: uint64(number(f[1])) << 20, MemoryTotal: uint64(number(f[2])) << 20,
			Celsius: number(f[3]), Watts: number(f[4]),
		}
		if percent, err := strconv.ParseFloat(f[0], 64); err != nil || percent != percent {
			gpu.PercentNA = gpu.Name + " doesn't report its load"
			if f[5] == "Enabled" {
				gpu.PercentNA = gpu.Name + " is partitioned (MIG) and doesn't report its load"
			}
		} else {
			gpu.Percent = min(100, max(0, percent))
		}
		byUUID[f[6]] = len(gpus)
		gpus = append(gpus, gpu)
	}
	for line := range strings.Lines(string(processes)) {
		f := fields(line, 4)
		if len(f) < 4 {
			continue
		}
		pid, err := strconv.Atoi(f[1])
		card, known := byUUID[f[0]]
		if err == nil && known {
			gpus[card].Processes = append(gpus[card].Processes, GPUProcess{PID: pid, Name: baseName(f[3]), Memory: uint64(number(f[2])) << 20})
		}
	}
	for i := range gpus {
		sortByMemory(gpus[i].Processes)
	}
	return gpus
}

// baseName returns the last part of a program's path, "" for the tool's "[Not Found]".
func baseName(path string) string {
	if strings.HasPrefix(path, "[") {
		return ""
	}
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

func sortByMemory(processes []GPUProcess) {
	slices.SortStableFunc(processes, func(a, b GPUProcess) int { return cmp.Compare(b.Memory, a.Memory) })
}

// The output of `ioreg -r -d 1 -c IOAccelerator` for a GPU: one header line per
// accelerator, followed by the model and the performance statistics.
var (
	ioregHead  = regexp.MustCompile(`^\+-o ([^ <]+)`)
	ioregModel = regexp.MustCompile(`"model" = (?:<)?"([^"]+)"`)
	ioregLoad  = regexp.MustCompile(`"Device Utilization %"\s*=\s*(\d+)`)
)

// parseIOReg parses the output of ioreg. The format is taken from published listings and
// has not been tried on a Mac.
func parseIOReg(out []byte) []GPUCard {
	var gpus []GPUCard
	var gpu *GPUCard
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if m := ioregHead.FindStringSubmatch(line); m != nil {
			gpus = append(gpus, GPUCard{Name: m[1], PercentNA: m[1] + " doesn't report its load"})
			gpu = &gpus[len(gpus)-1]
			continue
		}
		if gpu == nil {
			continue
		}
		if m := ioregModel.FindStringSubmatch(line); m != nil {
			gpu.Name = m[1]
		}
		if m := ioregLoad.FindStringSubmatch(line); m != nil {
			percent, err := strconv.ParseFloat(m[1], 64)
			if err == nil {
				gpu.Percent, gpu.PercentNA = min(100, percent), ""
			}
		}
	}
	return gpus
}

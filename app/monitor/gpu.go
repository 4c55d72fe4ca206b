package monitor

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// toolTimeout is the time limit for another program.
const toolTimeout = 3 * time.Second

// gpuReader asks its sources in turn and keeps the busiest GPU.
type gpuReader struct{ sources []gpuSource }

// gpuSource is one way to read GPUs. It returns none and no error if the machine has none
// of its kind.
type gpuSource func(ctx context.Context) ([]GPUReading, error)

func (*gpuReader) reset() {}

func (r *gpuReader) read(ctx context.Context) (func(*Snapshot), error) {
	var busiest *GPUReading
	why := "no readable GPU"
	for _, source := range r.sources {
		gpus, err := source(ctx)
		if err != nil {
			why = err.Error()
			continue
		}
		for _, gpu := range gpus {
			switch {
			case gpu.NA != "":
				why = gpu.NA
			case busiest == nil || gpu.Percent > busiest.Percent:
				busiest = &gpu
			}
		}
	}
	if busiest == nil {
		return nil, unavailableError(why)
	}
	return func(s *Snapshot) { s.GPU = *busiest }, nil
}

// atMost caches a source's answer, because the source runs another program.
func atMost(every time.Duration, source gpuSource) gpuSource {
	var (
		at   time.Time
		gpus []GPUReading
		err  error
	)
	return func(ctx context.Context) ([]GPUReading, error) {
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

// parseNvidiaSMI parses the "name, percent" lines of `nvidia-smi
// --query-gpu=name,utilization.gpu --format=csv,noheader,nounits`.
func parseNvidiaSMI(out []byte) []GPUReading {
	var gpus []GPUReading
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		comma := strings.LastIndexByte(lines.Text(), ',')
		if comma < 0 {
			continue
		}
		gpu := GPUReading{Name: strings.TrimSpace(lines.Text()[:comma])}
		value := strings.TrimSpace(lines.Text()[comma+1:])
		percent, err := strconv.ParseFloat(value, 64)
		if err != nil || percent != percent { // "[N/A]" on cards without the value, or NaN
			gpu.NA = fmt.Sprintf("%s doesn't report its load", gpu.Name)
		} else {
			gpu.Percent = min(100, max(0, percent))
		}
		gpus = append(gpus, gpu)
	}
	return gpus
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
func parseIOReg(out []byte) []GPUReading {
	var gpus []GPUReading
	var gpu *GPUReading
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if m := ioregHead.FindStringSubmatch(line); m != nil {
			gpus = append(gpus, GPUReading{Name: m[1], NA: m[1] + " doesn't report its load"})
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
				gpu.Percent, gpu.NA = min(100, percent), ""
			}
		}
	}
	return gpus
}

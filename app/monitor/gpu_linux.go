package monitor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// nvidiaVendor is NVIDIA's PCI vendor ID as in sysfs.
const nvidiaVendor = "0x10de"

// newGPUReader reads sysfs and, if installed, nvidia-smi.
func newGPUReader(h host, log *slog.Logger) *gpuReader {
	cards := drmCards{host: h}
	sources := []gpuSource{cards.read}
	if path, err := exec.LookPath("nvidia-smi"); err == nil {
		log.Debug("reading NVIDIA GPUs", "tool", path)
		sources = append(sources, atMost(gpuToolPace, cards.nvidia(path)))
	}
	return &gpuReader{sources: sources}
}

// drmCards are the graphics cards of the kernel's drivers.
type drmCards struct{ host host }

// devices lists the cards' device folders; connectors (card0-HDMI-A-1) are not cards.
func (d drmCards) devices() []string {
	cards, err := filepath.Glob(d.host.sys("class", "drm", "card*"))
	if err != nil {
		return nil // a malformed pattern, from a root with special characters
	}
	var devices []string
	for _, card := range cards {
		if !strings.Contains(filepath.Base(card), "-") {
			devices = append(devices, filepath.Join(card, "device"))
		}
	}
	return devices
}

// read reads gpu_busy_percent if the driver provides it.
func (d drmCards) read(context.Context) ([]GPUReading, error) {
	var gpus []GPUReading
	for _, device := range d.devices() {
		if line(device, "vendor") == nvidiaVendor {
			continue
		}
		gpus = append(gpus, readBusy(device))
	}
	return gpus, nil
}

// readBusy reads one card. It leaves a sleeping card alone, because reading its load wakes
// it.
func readBusy(device string) GPUReading {
	gpu := GPUReading{Name: driverOf(device)}
	if isAsleep(device) {
		gpu.NA = "the GPU is asleep"
		return gpu
	}
	raw, err := readKernelFile(filepath.Join(device, "gpu_busy_percent"))
	switch {
	case errors.Is(err, os.ErrNotExist), isUnsupported(err):
		gpu.NA = fmt.Sprintf("the driver %s doesn't report the GPU's load", gpu.Name)
		return gpu
	case err != nil:
		gpu.NA = fmt.Sprintf("the GPU's load could not be read: %v", err)
		return gpu
	}
	percent, err := strconv.ParseUint(strings.TrimSpace(string(raw)), 10, 32)
	if err != nil {
		gpu.NA = fmt.Sprintf("the GPU's load is not a number: %.40q", raw)
		return gpu
	}
	gpu.Percent = float64(min(percent, 100))
	return gpu
}

// isUnsupported reports whether a driver provides the file but not its value. 524 is the
// kernel's internal ENOTSUPP, which leaks through sysfs.
func isUnsupported(err error) bool {
	return errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.Errno(524)) || errors.Is(err, syscall.EINVAL)
}

func driverOf(device string) string {
	for l := range strings.Lines(line(device, "uevent")) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(l), "DRIVER="); ok {
			return name
		}
	}
	return "of this GPU"
}

func isAsleep(device string) bool {
	return line(device, "power", "runtime_status") == "suspended"
}

// line returns the content of a small file, "" if it can't be read.
func line(parts ...string) string {
	raw, err := readKernelFile(filepath.Join(parts...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// nvidia runs nvidia-smi unless every NVIDIA card is asleep, because the tool wakes them.
func (d drmCards) nvidia(tool string) gpuSource {
	return func(ctx context.Context) ([]GPUReading, error) {
		cards, asleep := 0, 0
		for _, device := range d.devices() {
			if line(device, "vendor") == nvidiaVendor {
				cards++
				if isAsleep(device) {
					asleep++
				}
			}
		}
		if cards > 0 && cards == asleep {
			return []GPUReading{{NA: "the GPU is asleep"}}, nil
		}
		out, err := run(ctx, tool, "--query-gpu=name,utilization.gpu", "--format=csv,noheader,nounits")
		if err != nil {
			return nil, err
		}
		return parseNvidiaSMI(out), nil
	}
}

package monitor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// newGPUReader reads what the kernel's drivers tell in sysfs and of their clients, and asks
// NVIDIA's library, as its driver tells the kernel nothing.
func newGPUReader(h host, log *slog.Logger) *gpuReader {
	cards := &drmCards{host: h, clients: drmClients{host: h}, rests: map[string]rest{}}
	nvidia := &nvidiaCards{host: h, log: log}
	return &gpuReader{sources: []gpuSource{cards.read, nvidia.read}}
}

// nvidiaDriver is NVIDIA's own driver; nouveau is one like all others.
const nvidiaDriver = "nvidia"

// restTime is how long a card that may fall asleep is left alone after it was found idle,
// because each reading keeps it awake.
const restTime = time.Minute

// restUntil returns until when cards are left alone: until now, unless all are idle and may
// fall asleep, which one with a display doesn't.
func restUntil(devices []string, cards []GPUCard) time.Time {
	for _, card := range cards {
		if card.PercentNA != "" || card.Percent > 0 || len(card.Processes) > 0 {
			return time.Time{}
		}
	}
	for _, device := range devices {
		if line(device, "power", "control") != "auto" {
			return time.Time{}
		}
		connectors, _ := filepath.Glob(filepath.Join(device, "drm", "card*", "card*-*")) // a malformed pattern: none
		for _, connector := range connectors {
			if line(connector, "status") == "connected" {
				return time.Time{}
			}
		}
	}
	return time.Now().Add(restTime)
}

// drmCards are the graphics cards of the kernel's drivers.
type drmCards struct {
	host    host
	clients drmClients
	rests   map[string]rest // by device folder
}

// rest is the last reading of a card that is left alone for a while.
type rest struct {
	until time.Time
	card  GPUCard
}

// glob lists the files of a pattern below /sys.
func (h host) glob(parts ...string) []string {
	paths, err := filepath.Glob(h.sys(parts...))
	if err != nil {
		return nil // a malformed pattern, from a root with special characters
	}
	return paths
}

// read reads all cards but those of NVIDIA's driver.
func (d *drmCards) read(context.Context) ([]GPUCard, error) {
	var devices []string
	var cards []GPUCard
	for _, path := range d.host.glob("class", "drm", "card*") {
		name := filepath.Base(path)
		device := filepath.Join(path, "device")
		if strings.Contains(name, "-") || driverOf(device) == nvidiaDriver { // card0-HDMI-A-1 is a connector
			continue
		}
		card := d.rests[device].card
		if time.Now().After(d.rests[device].until) {
			card = readDRM(device)
		}
		devices, cards = append(devices, device), append(cards, card)
	}
	if len(cards) > 0 && d.clients.add(devices, cards) {
		return nil, errNotYet
	}
	for i, device := range devices {
		if time.Now().After(d.rests[device].until) {
			d.rests[device] = rest{restUntil([]string{device}, cards[i:i+1]), cards[i]}
		}
	}
	return cards, nil
}

// readDRM reads one card. It leaves a sleeping card alone, because reading its load wakes
// it. The files are described in the kernel's documentation of amdgpu and of hwmon.
func readDRM(device string) GPUCard {
	card := GPUCard{Name: driverOf(device)}
	if product := line(device, "product_name"); product != "" {
		card.Name = product
	}
	if isAsleep(device) {
		card.PercentNA = asleep
		return card
	}
	card.Percent, card.PercentNA = readBusy(device)
	card.MemoryUsed, card.MemoryTotal = number(device, "mem_info_vram_used"), number(device, "mem_info_vram_total")
	hwmons, _ := filepath.Glob(filepath.Join(device, "hwmon", "hwmon*")) // a malformed pattern, as above
	for _, hwmon := range hwmons {
		card.Celsius = float64(number(hwmon, "temp1_input")) / 1000
		card.Watts = float64(max(number(hwmon, "power1_average"), number(hwmon, "power1_input"))) / 1e6
	}
	return card
}

// asleep is why a sleeping card has no load.
const asleep = "the GPU is asleep"

// readBusy reads gpu_busy_percent; why is "" if the driver provides it.
func readBusy(device string) (percent float64, why string) {
	raw, err := readKernelFile(filepath.Join(device, "gpu_busy_percent"))
	switch {
	case errors.Is(err, os.ErrNotExist), isUnsupported(err):
		return 0, fmt.Sprintf("the driver %s doesn't report the GPU's load", driverOf(device))
	case err != nil:
		return 0, fmt.Sprintf("the GPU's load could not be read: %v", err)
	}
	v, err := strconv.ParseUint(string(bytes.TrimSpace(raw)), 10, 32)
	if err != nil {
		return 0, fmt.Sprintf("the GPU's load is not a number: %.40q", raw)
	}
	return float64(min(v, 100)), ""
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

// number returns the number in a small file, 0 if it can't be read.
func number(parts ...string) uint64 {
	v, err := strconv.ParseUint(line(parts...), 10, 64)
	if err != nil {
		return 0
	}
	return v
}

// processName returns a process's name, "" if it isn't visible from here.
func (h host) processName(pid int) string { return line(h.proc(strconv.Itoa(pid), "comm")) }

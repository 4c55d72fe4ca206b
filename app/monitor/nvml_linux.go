//go:build cgo

package monitor

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/ebitengine/purego"
)

// nvml is NVIDIA's management library. Names, numbers and layouts are from nvml.h of its
// API reference. Only builds that are linked to the C library have it: loading another
// library needs that one.
type nvml struct {
	init            func() int32
	shutdown        func() int32
	errorString     func(result int32) string
	count           func(n *uint32) int32
	byIndex         func(i uint32, device *uintptr) int32
	name            func(device uintptr, name *byte, length uint32) int32
	utilization     func(device uintptr, u *nvmlUtilization) int32
	memory          func(device uintptr, m *nvmlMemory) int32
	temperature     func(device uintptr, sensor uint32, celsius *uint32) int32
	power           func(device uintptr, milliwatts *uint32) int32
	migMode         func(device uintptr, current, pending *uint32) int32
	migCount        func(device uintptr, n *uint32) int32
	migByIndex      func(device uintptr, i uint32, mig *uintptr) int32
	computePrograms func(device uintptr, n *uint32, programs *nvmlProgram) int32
	drawingPrograms func(device uintptr, n *uint32, programs *nvmlProgram) int32
}

type nvmlUtilization struct{ gpu, memory uint32 } // percent of the last sample period

type nvmlMemory struct{ total, free, used uint64 } // bytes

type nvmlProgram struct {
	pid                            uint32
	used                           uint64 // bytes; all ones if unknown
	gpuInstance, computeInstanceID uint32
}

// Results.
const (
	nvmlSuccess          = 0
	nvmlNoPermission     = 4
	nvmlInsufficientSize = 7
)

// openNVML loads the library. Containers have it where the loader doesn't look.
func openNVML() (*nvml, error) {
	var handle uintptr
	var err error
	for _, path := range []string{"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"} {
		if handle, err = purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoNVML, err)
	}
	lib := &nvml{}
	for _, f := range []struct {
		function any
		names    []string // the newest version first
	}{
		{&lib.init, []string{"nvmlInit_v2"}},
		{&lib.shutdown, []string{"nvmlShutdown"}},
		{&lib.errorString, []string{"nvmlErrorString"}},
		{&lib.count, []string{"nvmlDeviceGetCount_v2"}},
		{&lib.byIndex, []string{"nvmlDeviceGetHandleByIndex_v2"}},
		{&lib.name, []string{"nvmlDeviceGetName"}},
		{&lib.utilization, []string{"nvmlDeviceGetUtilizationRates"}},
		{&lib.memory, []string{"nvmlDeviceGetMemoryInfo"}},
		{&lib.temperature, []string{"nvmlDeviceGetTemperature"}},
		{&lib.power, []string{"nvmlDeviceGetPowerUsage"}},
		{&lib.migMode, []string{"nvmlDeviceGetMigMode"}},
		{&lib.migCount, []string{"nvmlDeviceGetMaxMigDeviceCount"}},
		{&lib.migByIndex, []string{"nvmlDeviceGetMigDeviceHandleByIndex"}},
		{&lib.computePrograms, []string{"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"}},
		{&lib.drawingPrograms, []string{"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"}},
	} {
		var symbol uintptr
		for _, name := range f.names {
			if symbol, err = purego.Dlsym(handle, name); err == nil {
				break
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: it is too old: %w", errNoNVML, err)
		}
		purego.RegisterFunc(f.function, symbol)
	}
	if result := lib.init(); result != nvmlSuccess {
		return nil, fmt.Errorf("NVIDIA's driver doesn't answer: %s", lib.errorString(result))
	}
	return lib, nil
}

// err returns the error of one reading that holds for all later ones: none, once the
// library is open.
func (l *nvml) err(err error) error {
	if l == nil {
		return err
	}
	return nil
}

// read reads all cards.
func (l *nvml) read() ([]GPUCard, error) {
	var cards []GPUCard
	var err error
	var n uint32
	if result := l.count(&n); result != nvmlSuccess {
		return nil, fmt.Errorf("NVIDIA's driver doesn't list its cards: %s", l.errorString(result))
	}
	for i := range n {
		var device uintptr
		if result := l.byIndex(i, &device); result == nvmlSuccess {
			cards = append(cards, l.card(device))
		} else {
			err = fmt.Errorf("NVIDIA's driver doesn't show a card: %s", l.errorString(result))
		}
	}
	if len(cards) > 0 {
		return cards, nil // one that fails doesn't hide the others
	}
	return nil, err
}

// card reads one card.
func (l *nvml) card(device uintptr) GPUCard {
	var card GPUCard
	name := make([]byte, 96)
	if l.name(device, &name[0], uint32(len(name))) == nvmlSuccess {
		card.Name = cString(name)
	}
	var use nvmlUtilization
	if result := l.utilization(device, &use); result == nvmlSuccess {
		card.Percent = float64(min(100, use.gpu))
	} else {
		card.PercentNA = fmt.Sprintf("%s doesn't report its load (%s)", card.Name, l.errorString(result))
	}
	var memory nvmlMemory
	if l.memory(device, &memory) == nvmlSuccess {
		card.MemoryUsed, card.MemoryTotal = memory.used, memory.total
	}
	var v uint32
	if l.temperature(device, 0, &v) == nvmlSuccess {
		card.Celsius = float64(v)
	}
	if l.power(device, &v) == nvmlSuccess {
		card.Watts = float64(v) / 1000
	}
	var mode, pending, most uint32
	if l.migMode(device, &mode, &pending) == nvmlSuccess && mode == 1 {
		if card.PercentNA != "" {
			card.PercentNA = card.Name + " is partitioned (MIG) and doesn't report its load"
		}
		l.migCount(device, &most)
		for i := range most {
			var part uintptr
			if l.migByIndex(device, i, &part) == nvmlSuccess {
				card.Partitions++
			}
		}
	}
	card.Processes, card.ProcessesNA = l.programs(device)
	return card
}

// programs lists who uses a card, for computing and for drawing.
func (l *nvml) programs(device uintptr) ([]GPUProcess, string) {
	memory := map[uint32]uint64{}
	why := ""
	for _, list := range []func(uintptr, *uint32, *nvmlProgram) int32{l.computePrograms, l.drawingPrograms} {
		programs, result := make([]nvmlProgram, 64), int32(nvmlInsufficientSize)
		var n uint32
		for result == nvmlInsufficientSize && len(programs) < 1<<16 { // more may start meanwhile
			n = uint32(len(programs))
			if result = list(device, &n, unsafe.SliceData(programs)); result == nvmlInsufficientSize {
				programs = make([]nvmlProgram, max(int(n)+16, 2*len(programs)))
			}
		}
		switch {
		case result == nvmlNoPermission:
			why = "the driver shows its programs to the administrator only"
		case result != nvmlSuccess:
			continue // this kind isn't reported
		}
		for _, p := range programs[:min(int(n), len(programs))] {
			if result == nvmlSuccess && p.used != math.MaxUint64 {
				memory[p.pid] = max(memory[p.pid], p.used)
			} else if result == nvmlSuccess {
				memory[p.pid] = max(memory[p.pid], 0)
			}
		}
	}
	var all []GPUProcess
	for pid, used := range memory {
		all = append(all, GPUProcess{PID: int(pid), Memory: used})
	}
	sortByMemory(all)
	return all, why
}

func cString(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

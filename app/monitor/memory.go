package monitor

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/shirou/gopsutil/v4/mem"
)

// swapEvery is how often swap is read: on some systems it costs more than memory, and it
// changes slowly.
const swapEvery = 5 * time.Second

// memoryReader reads memory and swap.
type memoryReader struct {
	host   host
	swapAt time.Time
	swap   mem.SwapMemoryStat // its total and its use
	swapNA string
}

func (r *memoryReader) reset() { r.swapAt = time.Time{} }

func (r *memoryReader) read(ctx context.Context) (func(*Snapshot), error) {
	ctx = r.host.ctx(ctx)
	vm, err := virtualMemory(ctx, r.host)
	if err != nil {
		return nil, fmt.Errorf("reading memory: %w", err)
	}
	if vm.Total == 0 {
		return nil, unavailableError("the system reports no memory size")
	}
	r.readSwap(ctx)
	reading := MemoryReading{
		Used:      min(used(vm), vm.Total),
		Total:     vm.Total,
		Available: vm.Available,
		SwapUsed:  r.swap.Used,
		SwapTotal: r.swap.Total,
		SwapNA:    r.swapNA,
		Cached:    min(vm.Cached, vm.Total),
	}
	if words, err := pressure(r.host); err != nil {
		reading.PressureNA = err.Error()
	} else {
		reading.Pressure = words
	}
	return func(s *Snapshot) { s.Memory = reading }, nil
}

// used returns the memory that programs hold and that can't be reclaimed, as the system's
// own tools show it: on Linux what isn't available, elsewhere what the system counts as
// used.
func used(vm *mem.VirtualMemoryStat) uint64 {
	if runtime.GOOS == "linux" && vm.Available > 0 && vm.Available <= vm.Total {
		return vm.Total - vm.Available
	}
	return vm.Used
}

func (r *memoryReader) readSwap(ctx context.Context) {
	if !r.swapAt.IsZero() && time.Since(r.swapAt) < swapEvery {
		return
	}
	r.swapAt, r.swap, r.swapNA = time.Now(), mem.SwapMemoryStat{}, ""
	swap, err := swapMemory(ctx, r.host)
	switch {
	case err != nil:
		r.swapNA = err.Error()
	case swap.Total == 0:
		r.swapNA = "no swap"
	default:
		r.swap = *swap
	}
}

//go:build !linux

package monitor

import (
	"context"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/mem"
)

// cpuTimes returns the times of each core.
func cpuTimes(ctx context.Context, _ host) ([]cpu.TimesStat, error) {
	return cpu.TimesWithContext(ctx, true) //nolint:wrapcheck // the caller says what it is about
}

// virtualMemory returns how the memory is used.
func virtualMemory(ctx context.Context, _ host) (*mem.VirtualMemoryStat, error) {
	return mem.VirtualMemoryWithContext(ctx) //nolint:wrapcheck // the caller says what it is about
}

// swapMemory returns how swap is used.
func swapMemory(ctx context.Context, _ host) (*mem.SwapMemoryStat, error) {
	return mem.SwapMemoryWithContext(ctx) //nolint:wrapcheck // the caller says what it is about
}

// transfers returns the bytes that every disk has read and written.
func (r *diskReader) transfers(ctx context.Context) (counters, error) {
	stats, err := disk.IOCountersWithContext(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says what it is about
	}
	c := counters{}
	for name, s := range stats {
		c[name] = [2]uint64{s.ReadBytes, s.WriteBytes}
	}
	return c, nil
}

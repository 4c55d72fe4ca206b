package monitor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/load"
)

// loadEvery is how often load averages are read, which is how often the kernel computes
// them.
const loadEvery = 5 * time.Second

// cpuReader reads busy time of every core and load averages.
type cpuReader struct {
	host host
	at   time.Time
	last []cpu.TimesStat // of each core; nil before the first look

	loadAt time.Time
	load   load.AvgStat
	loadNA string
}

func (r *cpuReader) reset() { r.last = nil }

func (r *cpuReader) read(ctx context.Context) (func(*Snapshot), error) {
	ctx = r.host.ctx(ctx)
	times, err := cpuTimes(ctx, r.host)
	if err != nil {
		return nil, fmt.Errorf("reading CPU times: %w", err)
	}
	if len(times) == 0 {
		return nil, unavailableError("the system reports no CPU times")
	}
	now := time.Now()
	before := r.last
	if before != nil && now.Sub(r.at) < minElapsed {
		return nil, errNotYet
	}
	r.at, r.last = now, times
	reading := CPUReading{Cores: make([]float64, len(times))}
	var busy, total float64
	for i := range times {
		// Cores are switched off and on; one that has come counts from the next look on.
		known := slices.IndexFunc(before, func(t cpu.TimesStat) bool { return t.CPU == times[i].CPU })
		if known < 0 {
			continue
		}
		b, t := spent(before[known], times[i])
		before = before[known+1:] // the order stays
		reading.Cores[i] = share(b, t)
		busy, total = busy+b, total+t
	}
	if total <= 0 { // the first look, no tick since then, or all counters went backwards
		return nil, errNotYet
	}
	reading.Percent = share(busy, total)
	r.readLoad(ctx, now)
	reading.LoadNA = r.loadNA
	reading.Load1, reading.Load5, reading.Load15 = r.load.Load1, r.load.Load5, r.load.Load15
	return func(s *Snapshot) { s.CPU = reading }, nil
}

func (r *cpuReader) readLoad(ctx context.Context, now time.Time) {
	if !r.loadAt.IsZero() && now.Sub(r.loadAt) < loadEvery {
		return
	}
	r.loadAt, r.load, r.loadNA = now, load.AvgStat{}, ""
	// On Windows the library measures the load in the background, from the first call until
	// that call's context ends.
	avg, err := load.AvgWithContext(context.WithoutCancel(ctx))
	if err != nil {
		r.loadNA = err.Error()
		return
	}
	r.load = *avg
}

// spent returns a core's busy and total time between two looks; 0 and 0 if its counters
// went backwards. Guest time is already part of user time.
func spent(before, now cpu.TimesStat) (busy, total float64) {
	sum := func(t cpu.TimesStat) (busy, idle float64) {
		return t.User + t.System + t.Nice + t.Irq + t.Softirq + t.Steal, t.Idle + t.Iowait
	}
	busy0, idle0 := sum(before)
	busy1, idle1 := sum(now)
	busy, idle := busy1-busy0, max(idle1-idle0, 0) // the kernel lets iowait shrink a little
	if busy < 0 {
		return 0, 0
	}
	return busy, busy + idle
}

// share returns part of whole in percent, from 0 to 100.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(100, max(0, part/whole*100))
}

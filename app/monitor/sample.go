package monitor

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/load"
)

// sampleTimeout limits Sample if ctx has no earlier deadline: a read may hang, such as of a
// network disk.
const sampleTimeout = 5 * time.Second

// Sample reads the metrics now (all if none are named), whatever is shown and even while
// paused, for SYSTEM_STATS and the CLI. It takes about a quarter of a second if rates are
// requested and were not sampled just before. A metric that doesn't answer within five
// seconds, or before ctx is done, is missing.
func (m *Monitor) Sample(ctx context.Context, metrics ...Metric) Snapshot {
	if len(metrics) == 0 {
		metrics = Metrics()
	}
	ctx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()

	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		waiting = slices.Clone(metrics)
		done    = make(chan struct{})
	)
	for _, s := range m.samplers {
		if !slices.Contains(metrics, s.metric) {
			continue
		}
		wg.Go(func() {
			s.now(ctx)
			if ctx.Err() != nil {
				return // too late for this answer
			}
			mu.Lock()
			defer mu.Unlock()
			waiting = slices.DeleteFunc(waiting, func(x Metric) bool { return x == s.metric })
		})
	}
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}

	snapshot := m.Snapshot()
	if ctx.Err() == nil {
		return snapshot
	}
	mu.Lock()
	defer mu.Unlock()
	for _, metric := range waiting {
		snapshot.setNA(metric, "did not answer in time")
	}
	return snapshot
}

// QuickLine returns a Snapshot.Line from a single look: "load average 0.42 on 8 cores ·
// memory 18.2 of 32 GB · disk 212 GB free". The processor's load would need two looks, and
// a process that has just started would mostly see its own startup.
func (m *Monitor) QuickLine(ctx context.Context) string {
	now := m.Sample(ctx, Memory, GPU)
	now.setNA(CPU, notSampled)
	if home, err := os.UserHomeDir(); err == nil {
		if usage, err := disk.UsageWithContext(ctx, home); err == nil {
			now.Disk = DiskReading{Free: usage.Free, Total: usage.Total}
		}
	}
	parts := []string{now.Line()}
	if runtime.GOOS != "windows" { // there it is measured from the first call on
		if avg, err := load.AvgWithContext(ctx); err == nil {
			parts = slices.Insert(parts, 0, fmt.Sprintf("load average %.2f on %d cores", avg.Load1, runtime.NumCPU()))
		}
	}
	return strings.Join(parts, " · ")
}

package monitor

import (
	"context"
	"slices"
	"sync"
	"time"
)

// sampleTimeout bounds Sample where ctx has no earlier deadline: a read may hang, a
// disk on the network say.
const sampleTimeout = 5 * time.Second

// Prime takes a first look at metrics in the background, for a Sample that comes soon:
// it then takes a twentieth of a second from now on at most, and nothing where that has
// gone by.
func (m *Monitor) Prime(ctx context.Context, metrics ...Metric) {
	for _, s := range m.samplers {
		if slices.Contains(metrics, s.metric) {
			go s.look(ctx, fresh, false)
		}
	}
}

// Sample reads the metrics now (none named: all), whatever is shown and even while
// paused: for SYSTEM_STATS and the CLI. It takes about a quarter of a second where
// rates are asked for and nobody sampled them just before, or called Prime. What doesn't answer within
// five seconds, or before ctx ends, is n/a.
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
				return // too late to be an answer
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

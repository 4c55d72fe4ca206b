package monitor

import (
	"context"
	"slices"
	"time"
)

// Subscribe calls f with each new snapshot until stop is called, one call at a time and in
// the order of the subscriptions. f must not block, because it delays the others. A running
// call may still finish after stop returns.
func (m *Monitor) Subscribe(f func(Snapshot)) (stop func()) {
	s := &subscriber{f: f}
	m.mu.Lock()
	m.subscribers = append(m.subscribers, s)
	m.mu.Unlock()
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.subscribers = slices.DeleteFunc(slices.Clone(m.subscribers), func(x *subscriber) bool { return x == s })
	}
}

// publish calls the subscribers if anything has changed.
func (m *Monitor) publish() {
	m.publishing.Lock()
	defer m.publishing.Unlock()
	m.mu.Lock()
	changed, snapshot, subscribers := m.changed, m.snapshot, slices.Clone(m.subscribers)
	m.changed = false
	m.mu.Unlock()
	if !changed {
		return
	}
	for _, s := range subscribers {
		s.f(snapshot)
	}
}

// hasNews reports whether something has changed since the subscribers were last called.
func (m *Monitor) hasNews() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// sleep waits for d; false if ctx is done first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

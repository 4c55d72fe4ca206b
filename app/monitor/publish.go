package monitor

import (
	"context"
	"slices"
	"time"
)

// Subscribe calls f with each new snapshot, one call at a time and in the order of the
// subscriptions, until stop. f must not block: it delays the others. A call that has
// begun may still run when stop returns.
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

// tell lets the subscribers hear what has changed, if anything has.
func (m *Monitor) tell() {
	m.telling.Lock()
	defer m.telling.Unlock()
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

// hasNews tells whether the subscribers have not heard of something.
func (m *Monitor) hasNews() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// sleep waits for d; false: ctx ended first.
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

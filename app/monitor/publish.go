package monitor

import (
	"context"
	"slices"
	"time"
)

// gather is how long the publisher waits for readings that are due at the same
// moment, so that subscribers hear of them once.
const gather = 20 * time.Millisecond

// Subscribe calls f with each new snapshot, on the publisher's goroutine and in the
// order of the subscriptions, until stop. f must not block: it delays the others. A
// call that has begun may still run when stop returns.
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

// touch says that the snapshot has changed.
func (m *Monitor) touch() {
	select {
	case m.dirty <- struct{}{}:
	default: // the publisher will look anyway
	}
}

// publish tells the subscribers, one goroutine for all.
func (m *Monitor) publish(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.dirty:
		}
		if !sleep(ctx, gather) {
			return
		}
		select {
		case <-m.dirty: // gathered
		default:
		}
		m.mu.Lock()
		snapshot, subscribers := m.snapshot, slices.Clone(m.subscribers)
		m.mu.Unlock()
		for _, s := range subscribers {
			s.f(snapshot)
		}
	}
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

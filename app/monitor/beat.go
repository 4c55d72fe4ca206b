package monitor

import (
	"context"
	"sync"
	"time"
)

// gather is how long a reading outside a beat waits before it is published, so that
// subscribers are called once for readings of the same moment.
const gather = 20 * time.Millisecond

// early is how long before its time a metric may be read, because a timer's clock and the
// wall clock differ slightly.
const early = 2 * time.Millisecond

// clock is the only timer. The zero clock is stopped.
type clock struct {
	mu    sync.Mutex
	timer *time.Timer // nil before start and after the end
	at    time.Time   // when it fires; zero if it isn't set
}

// start calls beat on its own goroutine whenever the timer fires, and once immediately,
// until ctx is done.
func (c *clock) start(ctx context.Context, beat func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = time.Now()
	c.timer = time.AfterFunc(0, func() { beat(ctx) })
	context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timer.Stop()
		c.timer = nil
	})
}

// forward makes the timer fire at a moment, or earlier if it already would.
func (c *clock) forward(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || at.Before(c.at) {
		c.set(at)
	}
}

// set makes the timer fire at a moment; zero means never. Called with mu held.
func (c *clock) set(at time.Time) {
	switch {
	case c.timer == nil, at.IsZero() == c.at.IsZero() && at.Sub(c.at).Abs() < early:
		return
	case at.IsZero():
		c.timer.Stop()
	default:
		c.timer.Reset(time.Until(at))
	}
	c.at = at
}

// beat reads what is due and publishes it. It sets the timer for the next beat first, so
// that if a read hangs, the next beat takes over and does the rest.
func (m *Monitor) beat(ctx context.Context) {
	m.schedule(true)
	for _, s := range m.samplers {
		pace, wanted := m.pace(s.metric)
		if !wanted || ctx.Err() != nil || !s.tryHold() {
			continue
		}
		now := time.Now()
		switch {
		case s.due(now, pace).Sub(now) >= early:
			s.release()
		case s.quick:
			s.look(ctx, pace, true)
			s.release()
		default:
			go func() {
				s.look(ctx, pace, true)
				s.release()
				m.touch()
			}()
		}
	}
	if ctx.Err() == nil {
		m.publish()
		m.schedule(false) // the readings may have changed when something is due next
	}
}

// schedule sets the timer for what is due next. When a beat begins, that excludes what the
// beat itself reads.
func (m *Monitor) schedule(begins bool) {
	m.clock.mu.Lock()
	defer m.clock.mu.Unlock()
	var next time.Time
	soonest := func(at time.Time) {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if begins {
		m.clock.at = time.Time{}
	} else if m.hasNews() {
		soonest(time.Now().Add(gather))
	}
	for _, s := range m.samplers {
		pace, wanted := m.pace(s.metric)
		if !wanted {
			continue
		}
		now := time.Now()
		at := now
		reads := !s.tryHold()
		if !reads {
			at = s.due(now, pace)
			s.release()
		}
		if reads || begins && at.Sub(now) < early {
			at = tickAfter(now, 0, pace)
		}
		soonest(at)
	}
	m.clock.set(next)
}

// touch makes the subscribers hear soon of a reading outside a beat.
func (m *Monitor) touch() { m.clock.forward(time.Now().Add(gather)) }

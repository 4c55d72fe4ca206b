package monitor

import (
	"context"
	"sync"
	"time"
)

// gather is how long what was read apart from a beat waits to be told of, so that
// subscribers hear once of what is read at the same moment.
const gather = 20 * time.Millisecond

// early is how much before its time a metric may be read: a timer's clock and the wall
// clock differ by a little.
const early = 2 * time.Millisecond

// clock is the one timer. The zero clock stands still.
type clock struct {
	mu    sync.Mutex
	timer *time.Timer // nil: not started, or ended
	at    time.Time   // when it ends; zero: it isn't set
}

// start calls beat on a goroutine of its own whenever the timer ends, and once now, until
// ctx ends.
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

// forward lets the timer end at a moment, or earlier if it does anyway.
func (c *clock) forward(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || at.Before(c.at) {
		c.set(at)
	}
}

// set lets the timer end at a moment; never, if that is zero. Called with mu held.
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

// beat reads what is due and tells of it. The timer for what is due next is set before: if
// a read hangs, the next beat goes by it and does what this one had still to do.
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
		m.tell()
		m.schedule(false) // when something is due next may have changed with what was read
	}
}

// schedule sets the timer for what is due next. In a beat that begins, this isn't what that
// beat is for.
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

// touch lets the subscribers hear soon of what was read apart from a beat.
func (m *Monitor) touch() { m.clock.forward(time.Now().Add(gather)) }

package monitor

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// primeAfter is the time between the two looks that the first rate needs.
	primeAfter = 250 * time.Millisecond
	// recheckNA is how often a missing metric is checked again: a battery or a GPU may be
	// plugged in.
	recheckNA = time.Minute
	// readTimeout is the time limit of a read.
	readTimeout = 4 * time.Second
	// quickRead is the longest read that one goroutine does in sequence with others.
	quickRead = 50 * time.Millisecond
	// maxFailures is how many failures in a row switch a metric off.
	maxFailures = 3
)

// errNotYet means that a rate needs a second look. The sampler looks again after
// primeAfter.
var errNotYet = errors.New("measuring")

// unavailableError means that the machine lacks something, which is no fault: it is checked
// again every recheckNA.
type unavailableError string

// Error returns the reason, worded for people.
func (e unavailableError) Error() string { return string(e) }

// reader reads one metric. It is called by one goroutine at a time.
type reader interface {
	// read returns a function that puts the reading into a snapshot. Errors: errNotYet,
	// unavailableError, or a fault.
	read(ctx context.Context) (apply func(*Snapshot), err error)
	// reset drops the reference values of rates, because too much time has passed.
	reset()
}

// slowest returns the shortest interval of a metric that is worth its cost, for a window or
// for the icon. A reading of a graphics card may need a process of its own.
func slowest(metric Metric, open bool) time.Duration {
	switch metric {
	case GPU:
		if !open {
			return time.Minute
		}
		return 2 * time.Second
	case Processes, Disk:
		return 2 * time.Second
	case Temperature:
		return 5 * time.Second
	case Battery:
		return batteryPace
	default:
		return 0
	}
}

// isSensor reports whether a read of the metric may kill the process.
func isSensor(metric Metric) bool { return metric == Temperature || metric == GPU }

// sampler reads one metric while it is shown.
type sampler struct {
	m      *Monitor
	metric Metric

	// looking holds one token for a whole read: one look at a time, either a beat's or
	// Sample's. It is a channel, not a mutex, because a read may hang and a waiting caller
	// must be able to give up. It guards the fields below.
	looking  chan struct{}
	reader   reader
	marker   *marker
	off      string // why it is switched off permanently
	failures int
	quick    bool      // the last read was quick: the next may be part of a beat
	priming  bool      // a rate needs a second look, primeAfter the first
	last     time.Time // of the last look
	good     time.Time // of the last successful reading
	missing  time.Time // of the last look that found no such thing
}

// hold waits for the token; false if ctx is done first.
func (s *sampler) hold(ctx context.Context) bool {
	select {
	case s.looking <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// tryHold takes the token if it is free.
func (s *sampler) tryHold() bool {
	select {
	case s.looking <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s *sampler) release() { <-s.looking }

// due returns when to look next. Called while looking.
func (s *sampler) due(now time.Time, pace time.Duration) time.Time {
	if s.last.IsZero() {
		return now
	}
	if s.priming {
		return s.last.Add(primeAfter)
	}
	next := tickAfter(now, now.Sub(s.last), pace)
	if retry := s.missing.Add(recheckNA); !s.missing.IsZero() && retry.After(next) {
		return retry
	}
	return next
}

// tickAfter returns when a metric is due that was read some time ago. Ticks are multiples
// of the interval on the wall clock, so that all metrics are due together.
func tickAfter(now time.Time, ago, pace time.Duration) time.Time {
	read := now.Round(0).Add(pace/2 - ago) // setting the clock changes now, but not how long ago it was read
	return now.Add(read.Truncate(pace).Add(pace).Sub(now.Round(0)))
}

// look reads once and records the result. Called while looking.
func (s *sampler) look(ctx context.Context, pace time.Duration, scheduled bool) {
	if s.off != "" {
		s.last, s.missing = time.Now(), time.Now()
		s.note(s.off)
		return
	}
	began := time.Now()
	if began.Sub(s.last) > 3*pace+time.Second { // not shown for a while, or the machine slept
		s.reader.reset()
	}
	apply, err := s.read(ctx)
	s.last = time.Now()
	s.quick = s.last.Sub(began) < quickRead
	if ctx.Err() == nil {
		s.settle(apply, err, scheduled)
	}
}

// settle records the result of a read. Called while looking.
func (s *sampler) settle(apply func(*Snapshot), err error, scheduled bool) {
	var unavailable unavailableError
	s.missing = time.Time{}
	s.priming = errors.Is(err, errNotYet) && !s.priming
	switch {
	case err == nil:
		s.failures = 0
		s.good = s.last
		s.m.record(s.metric, apply, scheduled)
	case errors.Is(err, errNotYet):
	case errors.As(err, &unavailable):
		s.failures = 0
		s.missing = s.last
		s.note(unavailable.Error())
	default:
		s.fault(err)
	}
}

// fault counts an error and switches the metric off after too many, or at once if the read
// panicked. Called while looking.
func (s *sampler) fault(err error) {
	s.failures++
	var p panicError
	if s.failures < maxFailures && !errors.As(err, &p) {
		s.note(err.Error())
		return
	}
	s.off = fmt.Sprintf("switched off until the next start: %v", err)
	s.m.log.Warn("a metric was switched off", "metric", s.metric, "error", err)
	s.note(s.off)
}

// note records why there is no value, if that has changed.
func (s *sampler) note(why string) {
	s.m.mu.Lock()
	before := s.m.snapshot.na(s.metric)
	s.m.mu.Unlock()
	if before != why {
		s.m.record(s.metric, func(snap *Snapshot) { snap.setNA(s.metric, why) }, false)
	}
}

// panicError is a panic of a reader.
type panicError struct{ value any }

func (e panicError) Error() string { return fmt.Sprintf("reading it failed badly: %v", e.value) }

// read calls the reader with a time limit. A panic becomes an error, and the marker is set
// if a crash is possible. Called while looking.
func (s *sampler) read(ctx context.Context) (apply func(*Snapshot), err error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if s.marker != nil {
		if err := s.marker.set(); err != nil {
			s.m.log.Debug("the sensor marker can't be written", "error", err)
		}
		defer s.marker.clear()
	}
	defer func() {
		if v := recover(); v != nil {
			err = panicError{v}
		}
	}()
	return s.reader.read(ctx)
}

// fresh is how old a reading may be for Sample to use it.
const fresh = time.Second

// now makes sure that the reading is current.
func (s *sampler) now(ctx context.Context) {
	if !s.lookUnless(ctx, func() bool { return time.Since(s.good) < fresh }) {
		return
	}
	if sleep(ctx, primeAfter) {
		s.lookUnless(ctx, func() bool { return !s.priming })
	}
}

// lookUnless looks unless it is needless, and reports whether a second look is needed.
func (s *sampler) lookUnless(ctx context.Context, needless func() bool) (again bool) {
	if !s.hold(ctx) {
		return false
	}
	defer s.release()
	if needless() {
		return false
	}
	s.look(ctx, fresh, false)
	s.m.touch()
	return s.priming
}

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
	// recheckNA is how often a metric that isn't there is looked for again: a battery
	// or a GPU may be plugged in.
	recheckNA = time.Minute
	// readTimeout bounds one read.
	readTimeout = 4 * time.Second
	// maxFailures in a row switch a metric off.
	maxFailures = 3
)

// errNotYet: a rate needs a second look. The sampler looks again after primeAfter.
var errNotYet = errors.New("measuring")

// unavailableError says that the machine has no such thing, which is no fault: it is
// looked for again every recheckNA.
type unavailableError string

// Error is the reason, for people.
func (e unavailableError) Error() string { return string(e) }

// reader reads one metric. It is called by one goroutine at a time.
type reader interface {
	// read returns a function that puts the reading into a snapshot. Errors: errNotYet,
	// unavailableError, or a fault.
	read(ctx context.Context) (apply func(*Snapshot), err error)
	// reset forgets what rates are measured against: too much time went by.
	reset()
}

// slowest is the least time between samples of a metric that is worth its cost.
func slowest(metric Metric) time.Duration {
	switch metric {
	case GPU, Processes, Disk:
		return 2 * time.Second
	case Temperature:
		return 5 * time.Second
	case Battery:
		return batteryPace
	default:
		return 0
	}
}

// isSensor tells the metrics whose read may take the process down.
func isSensor(metric Metric) bool { return metric == Temperature || metric == GPU }

// sampler reads one metric while it is shown.
type sampler struct {
	m       *Monitor
	metric  Metric
	changed chan struct{} // one token: who shows it has changed

	// looking holds one token for a whole read: one look at a time, be it a tick or
	// Sample. A channel and no mutex, because a read may hang and who waits must be able
	// to give up. It guards what follows.
	looking  chan struct{}
	reader   reader
	marker   *marker
	off      string // why it is switched off for good
	failures int
	last     time.Time // of the last look
	good     time.Time // of the last reading that could be had
	missing  time.Time // of the last look that found no such thing
}

func (s *sampler) wake() {
	select {
	case s.changed <- struct{}{}:
	default: // it will look anyway
	}
}

// hold waits for the token; false: ctx ended first.
func (s *sampler) hold(ctx context.Context) bool {
	select {
	case s.looking <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *sampler) release() { <-s.looking }

// run samples until ctx ends. Ticks are multiples of the pace since begin, so that
// metrics of the same pace are due together.
func (s *sampler) run(ctx context.Context, begin time.Time) {
	for ctx.Err() == nil {
		pace, wanted := s.m.pace(s.metric)
		if !wanted {
			select {
			case <-ctx.Done():
			case <-s.changed:
			}
			continue
		}
		if !s.waitUntil(ctx, s.due(ctx, begin, pace)) {
			continue
		}
		if s.look(ctx, pace, true) {
			_ = sleep(ctx, primeAfter)
			s.look(ctx, pace, true)
		}
	}
}

// due is when to look next.
func (s *sampler) due(ctx context.Context, begin time.Time, pace time.Duration) time.Time {
	if !s.hold(ctx) {
		return begin
	}
	defer s.release()
	if s.last.IsZero() {
		return begin
	}
	ticks := s.last.Add(pace/2).Sub(begin)/pace + 1
	next := begin.Add(ticks * pace)
	if retry := s.missing.Add(recheckNA); !s.missing.IsZero() && retry.After(next) {
		return retry
	}
	return next
}

// waitUntil waits for a moment; false: something changed before it came.
func (s *sampler) waitUntil(ctx context.Context, at time.Time) bool {
	d := time.Until(at)
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-s.changed:
		return false
	case <-t.C:
		return true
	}
}

// look reads once and records what came; true: a second look is needed soon.
func (s *sampler) look(ctx context.Context, pace time.Duration, scheduled bool) (again bool) {
	if !s.hold(ctx) {
		return false
	}
	defer s.release()
	if s.off != "" {
		s.last, s.missing = time.Now(), time.Now()
		s.note(s.off)
		return false
	}
	if time.Since(s.last) > 3*pace+time.Second { // unseen for a while, or the machine slept
		s.reader.reset()
	}
	apply, err := s.read(ctx)
	s.last = time.Now()
	if ctx.Err() != nil {
		return false
	}
	return s.settle(apply, err, scheduled)
}

// settle records the outcome of a read. Called while looking.
func (s *sampler) settle(apply func(*Snapshot), err error, scheduled bool) (again bool) {
	var unavailable unavailableError
	s.missing = time.Time{}
	switch {
	case err == nil:
		s.failures = 0
		s.good = s.last
		s.m.record(s.metric, apply, scheduled)
	case errors.Is(err, errNotYet):
		return true
	case errors.As(err, &unavailable):
		s.failures = 0
		s.missing = s.last
		s.note(unavailable.Error())
	default:
		s.fault(err)
	}
	return false
}

// fault counts an error and switches the metric off when there are too many, or at
// once where the read panicked. Called while looking.
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

// note records why there is no number, where that is news.
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

// read calls the reader, bounded in time, with a panic turned into an error and the
// marker set where a crash is possible. Called while looking.
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

// fresh is how old a reading may be for Sample to take it as it is.
const fresh = time.Second

// now makes sure that the reading is of now.
func (s *sampler) now(ctx context.Context) {
	if !s.hold(ctx) {
		return
	}
	recent := time.Since(s.good) < fresh
	s.release()
	if recent {
		return
	}
	if s.look(ctx, fresh, false) && sleep(ctx, primeAfter) {
		s.look(ctx, fresh, false)
	}
}

package monitor

import (
	"math"
	"time"
)

// Range is a time range of the history.
type Range int

// The ranges of the history.
const (
	FiveMinutes Range = iota
	Hour
	Day
)

// Ranges lists them, shortest first.
func Ranges() []Range { return []Range{FiveMinutes, Hour, Day} }

// Span returns the length of the range.
func (r Range) Span() time.Duration {
	step, n := r.grid()
	return time.Duration(step) * time.Second * time.Duration(n)
}

// grid returns the range's slots: the seconds of each, and their number.
func (r Range) grid() (step int64, n int) {
	switch r {
	case Hour:
		return 30, 120
	case Day:
		return 600, 144
	default:
		return 5, 60
	}
}

// Point is one slot of a Series.
type Point struct {
	Mean, Max float64
	OK        bool // false if nothing was measured, because the machine slept or the app did not run
}

// Series is a metric's headline value over a range, oldest first: percent for CPU, memory,
// GPU and battery, °C, and bytes per second in both directions for disk and network.
type Series struct {
	Step   time.Duration // between points
	Points []Point
}

// Series returns the history of a metric up to now, without points if there is none.
func (m *Monitor) Series(metric Metric, r Range) Series {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.history[metric]
	if t == nil {
		return Series{}
	}
	return t.series(r, time.Now())
}

// trace is the history of one metric in every range. The zero trace is empty.
type trace struct {
	at    time.Time     // of the latest value; wall clock
	value float64       // the latest
	pace  time.Duration // interval at which it was measured
	tiers [3]tier       // indexed by Range
}

// tier is a ring of slots of equal length. Slot number n, counted from 1970, is at n %
// len(slots); head is the newest number, 0 if there is none.
type tier struct {
	head  int64
	slots []slot
}

// slot sums up its measurements.
type slot struct {
	seconds float64 // time that the values cover; 0 means no values
	sum     float64 // values times their seconds
	max     float64
}

// instant is the weight, in seconds, of a value that covers no time before it.
const instant = 0.001

func newTrace() *trace {
	t := &trace{}
	for _, r := range Ranges() {
		_, n := r.grid()
		t.tiers[r].slots = make([]slot, n)
	}
	return t
}

// add adds a value. It covers the time since the previous one, unless that is much longer
// than the interval because the machine slept or the app did not run; then there is a gap.
// After the clock was set back, values in the future are dropped.
func (t *trace) add(at time.Time, pace time.Duration, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) || at.Unix() <= 0 {
		return
	}
	at = at.Round(0) // only the wall clock, because the monotonic one may stop during sleep
	covers := at.Sub(t.at)
	if covers < 0 {
		t.rewind(at)
	}
	if covers < 0 || covers > longest(max(pace, t.pace)) {
		covers = 0
	}
	t.at, t.pace, t.value = at, pace, v
	to := seconds(at)
	for _, r := range Ranges() {
		step, _ := r.grid()
		t.tiers[r].add(step, to-covers.Seconds(), to, v)
	}
}

// longest returns the longest time without a value that is no gap, for an interval.
func longest(pace time.Duration) time.Duration { return pace*5/2 + 5*time.Second }

// seconds returns a time in seconds since 1970.
func seconds(t time.Time) float64 { return float64(t.Unix()) + float64(t.Nanosecond())/1e9 }

func (t *tier) add(step int64, from, to, v float64) {
	last := int64(to) / step
	t.advance(last)
	n := max(int64(from)/step, last-int64(len(t.slots))+1)
	for ; n <= last; n++ {
		begin := float64(n * step)
		s := &t.slots[n%int64(len(t.slots))]
		weight := min(to, begin+float64(step)) - max(from, begin)
		if n == last {
			weight = max(weight, instant)
		}
		if weight <= 0 {
			continue
		}
		if s.seconds == 0 || v > s.max {
			s.max = v
		}
		s.seconds += weight
		s.sum += v * weight
	}
}

// advance makes n the newest slot and clears those in between.
func (t *tier) advance(n int64) {
	count := int64(len(t.slots))
	for k := max(t.head+1, n-count+1); k <= n; k++ {
		t.slots[k%count] = slot{}
	}
	t.head = max(t.head, n)
}

// rewind drops everything after a moment.
func (t *trace) rewind(to time.Time) {
	for _, r := range Ranges() {
		step, _ := r.grid()
		t.tiers[r].rewind(max(0, to.Unix()/step))
	}
	if t.at.After(to) {
		t.at = to.Round(0)
	}
}

func (t *tier) rewind(n int64) {
	count := int64(len(t.slots))
	for k := max(n+1, t.head-count+1); k <= t.head; k++ {
		t.slots[k%count] = slot{}
	}
	t.head = min(t.head, n)
}

// series returns the slots of a range up to now, newest last. The latest value holds until
// the next one is due.
func (t *trace) series(r Range, now time.Time) Series {
	step, n := r.grid()
	out := Series{Step: time.Duration(step) * time.Second, Points: make([]Point, n)}
	tr, last := &t.tiers[r], now.Unix()/step
	for i := range out.Points {
		k := last - int64(n-1-i)
		if k < 0 || k > tr.head || k <= tr.head-int64(n) {
			continue
		}
		if s := tr.slots[k%int64(n)]; s.seconds > 0 {
			out.Points[i] = Point{Mean: s.sum / s.seconds, Max: s.max, OK: true}
		}
	}
	if age := now.Round(0).Sub(t.at); age >= 0 && age <= longest(t.pace) {
		for k := max(t.at.Unix()/step, last-int64(n)) + 1; k <= last; k++ {
			out.Points[int64(n-1)-(last-k)] = Point{Mean: t.value, Max: t.value, OK: true}
		}
	}
	return out
}

package monitor

import "time"

// Limits sets the values at which to warn; 0 means never.
type Limits struct {
	Hot      float64       // °C of the hottest sensor, or more
	DiskFree float64       // free percent of the home folder's volume, or less
	Battery  float64       // percent of charge while on battery, or less
	Every    time.Duration // least time between two warnings of the same kind
}

// Alerts decides when to warn: once when a limit is passed, and again only after the value
// was well within it. The zero value is ready to use. Not safe for concurrent use.
type Alerts struct {
	hot, disk, battery alarm
}

// How far a value must return within its limit before it can warn again.
const (
	backHot     = 5 // °C
	backDisk    = 1 // percent of the volume
	backBattery = 3 // percent of charge
)

// hotFor is how long it must be hot: a short peak doesn't matter.
const hotFor = 20 * time.Second

// Check returns the metrics in a snapshot to warn about now.
func (a *Alerts) Check(s Snapshot, l Limits) []Metric {
	if s.Paused {
		return nil
	}
	now := time.Now()
	var out []Metric
	t := s.Temperature
	if l.Hot > 0 && t.NA == "" && a.hot.passed(now, l.Every, hotFor, t.Celsius >= l.Hot, t.Celsius < l.Hot-backHot) {
		out = append(out, Temperature)
	}
	if free := share(float64(s.Disk.Free), float64(s.Disk.Total)); l.DiskFree > 0 && s.Disk.NA == "" && s.Disk.Total > 0 &&
		a.disk.passed(now, l.Every, 0, free <= l.DiskFree, free > l.DiskFree+backDisk) {
		out = append(out, Disk)
	}
	b := s.Battery
	if l.Battery > 0 && b.NA == "" && a.battery.passed(now, l.Every, 0, b.OnBattery && b.Percent <= l.Battery, !b.OnBattery || b.Percent > l.Battery+backBattery) {
		out = append(out, Battery)
	}
	return out
}

// alarm is the state of one limit.
type alarm struct {
	since  time.Time // when the limit was passed; zero if it isn't
	warned time.Time // time of the last warning
	fired  bool      // whether it has warned since the value was within the limit
}

// passed updates the alarm with a value that is past the limit, or well within it, and
// reports whether to warn.
func (a *alarm) passed(now time.Time, every, hold time.Duration, past, within bool) bool {
	switch {
	case within:
		a.fired, a.since = false, time.Time{}
		return false
	case !past:
		a.since = time.Time{}
		return false
	case a.since.IsZero():
		a.since = now
	}
	if a.fired || now.Sub(a.since) < hold || !a.warned.IsZero() && now.Sub(a.warned) < every {
		return false
	}
	a.fired, a.warned = true, now
	return true
}

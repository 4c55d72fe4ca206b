package monitor

import "time"

// Limits are when to warn; 0 is never.
type Limits struct {
	Hot      float64       // °C of the hottest sensor, and above
	DiskFree float64       // percent of the home folder's volume that are free, and below
	Battery  float64       // percent of charge while running on it, and below
	Every    time.Duration // at least, between two warnings of the same kind
}

// Alerts decides when to warn: once when a limit is passed, and again only after the
// value was well within it. The zero value is ready; it is not safe for concurrent use.
type Alerts struct {
	hot, disk, battery alarm
}

// How far within its limit a value must come back before it can warn again.
const (
	backHot     = 5 // °C
	backDisk    = 1 // percent of the volume
	backBattery = 3 // percent of charge
)

// hotFor is how long it must be hot: a moment's peak is no news.
const hotFor = 20 * time.Second

// Check takes a snapshot in and returns what of it to warn of now.
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

// alarm is one limit.
type alarm struct {
	since time.Time // the limit is passed since; zero = it isn't
	told  time.Time // of the newest warning
	fired bool      // since the value was within the limit
}

// passed takes a value in: whether it is past the limit, or well within it. It reports
// whether to warn.
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
	if a.fired || now.Sub(a.since) < hold || !a.told.IsZero() && now.Sub(a.told) < every {
		return false
	}
	a.fired, a.told = true, now
	return true
}

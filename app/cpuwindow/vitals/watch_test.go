package vitals

import (
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/app/monitor"
)

// published is a source that publishes what a test gives it.
type published struct {
	Source
	publish func(monitor.Snapshot)
}

func (*published) Show(bool, ...monitor.Metric) func() { return func() {} }
func (*published) Snapshot() monitor.Snapshot          { return monitor.Snapshot{} }
func (p *published) Subscribe(f func(monitor.Snapshot)) func() {
	p.publish = f
	return func() {}
}

func TestAReadingThatChangesNothingWakesNobody(t *testing.T) {
	for _, c := range []struct {
		name     string
		detailed bool
		want     int
	}{
		{"the strip alone", false, 4}, // every three seconds, the first one included
		{"the vitals page", true, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				source, strip, woken := &published{}, &Strip{}, 0
				var w *Watch
				show := func() {
					if rs := Readings(*w.Latest()); strip.Due(rs) {
						strip.drawn.Store(&drawnReadings{rs, time.Now()})
					}
				}
				due := func(s monitor.Snapshot) bool { return strip.Due(Readings(s)) }
				w = NewWatch(source, func(f func()) { woken++; f() }, due, show)
				w.Start()
				w.Detailed.Store(c.detailed)
				for range 10 {
					source.publish(monitor.Snapshot{Time: time.Now(), CPU: monitor.CPUReading{Percent: 10}})
					time.Sleep(time.Second)
				}
				if woken != c.want {
					t.Errorf("woken %d times in ten seconds, want %d", woken, c.want)
				}
				w.Stop()
			})
		})
	}
}

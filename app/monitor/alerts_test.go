package monitor

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAlerts(t *testing.T) {
	hot := func(c float64) Snapshot {
		return Snapshot{Temperature: TemperatureReading{Sensor: "coretemp", Celsius: c}, Battery: BatteryReading{NA: "none"}, Disk: DiskReading{NA: "none"}}
	}
	disk := func(free uint64) Snapshot {
		return Snapshot{Temperature: TemperatureReading{NA: "none"}, Battery: BatteryReading{NA: "none"}, Disk: DiskReading{Free: free, Total: 100e9}}
	}
	battery := func(percent float64, on bool) Snapshot {
		return Snapshot{Temperature: TemperatureReading{NA: "none"}, Disk: DiskReading{NA: "none"}, Battery: BatteryReading{Percent: percent, OnBattery: on}}
	}
	limits := Limits{Hot: 90, DiskFree: 5, Battery: 15, Every: 30 * time.Minute}
	type step struct {
		after time.Duration
		s     Snapshot
		want  string // the metric; "" means none
	}
	minute := time.Minute
	for _, c := range []struct {
		name   string
		limits Limits
		steps  []step
	}{
		{"off until chosen", Limits{Every: minute}, []step{{0, hot(120), ""}, {minute, hot(120), ""}, {0, disk(0), ""}, {0, battery(0, true), ""}}},
		{"a peak is no news", limits, []step{{0, hot(95), ""}, {5 * time.Second, hot(80), ""}, {30 * time.Second, hot(95), ""}}},
		{"hot for a while, told once", limits, []step{{0, hot(95), ""}, {21 * time.Second, hot(96), "temperature"}, {time.Hour, hot(97), ""}}},
		{"around the limit is not told again", limits, []step{{0, disk(5e9), "disk"}, {time.Hour, disk(5.5e9), ""}, {time.Hour, disk(4e9), ""}}},
		{"well within and past it again is", limits, []step{{0, disk(5e9), "disk"}, {time.Hour, disk(7e9), ""}, {time.Hour, disk(4e9), "disk"}}},
		{"but not too soon", limits, []step{{0, disk(5e9), "disk"}, {minute, disk(7e9), ""}, {minute, disk(4e9), ""}, {27 * minute, disk(4e9), ""}, {2 * minute, disk(3e9), "disk"}}},
		{"a battery that is charged is no news", limits, []step{{0, battery(5, false), ""}, {minute, battery(5, true), "battery"}, {minute, battery(5, false), ""}, {time.Hour, battery(4, true), "battery"}}},
		{"each kind by itself", limits, []step{{0, disk(1e9), "disk"}, {minute, battery(9, true), "battery"}}},
		{"paused", limits, []step{{0, func() Snapshot { s := disk(1e9); s.Paused = true; return s }(), ""}}},
		{"what is not there is no news", limits, []step{{0, Snapshot{Temperature: TemperatureReading{NA: "x"}, Disk: DiskReading{NA: "x"}, Battery: BatteryReading{NA: "x"}}, ""}, {0, disk(0), "disk"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var a Alerts
				for i, s := range c.steps {
					time.Sleep(s.after)
					var got []string
					for _, alert := range a.Check(s.s, c.limits) {
						got = append(got, string(alert))
					}
					text := strings.Join(got, "|")
					if text != s.want {
						t.Errorf("step %d: %q, want %q", i+1, text, s.want)
					}
				}
			})
		})
	}
}

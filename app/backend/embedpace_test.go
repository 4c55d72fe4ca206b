package backend

import (
	"testing"

	"mac-stats/app/monitor"
)

func TestVectorsTakeLittleTimeAndNoneOnBattery(t *testing.T) {
	for name, c := range map[string]struct {
		s    monitor.Snapshot
		want float64
	}{
		"idle":            {monitor.Snapshot{Battery: monitor.BatteryReading{NA: "no battery"}}, idleShare},
		"charging":        {monitor.Snapshot{}, idleShare},
		"on battery":      {monitor.Snapshot{Battery: monitor.BatteryReading{OnBattery: true}}, 0},
		"busy":            {monitor.Snapshot{CPU: monitor.CPUReading{Percent: 80}}, busyShare},
		"nothing is told": {monitor.Snapshot{CPU: monitor.CPUReading{NA: "?", Percent: 80}, Battery: monitor.BatteryReading{NA: "?", OnBattery: true}}, idleShare},
	} {
		if got := shareFor(c.s); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

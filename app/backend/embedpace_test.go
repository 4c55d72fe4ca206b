package backend

import (
	"testing"
	"testing/synctest"
	"time"

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

func TestVectorsStepBackWhileSomebodyTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &Index{}
		for _, c := range []struct {
			what  string
			do    func()
			share float64 // the share that the machine allows
			want  float64
		}{
			{"before", func() {}, idleShare, idleShare},
			{"a key", b.Typing, idleShare, busyShare},
			{"a moment later", func() { time.Sleep(typingFor / 2) }, idleShare, busyShare},
			{"on battery", func() {}, 0, 0},
			{"when the typing is over", func() { time.Sleep(typingFor) }, idleShare, idleShare},
		} {
			c.do()
			b.pace.at, b.pace.share = time.Now(), c.share
			if got := b.embedShare(); got != c.want {
				t.Errorf("%s: %v, want %v", c.what, got, c.want)
			}
		}
	})
}

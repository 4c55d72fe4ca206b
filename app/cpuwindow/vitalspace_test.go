package cpuwindow

import (
	"testing"
	"time"

	"mac-stats/app/monitor"
	"mac-stats/app/ui/screentest"
)

func TestSmallChangesAreDrawnTogether(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		at := func(cpu float64) string {
			b.vitals.publish(monitor.Snapshot{Time: time.Now(), CPU: monitor.CPUReading{Percent: cpu}})
			b.Settle()
			return b.w.vitals.Cells[0].Num.Text
		}
		if got := at(10); got != "10" {
			t.Errorf("the first reading shows as %s", got)
		}
		for _, step := range []struct {
			after time.Duration
			cpu   float64
			want  string
		}{
			{time.Second, 11, "10"}, // a small change waits
			{time.Second, 10, "10"},
			{time.Second, 11, "11"}, // at most three seconds
			{time.Second, 40, "40"}, // at once
			{time.Second, 41.4, "40"},
			{time.Second, 43, "43"},
		} {
			time.Sleep(step.after)
			if got := at(step.cpu); got != step.want {
				t.Errorf("at %v %% it shows %s, want %s", step.cpu, got, step.want)
			}
		}
	})
}

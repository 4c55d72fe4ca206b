//go:build unix

package answer

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"mac-stats/app/apptest"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/prose"
)

// layOut does what the window does with an answer before it can show it.
func layOut(s string) {
	for _, l := range markdown.Parse(s).View().Leaves {
		if l.Kind == markdown.Code {
			code := newCodeText()
			code.setWrap(true)
			code.Measure(600)
			code.set(l.Code, l.Spans)
			continue
		}
		prose.New(Runs(l.Runs), kit.SizeText, kit.RoleText).Measure(600)
	}
}

// cpuTime returns the CPU time of this process, which doesn't depend on other processes.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Twice the text takes at most 2.6 times the time, whatever it consists of.
func TestLayingOutIsLinear(t *testing.T) {
	newTestApp(t)
	const n, maxRatio = 20_000, 2.6 * 2.6
	for name, text := range apptest.Unbroken() {
		t.Run(name, func(t *testing.T) {
			// Collect garbage between the runs, not during them: it may be another run's.
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			timed := func(n int) time.Duration {
				s := text(n)
				runtime.GC()
				began := cpuTime(t)
				layOut(s)
				return cpuTime(t) - began
			}
			short, long := time.Hour, time.Hour
			for i := range 20 {
				short, long = min(short, timed(n+i)), min(long, timed(4*n+i))
				if i > 1 && float64(long) <= maxRatio*float64(short) {
					return
				}
			}
			t.Errorf("four times the text takes %v, the text %v", long, short)
		})
	}
}

// BenchmarkUnbroken lays out 250 KB without a blank.
func BenchmarkUnbroken(b *testing.B) {
	newTestApp(b)
	for name, text := range apptest.Unbroken() {
		b.Run(name, func(b *testing.B) {
			n := 250_000
			for b.Loop() {
				n++
				b.StopTimer()
				s := text(n)
				b.StartTimer()
				layOut(s)
			}
		})
	}
}

//go:build e2e

package e2etest

import (
	"fmt"
	"regexp"
	"syscall"
	"testing"
	"time"

	"mac-stats/app/apptest"
)

// Opening and closing the window again and again, as in a day's use, must leave no
// goroutine behind and no memory that isn't used again.

const (
	warmUp      = 5 // cycles after which everything that is created once exists
	fewCycles   = 20
	manyCycles  = 500
	spareAround = 4   // goroutines that come and go: connections to the server and the bus
	leakMost    = 5.0 // MB
)

func TestOpeningAndClosingLeaksNothing(t *testing.T) {
	t.Parallel()
	before, after := leaks(t, fewCycles)
	t.Logf("after %d cycles: %v; after %d more: %v", warmUp, before, fewCycles, after)
	if after.goroutines > before.goroutines+spareAround {
		t.Errorf("%d goroutines after %d cycles, %d after %d more", before.goroutines, warmUp, after.goroutines, fewCycles)
	}
	if grown := after.megabytes - before.megabytes; grown > leakMost {
		t.Errorf("%.1f MB more after %d cycles", grown, fewCycles)
	}
}

// BenchmarkOpeningAndClosing opens and closes the window five hundred times.
func BenchmarkOpeningAndClosing(b *testing.B) {
	for b.Loop() {
		before, after := leaks(b, manyCycles)
		b.ReportMetric(float64(after.goroutines-before.goroutines), "goroutines-leaked")
		b.ReportMetric(0, "goroutines-leaked-promised")
		b.ReportMetric(after.megabytes-before.megabytes, "MB-leaked")
		b.ReportMetric(leakMost, "MB-leaked-promised")
	}
	b.ReportMetric(0, "ns/op") // meaningless here
}

// held is what a process holds while its window is closed.
type held struct {
	goroutines int
	megabytes  float64
}

// leaks opens and closes the window a few times, and then this many more times. Goroutines
// are counted in the output of a Go process that is told to quit by a signal, so the first
// count needs its own process.
func leaks(t testing.TB, cycles int) (before, after held) {
	t.Helper()
	d, x := benchDesk(t)
	app, icon := d.launch(t)
	openAndClose(t, d, x, icon, warmUp)
	before.goroutines = app.goroutines(t)

	app, icon = d.launch(t)
	openAndClose(t, d, x, icon, warmUp)
	before.megabytes = app.anonymous(t)
	openAndClose(t, d, x, icon, cycles)
	after.megabytes = app.anonymous(t)
	after.goroutines = app.goroutines(t)
	return before, after
}

// openAndClose opens and closes the window n times, each time with something drawn, and
// waits until memory has been released.
func openAndClose(t testing.TB, d *desk, x *xserver, icon *apptest.Item, n int) {
	t.Helper()
	for range n {
		openTimed(t, d, x, icon)
		closeWindow(t, d, x)
	}
	time.Sleep(6 * time.Second)
}

var goroutineLine = regexp.MustCompile(`(?m)^goroutine \d+ .*\[`)

// goroutines ends the process and counts its goroutines.
func (p *process) goroutines(t testing.TB) int {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.exited:
	case <-time.After(patience):
		t.Fatalf("%s does not end by SIGQUIT", p.name)
	}
	n := len(goroutineLine.FindAllString(p.output.tail(1<<20), -1))
	if n < 5 {
		t.Fatalf("%d goroutines in what %s printed:\n%s", n, p.name, p.output.tail(20))
	}
	return n
}

func (h held) String() string {
	return fmt.Sprintf("%d goroutines, %.1f MB", h.goroutines, h.megabytes)
}

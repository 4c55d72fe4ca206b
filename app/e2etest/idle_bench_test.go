//go:build e2e

package e2etest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The promised figures of an app that nobody is using.
const (
	promisedOpenIdle    = 0.5  // % of a core
	promisedWakeups     = 15.0 // per second
	promisedHiddenIdle  = 0.04 // % of a core
	promisedHidden      = 14.0 // MB
	promisedHiddenAgain = 60.0 // MB
)

// BenchmarkIdle measures what the app costs while nobody uses it, in the same minutes on
// the same screen: hidden since its start, hidden again after a question, and open behind
// another window, which is an empty window of the toolkit and is measured too. Wake-ups
// count how often its threads gave up the processor voluntarily.
func BenchmarkIdle(b *testing.B) {
	d, _ := benchDesk(b)
	d.screen = startScreenOf(b, 2100, 1600) // no window covers another
	for b.Loop() {
		hidden, _ := d.launch(b)
		again := d.another(b)
		againApp, againIcon := again.launch(b)
		again.use(b, againApp, againIcon)
		again.screen.run(b, "xdotool", "key", "--clearmodifiers", "ctrl+w")
		open := d.another(b)
		openApp, openIcon := open.launch(b)
		open.use(b, openApp, openIcon)
		all := []contestant{
			{"hidden", []int{hidden.pid()}}, {"hidden-again", []int{againApp.pid()}}, {"open", []int{openApp.pid()}},
		}
		if path := os.Getenv("MAC_STATS_TEST_EMPTY"); path != "" {
			all = append(all, contestant{"empty", []int{d.beside(b, "emptywindow", path).pid()}})
		}
		time.Sleep(15 * time.Second) // startup and shutdown work is done

		before, began := make([]time.Duration, len(all)), time.Now()
		switches := make([]map[int]int, len(all))
		for i, c := range all {
			before[i], switches[i] = c.processor(b), switchesOf(b, c.pids[0])
		}
		time.Sleep(idleTime(b))
		for i, c := range all {
			elapsed := time.Since(began)
			b.ReportMetric(100*float64(c.processor(b)-before[i])/float64(elapsed), "%-"+c.name)
			sum := 0
			for thread, n := range switchesOf(b, c.pids[0]) {
				sum += n - switches[i][thread]
			}
			b.ReportMetric(float64(sum)/elapsed.Seconds(), "wakeups-"+c.name)
			b.ReportMetric(anonymousOf(b, c.pids[0]), "MB-"+c.name)
		}
		d.screen.shot(b, "idle")
	}
	b.ReportMetric(promisedHiddenIdle, "%-hidden-promised")
	b.ReportMetric(promisedHidden, "MB-hidden-promised")
	b.ReportMetric(promisedHiddenIdle, "%-hidden-again-promised")
	b.ReportMetric(promisedHiddenAgain, "MB-hidden-again-promised")
	b.ReportMetric(promisedOpenIdle, "%-open-promised")
	b.ReportMetric(promisedWakeups, "wakeups-open-promised")
	reportLoad(b)
}

// switchesOf returns how often each thread of a process has given up the processor
// voluntarily.
func switchesOf(t testing.TB, pid int) map[int]int {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(files) == 0 {
		t.Fatalf("no threads of process %d: %v", pid, err)
	}
	of := map[int]int{}
	for _, f := range files {
		status, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(status), "\nvoluntary_ctxt_switches:\t")
		line, _, _ := strings.Cut(rest, "\n")
		n, err := strconv.Atoi(line)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		thread, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err != nil {
			t.Fatal(err)
		}
		of[thread] = n
	}
	return of
}

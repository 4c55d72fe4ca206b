package vitals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/app/apptest"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/screentest"
)

// machine is a source of given readings.
type machine struct {
	published
	sampled  []monitor.Metric // asked for now
	quits    chan string      // receives requests to quit
	quitErr  error
	stubborn atomic.Bool // processes don't quit when asked
}

func (m *machine) Show(_ bool, metrics ...monitor.Metric) func() {
	m.sampled = metrics
	return func() { m.sampled = nil }
}

func (m *machine) Quit(p monitor.Process, force bool) error {
	m.quits <- fmt.Sprintf("%d %v", p.PID, force)
	return m.quitErr
}

func (m *machine) Runs(monitor.Process) bool { return m.stubborn.Load() }

func (*machine) Series(_ monitor.Metric, r monitor.Range) monitor.Series {
	if r == monitor.Day {
		return monitor.Series{Step: r.Span() / 3, Points: make([]monitor.Point, 3)}
	}
	return monitor.Series{Step: r.Span() / 3, Points: []monitor.Point{{Mean: 1, Max: 2, OK: true}, {}, {Mean: 3, Max: 3, OK: true}}}
}

// rig is a window with the vitals page alone.
type rig struct {
	*screentest.Screen
	page    *Page
	machine *machine
	latest  *monitor.Snapshot
	asked   []string
	ahead   string
}

func (r *rig) Latest() *monitor.Snapshot { return r.latest }
func (r *rig) Ahead() string             { return r.ahead }
func (r *rig) Ask(text string)           { r.asked = append(r.asked, text) }

// onPage shows the page with a reading.
func onPage(t *testing.T, s monitor.Snapshot) *rig {
	t.Helper()
	r := &rig{Screen: screentest.New(t), machine: &machine{quits: make(chan string, 4)}}
	r.page = NewPage(r, r.machine, nil)
	r.Win = test.NewTempWindow(t, r.page.View)
	r.Win.Resize(fyne.NewSize(800, 2400))
	r.page.Sample(true)
	r.reads(s)
	return r
}

// The memory's card names the models that the server holds in it, while the page is shown.
func TestLoadedModelsAreNamed(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := onPage(t, apptest.Snapshot())
		loaded := []api.ProcessModelResponse{{Name: "qwen3:8b", Size: 6 << 30}, {Name: "nomic:1b", Size: 1 << 30}}
		looks := 0
		r.page.loaded = func(context.Context) []api.ProcessModelResponse { looks++; return loaded }
		r.SeesNot("loaded models")
		r.page.Sample(false)
		r.page.Sample(true)
		r.Settle()
		r.Sees("loaded models: qwen3:8b 6.0 GB · nomic:1b 1.0 GB")
		loaded = nil
		time.Sleep(loadedInterval + time.Second)
		r.Settle()
		r.SeesNot("loaded models")
		r.page.Sample(false)
		before := looks
		time.Sleep(5 * loadedInterval)
		if looks != before {
			t.Errorf("%d looks while the page is hidden", looks-before)
		}
	})
}

// Who sees the model server busy among the processes is told that it reads in advance.
func TestReadingAheadIsNamedAmongTheProcesses(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := onPage(t, apptest.Snapshot())
		r.SeesNot("reading ahead")
		r.ahead = "qwen3:8b is reading ahead"
		r.page.Update()
		r.Sees("qwen3:8b is reading ahead")
		r.ahead = ""
		r.page.Update()
		r.SeesNot("reading ahead")
	})
}

// The card of a machine with hundreds of cores is no longer than that of one with a few dozen, and
// names the busiest.
func TestManyCoresFitOnTheirCard(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		s := apptest.Snapshot()
		heights := map[int]float32{}
		for _, n := range []int{32, 64, 256} {
			s.CPU.Cores = make([]float64, n)
			s.CPU.Cores[n-2], s.CPU.Cores[4] = 98, 61
			r := onPage(t, s)
			heights[n] = r.page.cards[0].cores.Measure(380)
			r.Sees(fmt.Sprintf("%% of all %d cores together", n))
			if n > 32 {
				r.Sees(fmt.Sprintf("busiest cores: %d 98 %% · 5 61 %%", n-1))
			}
			s.CPU.Cores = slices.Clone(s.CPU.Cores)
			s.CPU.Cores[0] = 100
			r.reads(s)
			if n > 32 {
				r.Sees("busiest cores: 1 100 %")
			}
		}
		if heights[64] > heights[32] || heights[256] > 2*heights[32] {
			t.Errorf("the heights by cores are %v", heights)
		}
	})
}

// reads shows a new reading.
func (r *rig) reads(s monitor.Snapshot) {
	r.latest = &s
	r.page.Update()
	r.Settle()
}

// presses presses a button of the page, or of the question over it.
func (r *rig) presses(words string) {
	r.T.Helper()
	if r.Canvas().Overlays().Top() != nil {
		r.Confirm(words)
		return
	}
	r.Pushes(r.page.View, words)
}

func TestThePageShowsAReading(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := onPage(t, apptest.Snapshot())
		r.Sees("% of all 2 cores together", "97 %", "load average 1.50",
			"of 16 GB used", "3.0 GB cached", "no swap", "waiting 0.4 %",
			"n/a: no readable GPU", "the hottest of 2 sensors", "nvme 40 °C",
			"GB free of 100 GB", "/data: 1.0 TB of 2.0 TB free", "all disks: reading 1.0 MB/s, writing 2.0 MB/s",
			"down 2.0 MB/s · up 100 kB/s", "running on battery", "the busiest of 99", "stubborn", "182 %", "4.1 GB",
			"average 2 %, peak 3 %")
		// when the range is switched, then the history follows
		r.presses("1 h")
		r.Sees("average 2 %")
		r.presses("24 h")
		r.Sees("nothing measured in the last 24 h")
		// when the order is switched, then the process with the most memory comes first
		first := func() string { return r.page.Procs.Lines[0].name.Text }
		byCPU := first()
		r.presses("by memory")
		if byCPU != "stubborn" || first() != "init" {
			t.Errorf("first by CPU is %s, by memory %s", byCPU, first())
		}
		r.presses("by CPU")
		s := apptest.Snapshot()
		s.Paused = true
		r.reads(s)
		r.Sees("Monitoring is paused: the list may be old.")
		s.Paused, s.Processes = false, monitor.ProcessesReading{NA: "no permission"}
		r.reads(s)
		r.Sees("n/a: no permission")
		r.SeesNot("stubborn", "the busiest of")
	})
}

// The page costs nothing while it isn't shown.
func TestThePageIsSampledOnlyWhileShown(t *testing.T) {
	r := onPage(t, apptest.Snapshot())
	r.page.Sample(true)
	if diff := cmp.Diff(pageMetrics(), r.machine.sampled); diff != "" {
		t.Errorf("sampled (-want +got):\n%s", diff)
	}
	r.page.Sample(false)
	r.page.Sample(false)
	s := apptest.Snapshot()
	s.Processes.Top[0].Name = "later"
	if r.reads(s); r.machine.sampled != nil || strings.Contains(r.Markup(), "later") {
		t.Errorf("hidden, %v is sampled, or a reading is drawn", r.machine.sampled)
	}
	r.page.Sample(true)
	r.Sees("later")
}

func TestAskingAddsTheReading(t *testing.T) {
	r := onPage(t, apptest.Snapshot())
	for i, want := range [][]string{
		{"The reading of this machine at 10:20:30:\nCPU: 37 % of all 2 cores together", "\nlast 5 min: average 2 %, peak 3 %"},
		{"Disk: ", "\n- all disks: reading 1.0 MB/s, writing 2.0 MB/s\n- /: 5.0 GB of 100 GB free · reading 1.0 MB/s, writing 0 B/s\n- /data: 1.0 TB of 2.0 TB free\n"},
		{"CPU: ", "Memory: ", "Disk: ", "stubborn"},
	} {
		r.page.Ask([]monitor.Metric{monitor.CPU, monitor.Disk, ""}[i])
		for _, w := range want {
			if !strings.Contains(r.asked[i], w) {
				t.Errorf("%q has no %q", r.asked[i], w)
			}
		}
	}
	r.presses("Ask about all of it")
	r.presses("Ask about this") // of the CPU
	if len(r.asked) != 5 || r.asked[3] != r.asked[2] || r.asked[4] != r.asked[0] {
		t.Errorf("asked by the buttons: %q", r.asked[3:])
	}
	r.latest = nil
	if r.page.Ask(monitor.CPU); len(r.asked) != 5 {
		t.Errorf("without a reading it asks %q", r.asked[5])
	}
	if got := askWords(monitor.Snapshot{}, monitor.CPU, ""); strings.Contains(got, " at ") {
		t.Errorf("a reading of no time says %q", got)
	}
}

func TestACardIsScrolledTo(t *testing.T) {
	r := onPage(t, apptest.Snapshot())
	r.Win.Resize(fyne.NewSize(800, 300))
	for _, m := range []monitor.Metric{monitor.Battery, monitor.CPU, monitor.Network} {
		r.page.Reveal(m)
		i := slices.IndexFunc(details(monitor.Snapshot{}), func(d detail) bool { return d.metric == m })
		row, v := r.page.View.Rows[1+i/2], r.page.View
		if row.Top+row.Height < v.Offset || row.Top > v.Offset+v.Size().Height {
			t.Errorf("%s at %g isn't visible at %g", m, row.Top, v.Offset)
		}
	}
}

func TestQuitAsksFirstThenOffersForce(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := onPage(t, apptest.Snapshot())
		r.machine.stubborn.Store(true)
		// given two processes, one of them protected
		shown := 0
		for _, l := range r.page.Procs.Lines {
			if l.Object.Visible() && l.Quit.Visible() {
				shown++
			}
		}
		if shown != 1 {
			t.Errorf("%d can be quit, want 1", shown)
		}
		// when Quit is pressed, then it asks first
		r.presses("Quit")
		r.Sees("Quit stubborn?", "stubborn (pid 1048576) is asked to quit.")
		r.presses("Cancel")
		if len(r.machine.quits) != 0 {
			t.Fatal("Cancel quits it")
		}
		// when confirmed, the process is asked to quit, and force is offered if it still runs
		r.presses("Quit")
		r.presses("Ask it to quit")
		r.Until("stubborn (pid 1048576) still runs.")
		r.presses("Force it to quit")
		r.Sees("Force stubborn to quit?")
		r.presses("Force it to quit")
		r.Until("stubborn (pid 1048576) still runs: the system has not ended it yet.")
		r.SeesNot("Force it to quit")
		<-r.machine.quits
		<-r.machine.quits
		r.presses("Quit")
		r.presses("Ask it to quit")
		r.Until("It may be saving, or asking you something.")
		r.machine.stubborn.Store(false)
		r.presses("Force it to quit")
		r.presses("Force it to quit")
		r.Until("stubborn (pid 1048576) has quit.")
		if got := []string{<-r.machine.quits, <-r.machine.quits}; !slices.Equal(got, []string{"1048576 false", "1048576 true"}) {
			t.Errorf("asked for %v", got)
		}
	})
}

func TestAFailureToQuitIsReported(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := onPage(t, apptest.Snapshot())
		r.machine.quitErr = errors.New("stubborn (pid 1048576) belongs to another user")
		r.presses("Quit")
		r.presses("Ask it to quit")
		r.Until("Stubborn (pid 1048576) belongs to another user.")
	})
}

func TestCardsGrowAndShrink(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := onPage(t, monitor.Snapshot{})
		before := r.page.View.Total
		r.Sees("measuring …")
		r.reads(apptest.Snapshot())
		if r.page.View.Total <= before {
			t.Errorf("%v high without a number, %v with all", before, r.page.View.Total)
		}
		r.Win.Resize(fyne.NewSize(420, 3600))
		r.Settle()
		r.Sees("% of all 2 cores together", "down 2.0 MB/s")
	})
}

func TestHistoryWords(t *testing.T) {
	p := func(v float64) monitor.Point { return monitor.Point{Mean: v, Max: 2 * v, OK: true} }
	for _, c := range []struct {
		name   string
		metric monitor.Metric
		r      monitor.Range
		points []monitor.Point
		want   string
	}{
		{"nothing", monitor.CPU, monitor.FiveMinutes, make([]monitor.Point, 5), "nothing measured in the last 5 min"},
		{"all of it", monitor.CPU, monitor.FiveMinutes, []monitor.Point{p(10), p(20)}, "last 5 min: average 15 %, peak 40 %"},
		{"bytes", monitor.Network, monitor.FiveMinutes, []monitor.Point{p(1e6), p(1e6)}, "last 5 min: average 1.0 MB/s, peak 2.0 MB/s"},
		{"below zero", monitor.Temperature, monitor.FiveMinutes, []monitor.Point{{Mean: -5, Max: -4, OK: true}}, "last 5 min: average -5 °C, peak -4 °C"},
		{"a gap", monitor.Temperature, monitor.FiveMinutes, []monitor.Point{p(20), {}, {}}, "last 5 min: average 20 °C, peak 40 °C (60 s recorded)"},
		{"a gap of an hour", monitor.CPU, monitor.Hour, []monitor.Point{p(20), p(20), {}, {}, {}, {}, {}, {}, {}}, "last 1 h: average 20 %, peak 40 % (2 min recorded)"},
	} {
		if got := HistoryWords(c.metric, c.r, monitor.Series{Step: time.Minute, Points: c.points}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

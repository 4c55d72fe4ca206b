package monitor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeReader counts its reads and gives prepared answers.
type fakeReader struct {
	reads  atomic.Int64
	resets atomic.Int64
	answer func(n int64) (func(*Snapshot), error) // n counts from 1; nil means CPU n %
}

func (f *fakeReader) reset() { f.resets.Add(1) }

func (f *fakeReader) read(context.Context) (func(*Snapshot), error) {
	n := f.reads.Add(1)
	if f.answer != nil {
		return f.answer(n)
	}
	return func(s *Snapshot) { s.CPU = CPUReading{Percent: float64(n % 100)} }, nil
}

// started runs test with a monitor that has a fake reader for each metric.
func started(t *testing.T, test func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader)) {
	synctest.Test(t, func(t *testing.T) {
		fakes, readers := map[Metric]*fakeReader{}, map[Metric]reader{}
		for _, metric := range Metrics() {
			fakes[metric] = &fakeReader{answer: func(int64) (func(*Snapshot), error) { return func(*Snapshot) {}, nil }}
			readers[metric] = fakes[metric]
		}
		fakes[CPU].answer = nil
		m := newMonitor(Config{Sensors: true}, readers, nil)
		m.Start(t.Context())
		test(t, m, fakes)
	})
}

func TestNothingIsSampledUntilShown(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader) {
		time.Sleep(time.Hour)
		for metric, r := range readers {
			if n := r.reads.Load(); n != 0 {
				t.Errorf("%s was read %d times", metric, n)
			}
		}
		if got := m.Snapshot().CPU.NA; got != notSampled {
			t.Errorf("CPU is n/a because of %q", got)
		}
	})
}

func TestCadence(t *testing.T) {
	for _, c := range []struct {
		name string
		open bool
		want map[Metric]int64 // reads per minute
	}{
		{"a window", true, map[Metric]int64{
			CPU: 60, Memory: 60, Network: 60, Disk: 30, GPU: 30, Processes: 30, Temperature: 12, Battery: int64(time.Minute / batteryPace),
		}},
		{"the tray icon", false, map[Metric]int64{
			CPU: 12, Memory: 12, Network: 12, Disk: 12, GPU: 1, Processes: 12, Temperature: 12, Battery: int64(time.Minute / batteryPace),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			started(t, func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader) {
				stop := m.Show(c.open, Metrics()...)
				time.Sleep(time.Minute - time.Millisecond)
				synctest.Wait()
				got := map[Metric]int64{}
				for metric, r := range readers {
					got[metric] = r.reads.Load()
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("reads in a minute (-want +got):\n%s", diff)
				}
				// when hidden, then nothing is read
				stop()
				stop() // a second call does nothing
				synctest.Wait()
				time.Sleep(time.Hour)
				for metric, r := range readers {
					if r.reads.Load() != got[metric] {
						t.Errorf("%s is read though nobody shows it", metric)
					}
				}
			})
		})
	}
}

func TestTheShortestShownIntervalCounts(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader) {
		reads := func(d time.Duration) int64 {
			before := readers[CPU].reads.Load()
			time.Sleep(d)
			synctest.Wait()
			return readers[CPU].reads.Load() - before
		}
		tray := m.Show(false, CPU)
		defer tray()
		time.Sleep(500 * time.Millisecond) // between the ticks
		one, two := m.Show(true, CPU), m.Show(true, CPU)
		time.Sleep(time.Second)
		for _, step := range []struct {
			name string
			do   func()
			want int64
		}{
			{"two windows and the tray", func() {}, 20},
			{"one window and the tray", one, 20},
			{"the tray", two, 4},
			{"paused", m.Pause, 0},
			{"resumed", m.Resume, 4},
		} {
			step.do()
			if got := reads(20 * time.Second); got < step.want || got > step.want+1 {
				t.Errorf("%s: %d reads in 20 s, want %d", step.name, got, step.want)
			}
		}
	})
}

func TestPausedSaysSo(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, _ map[Metric]*fakeReader) {
		var last Snapshot
		m.Subscribe(func(s Snapshot) { last = s })
		defer m.Show(true, CPU)()
		time.Sleep(3 * time.Second)
		m.Pause()
		time.Sleep(time.Second)
		synctest.Wait()
		if !last.Paused || last.Line() != "monitoring is paused" {
			t.Errorf("paused, but subscribers hear %q", last.Line())
		}
		m.Resume()
		time.Sleep(time.Second)
		synctest.Wait()
		if last.Paused {
			t.Error("resumed, but subscribers hear paused")
		}
	})
}

func TestSubscribersAreCalledOnceInOrder(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, _ map[Metric]*fakeReader) {
		// given five metrics of which each was read once, beside the others
		defer m.Show(true, CPU, Memory, Network, Temperature, Battery)()
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		var calls []string
		m.Subscribe(func(Snapshot) { calls = append(calls, "a") })
		stop := m.Subscribe(func(Snapshot) { calls = append(calls, "b") })
		m.Subscribe(func(Snapshot) { calls = append(calls, "c") })
		// when two ticks pass
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := strings.Join(calls, ""); got != "abcabc" {
			t.Errorf("called %s, want each tick once, in order", got)
		}
		// and after stop the subscriber isn't called
		calls = nil
		stop()
		time.Sleep(time.Second)
		synctest.Wait()
		if got := strings.Join(calls, ""); got != "ac" {
			t.Errorf("called %s after b stopped", got)
		}
	})
}

func TestTheFirstRateArrivesSoon(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader) {
		// given a reader that needs two looks
		readers[Network].answer = func(n int64) (func(*Snapshot), error) {
			if n == 1 {
				return nil, errNotYet
			}
			return func(s *Snapshot) { s.Network = NetworkReading{Down: 5} }, nil
		}
		defer m.Show(true, Network)()
		// then the value arrives long before the next tick
		time.Sleep(primeAfter + 10*time.Millisecond)
		synctest.Wait()
		if got := m.Snapshot().Network; got.NA != "" || got.Down != 5 {
			t.Errorf("%+v", got)
		}
		if n := readers[Network].resets.Load(); n != 1 {
			t.Errorf("%d resets: the second look must be measured against the first", n)
		}
		if got := measured(m.Series(Network, FiveMinutes)); len(got) != 1 {
			t.Errorf("history %v: the look without a number must leave no point", got)
		}
	})
}

func TestAGapResetsRates(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader) {
		stop := m.Show(true, CPU)
		time.Sleep(10 * time.Second)
		stop()
		resets := readers[CPU].resets.Load()
		time.Sleep(time.Hour)
		defer m.Show(true, CPU)()
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if got := readers[CPU].resets.Load() - resets; got != 1 {
			t.Errorf("%d resets after an hour unseen, want 1", got)
		}
	})
}

func TestFaults(t *testing.T) {
	fail := func(int64) (func(*Snapshot), error) { return nil, errors.New("bus error on sensor 3") }
	for _, c := range []struct {
		name   string
		answer func(n int64) (func(*Snapshot), error)
		reads  int64 // in ten minutes at one per five seconds: 120 without a fault
		na     []string
	}{
		{"a panic switches it off at once", func(int64) (func(*Snapshot), error) { panic("index out of range") }, 1, []string{"switched off", "index out of range"}},
		{"three errors switch it off", fail, 3, []string{"switched off", "bus error on sensor 3"}},
		{"two errors don't", func(n int64) (func(*Snapshot), error) {
			if n < 3 {
				return fail(n)
			}
			return func(s *Snapshot) { s.Temperature = TemperatureReading{Celsius: 50} }, nil
		}, 120, []string{""}},
		{"a missing sensor is looked for again, seldom", func(int64) (func(*Snapshot), error) { return nil, unavailableError("no sensor") }, 10, []string{"no sensor"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			started(t, func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader) {
				readers[Temperature].answer = c.answer
				defer m.Show(true, CPU, Temperature)()
				time.Sleep(10*time.Minute - time.Millisecond)
				synctest.Wait()
				if got := readers[Temperature].reads.Load(); got != c.reads {
					t.Errorf("%d reads, want %d", got, c.reads)
				}
				for _, part := range c.na {
					if got := m.Snapshot().Temperature.NA; !strings.Contains(got, part) || part == "" && got != "" {
						t.Errorf("n/a is %q, want %q in it", got, part)
					}
				}
				if m.Snapshot().CPU.NA != "" {
					t.Error("a fault of one metric stopped another")
				}
			})
		})
	}
}

func TestAHangingReadDelaysNoOther(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader) {
		release := make(chan struct{})
		readers[Disk].answer = func(int64) (func(*Snapshot), error) {
			<-release
			return nil, unavailableError("gone")
		}
		defer m.Show(true, CPU, Disk)()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := readers[CPU].reads.Load(); n < 60 {
			t.Errorf("the CPU was read %d times in a minute", n)
		}
		// and Sample gives up in time
		began := time.Now()
		s := m.Sample(t.Context(), CPU, Disk)
		if took := time.Since(began); took > sampleTimeout {
			t.Errorf("Sample took %v", took)
		}
		if s.Disk.NA != "did not answer in time" || s.CPU.NA != "" {
			t.Errorf("disk n/a %q, CPU n/a %q", s.Disk.NA, s.CPU.NA)
		}
		close(release)
		synctest.Wait()
	})
}

func TestSampleWithoutStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// given a command: nothing runs or is shown
		r := &fakeReader{answer: func(n int64) (func(*Snapshot), error) {
			if n == 1 {
				return nil, errNotYet
			}
			return func(s *Snapshot) { s.CPU = CPUReading{Percent: 12} }, nil
		}}
		m := newMonitor(Config{}, map[Metric]reader{CPU: r}, nil)
		// when it samples, then it waits for the second look, once
		began := time.Now()
		if s := m.Sample(t.Context()); s.CPU.NA != "" || s.CPU.Percent != 12 {
			t.Errorf("%+v", s.CPU)
		}
		if took := time.Since(began); took != primeAfter {
			t.Errorf("it took %v", took)
		}
		m.Sample(t.Context(), CPU)
		if n := r.reads.Load(); n != 2 {
			t.Errorf("%d reads: a reading of just now is good enough", n)
		}
	})
}

func TestManySamplesAtOnce(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, _ map[Metric]*fakeReader) {
		defer m.Show(true, Metrics()...)()
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				for range 20 {
					_ = m.Sample(t.Context())
					_ = m.Series(CPU, Hour)
					m.Subscribe(func(Snapshot) {})()
					m.Show(true, CPU)()
					time.Sleep(70 * time.Millisecond)
				}
			})
		}
		wg.Wait()
		if s := m.Snapshot(); s.CPU.NA != "" {
			t.Errorf("CPU is n/a: %s", s.CPU.NA)
		}
	})
}

func TestSensorsCanBeSwitchedOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &fakeReader{}
		m := newMonitor(Config{Sensors: false}, map[Metric]reader{Temperature: r, CPU: &fakeReader{}}, nil)
		s := m.Sample(t.Context(), Temperature, CPU)
		if r.reads.Load() != 0 || !strings.Contains(s.Temperature.NA, "settings") || s.CPU.NA != "" {
			t.Errorf("%d reads, n/a %q", r.reads.Load(), s.Temperature.NA)
		}
	})
}

func TestMarker(t *testing.T) {
	dir := t.TempDir()
	names := func() []string {
		paths, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	// given a sensor read, then the marker exists during it and not afterwards
	var during []string
	r := &fakeReader{answer: func(int64) (func(*Snapshot), error) {
		during = names()
		return nil, unavailableError("none")
	}}
	cfg := Config{Sensors: true, MarkerDir: dir, Version: "1.2"}
	begin := func() *Monitor { return newMonitor(cfg, map[Metric]reader{Temperature: r}, findMarkers(cfg)) }
	begin().Sample(t.Context(), Temperature)
	if len(during) != 1 || len(names()) != 0 {
		t.Errorf("during the read %v, after it %v", during, names())
	}
	reads := func() bool {
		before := r.reads.Load()
		begin().Sample(t.Context(), Temperature)
		return r.reads.Load() > before
	}
	crash := func(pids ...int) {
		for _, pid := range pids {
			path := filepath.Join(dir, fmt.Sprintf("reading-temperature-%d", pid))
			if err := (&marker{path: path, version: cfg.Version}).set(); err != nil {
				t.Fatal(err)
			}
		}
	}

	// given one or two processes killed during a read, then the sensor is read and their
	// markers are removed
	for range 5 {
		crash(2147483000, 2147483001)
		if !reads() || len(names()) != 0 {
			t.Fatalf("off after two that were killed, with a reading between: %v", names())
		}
	}

	// given three in a row, then it stays off and its files give the reason
	crash(2147483000, 2147483001, 2147483002)
	for _, name := range []string{"reading-gpu-1", "reading-poetry-2147483000", "reading-gpu-x"} {
		if err := (&marker{path: filepath.Join(dir, name)}).set(); err != nil {
			t.Fatal(err)
		}
	}
	dead := filepath.Join(dir, "reading-temperature-2147483000")
	if report := begin().Sample(t.Context(), Temperature).Report("temperature"); reads() || !strings.Contains(report, dead) {
		t.Errorf("it says %q", report)
	}

	// given the next version, then it is tried again
	cfg.Version = "1.3"
	if !reads() {
		t.Error("a new version does not try")
	}

	// given a week, then it is tried again
	crash(2147483000, 2147483001, 2147483002)
	if reads() {
		t.Error("three of the new version don't count")
	}
	then := time.Now().Add(-8 * 24 * time.Hour)
	for _, path := range names() {
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	if !reads() {
		t.Error("a week later it is not tried")
	}
}

// A program that ends during a read leaves no marker.
func TestEndingDuringAReadIsNoCrash(t *testing.T) {
	dir, reading, goOn := t.TempDir(), make(chan bool), make(chan bool)
	r := &fakeReader{answer: func(int64) (func(*Snapshot), error) {
		reading <- true
		<-goOn
		return nil, unavailableError("none")
	}}
	m := newMonitor(Config{Sensors: true, MarkerDir: dir}, map[Metric]reader{Temperature: r}, nil)
	done := make(chan bool)
	go func() {
		m.Sample(t.Context(), Temperature)
		close(done)
	}()
	<-reading
	m.End()
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	goOn <- true
	<-done
}

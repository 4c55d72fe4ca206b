package monitor

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Metrics due together are read and published at that moment, on one goroutine: nothing
// waits for a slow one.
func TestABeatPublishesAtOnce(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, _ map[Metric]*fakeReader) {
		begin := time.Now()
		var calls []time.Duration
		m.Subscribe(func(Snapshot) { calls = append(calls, time.Since(begin)) })
		defer m.Show(true, Metrics()...)()
		time.Sleep(4500 * time.Millisecond)
		synctest.Wait()
		// Each one's first read is separate, because nobody knows yet how long it takes. Those
		// that end before the beat are published with it, the others together soon after.
		first := slices.IndexFunc(calls, func(at time.Duration) bool { return at > gather })
		want := []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second}
		if first < 1 || first > 2 || !slices.Equal(calls[first:], want) {
			t.Errorf("called at %v, want at the start and %v", calls, want)
		}
	})
}

func TestASlowReadDelaysNoOther(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader) {
		begin := time.Now()
		readers[CPU].answer = func(int64) (func(*Snapshot), error) {
			time.Sleep(400 * time.Millisecond)
			return func(s *Snapshot) { s.CPU = CPUReading{Percent: 1} }, nil
		}
		var late atomic.Int64
		readers[Memory].answer = func(int64) (func(*Snapshot), error) {
			if time.Since(begin)%time.Second > early {
				late.Add(1)
			}
			return func(*Snapshot) {}, nil
		}
		defer m.Show(true, CPU, Memory)()
		time.Sleep(time.Minute - time.Millisecond)
		synctest.Wait()
		if n := late.Load(); n != 0 || readers[Memory].reads.Load() != 60 || readers[CPU].reads.Load() != 60 {
			t.Errorf("%d of %d reads beside a slow one came late; the slow one was read %d times", n, readers[Memory].reads.Load(), readers[CPU].reads.Load())
		}
	})
}

// A read that hangs for the first time delays the rest of its beat, and nothing later.
func TestAReadThatStartsToHangDelaysOneBeat(t *testing.T) {
	for _, c := range []struct {
		name string
		hang []Metric
	}{
		{"the first that is read", []Metric{CPU}},
		{"one in the middle", []Metric{Network}},
		{"the last that is read", []Metric{Battery}},
		{"two of them", []Metric{CPU, Network}},
	} {
		t.Run(c.name, func(t *testing.T) {
			started(t, func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader) {
				goOn, began := make(chan struct{}), time.Now()
				for _, metric := range c.hang {
					readers[metric].answer = func(int64) (func(*Snapshot), error) {
						if time.Since(began) > 20*time.Second {
							<-goOn
						}
						return func(*Snapshot) {}, nil
					}
				}
				var calls int
				m.Subscribe(func(Snapshot) { calls++ })
				defer m.Show(true, CPU, Memory, Network, Battery)()
				time.Sleep(40*time.Second - time.Millisecond)
				synctest.Wait()
				if n := readers[Memory].reads.Load(); n < 40-int64(len(c.hang)) || calls < 40-len(c.hang) {
					t.Errorf("read %d times and told %d times in 40 s", n, calls)
				}
				// and it recovers when the read returns
				close(goOn)
				time.Sleep(20 * time.Second)
				synctest.Wait()
				if n := readers[Memory].reads.Load(); n < 60-int64(len(c.hang)) || n > 60 {
					t.Errorf("read %d times in 60 s", n)
				}
				if n := readers[c.hang[0]].reads.Load(); c.hang[0] != Battery && n < 40 {
					t.Errorf("what hung was read %d times in 60 s", n)
				}
			})
		})
	}
}

// A change during a beat isn't lost.
func TestAPauseFromASubscriberIsPublished(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, _ map[Metric]*fakeReader) {
		var last Snapshot
		m.Subscribe(func(s Snapshot) {
			last = s
			m.Pause()
		})
		defer m.Show(true, CPU)()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if !last.Paused {
			t.Error("the subscriber that paused hears of it never")
		}
	})
}

func TestTicksFollowTheWallClock(t *testing.T) {
	at := func(s float64) time.Time {
		return time.Date(2026, 11, 23, 8, 30, 0, 0, time.UTC).Add(time.Duration(s * float64(time.Second)))
	}
	for _, c := range []struct {
		name      string
		now       float64
		ago, pace time.Duration
		want      float64
	}{
		{"read at its tick", 10, 0, time.Second, 11},
		{"read a little late", 10.3, 0, time.Second, 11},
		{"read late", 10.6, 0, time.Second, 12},
		{"read a little early", 9.999, 0, time.Second, 11},
		{"read a while ago", 10.8, 800 * time.Millisecond, time.Second, 11},
		{"read long ago", 100, 90 * time.Second, time.Second, 11},
		{"a slower pace meets the faster", 10, 0, 2 * time.Second, 12},
		{"and so after an odd second", 11.2, 200 * time.Millisecond, 2 * time.Second, 14},
		{"the slowest", 59, time.Second, 30 * time.Second, 90},
	} {
		if got := tickAfter(at(c.now), c.ago, c.pace); !got.Equal(at(c.want)) {
			t.Errorf("%s: due at %v, want %v", c.name, got, at(c.want))
		}
	}
}

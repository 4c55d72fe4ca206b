package cpuwindow

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/app/monitor"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

// countedServer is a server that is down and counts requests.
type countedServer struct {
	*stubServer
	asked atomic.Int64
}

func (s *countedServer) Version(context.Context) (string, error) {
	s.asked.Add(1)
	return "", errors.New("connection refused")
}

// countedSessions counts how often the sessions are listed.
type countedSessions struct {
	store
	listed atomic.Int64
}

func (s *countedSessions) List(ctx context.Context) ([]transcript.Info, error) {
	s.listed.Add(1)
	return s.store.List(ctx)
}

// A day with the window open, then one with it closed: the window's own activity while the
// server is down and the user presses Re-check now and then.
func TestADayOfTheWindow(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		server, list := &countedServer{stubServer: b.server}, &countedSessions{store: b.parts.sessions}
		b.with(func(p *parts) { p.server, p.sessions = server, list })
		b.shown()
		for range 5 {
			b.w.setup.Recheck()
			b.Settle()
		}
		goroutines := 0
		day := func() (asked, listed int64) {
			a, l := server.asked.Load(), list.listed.Load()
			for end := time.Now().Add(24 * time.Hour); time.Now().Before(end); {
				b.vitals.tick(float64(time.Now().Minute()))
				b.turn(time.Minute)
			}
			synctest.Wait()
			goroutines = bubbleGoroutines()
			return server.asked.Load() - a, list.listed.Load() - l
		}
		near := func(what string, got, want int64) {
			if got < want-2 || got > want+2 {
				t.Errorf("%s %d times in a day, want %d", what, got, want)
			}
		}
		asked, listed := day()
		near("the server is asked", asked, int64(24*time.Hour/recheckEvery))
		near("the sessions are listed", listed, int64(24*time.Hour/(sweepEvery+time.Second))) // checked every second: the first check after that
		first := goroutines
		day()
		if goroutines > first {
			t.Errorf("%d goroutines after a day, %d after another", first, goroutines)
		}
		b.w.Hide()
		b.turn(recheckEvery + time.Second)
		asked, listed = day()
		near("hidden, the server is asked", asked, 0)
		near("hidden, the sessions are listed", listed, 0)
		if goroutines > first {
			t.Errorf("hidden, there are %d goroutines, with the window %d", goroutines, first)
		}
	})
}

// recheckEvery is how often the window asks a server that is down.
const recheckEvery = 5 * time.Second

// bubbleGoroutines counts the goroutines of the bubble. runtime.NumGoroutine also counts those
// that have just ended, until the scheduler removes them.
func bubbleGoroutines() int {
	stacks := make([]byte, 1<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("synctest bubble"))
}

// tick sends the window a reading if it is subscribed.
func (v *stubVitals) tick(cpu float64) {
	if v.publish != nil {
		v.publish(monitor.Snapshot{Time: time.Now(), CPU: monitor.CPUReading{Percent: cpu}})
	}
}

// turn runs the UI goroutine's work for a while.
func (b *bench) turn(d time.Duration) {
	b.t.Helper()
	over := time.After(d)
	for {
		select {
		case f := <-b.Queue:
			f()
		case <-over:
			return
		}
	}
}

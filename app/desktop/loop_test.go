package desktop

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ui is a loop like Fyne's: one goroutine that runs posted functions in order.
type ui struct {
	mu    sync.Mutex
	posts []func()
	more  chan struct{}
	turns int
}

func newUI(t *testing.T) *ui {
	u := &ui{more: make(chan struct{}, 1)}
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	go func() {
		for {
			for f := u.next(); f != nil; f = u.next() {
				f()
			}
			select {
			case <-u.more:
			case <-end:
				return
			}
		}
	}()
	return u
}

func (u *ui) post(f func()) {
	u.mu.Lock()
	u.posts = append(u.posts, f)
	u.mu.Unlock()
	select {
	case u.more <- struct{}{}:
	default:
	}
}

// count returns how many functions have run.
func (u *ui) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.turns
}

func (u *ui) next() func() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.posts) == 0 {
		return nil
	}
	f := u.posts[0]
	u.posts = u.posts[1:]
	u.turns++
	return f
}

// never reports that everything is drawn.
func never() bool { return false }

// ignore draws nothing.
func ignore() {}

// bubble runs a test with a started loop in a synctest bubble and closes it afterwards.
func bubble(t *testing.T, test func(t *testing.T, l *loop, u *ui)) {
	synctest.Test(t, func(t *testing.T) {
		u := newUI(t)
		l := newLoop(u.post, never, ignore, 5*time.Second, make(wakeChannel, 1))
		l.start()
		test(t, l, u)
		l.stop()
		l.setVisible(true) // releases a parked turn
		synctest.Wait()
	})
}

func TestParkedLoopIsIdle(t *testing.T) {
	bubble(t, func(t *testing.T, _ *loop, u *ui) {
		// given nothing visible, when five minutes or a day go by
		for _, d := range []time.Duration{5 * time.Minute, 24 * time.Hour} {
			before := u.count()
			time.Sleep(d)
			synctest.Wait()
			// then the loop has turned once a minute
			if n, most := u.count()-before, int(d/parkHidden)+2; n > most { // one at the start, one for a wake-up that came before it waited
				t.Errorf("%d turns in %v", n, d)
			}
		}
	})
}

func TestAVisibleLoopParksWhileNothingHappens(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, u *ui) {
		l.setVisible(true)
		time.Sleep(settled + time.Second)
		synctest.Wait()
		before := u.count()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := u.count() - before; n > 2*60/5 {
			t.Errorf("%d turns in a minute in which nothing happened", n)
		}
		if !l.parkedNow() {
			t.Error("it isn't parked")
		}
	})
}

func TestAVisibleLoopDrawsAfterWork(t *testing.T) {
	for _, c := range []struct {
		name        string
		drawn, want time.Duration // times after work when the toolkit draws, and when the loop parks
	}{
		{"nothing changed, or it is drawn before the next turn", 0, 0},
		{"the next frame is due in a while", 16 * time.Millisecond, livelyWork},
		{"the window can't be drawn", time.Hour, livelyWork},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var until atomic.Int64 // Unix, ns
				u := newUI(t)
				l := newLoop(u.post, func() bool { return time.Now().UnixNano() < until.Load() }, ignore, 5*time.Second, make(wakeChannel, 1))
				l.start()
				l.setVisible(true)
				time.Sleep(time.Minute)
				synctest.Wait()
				before := u.count()
				l.do(func() { until.Store(time.Now().Add(c.drawn).UnixNano()) })
				synctest.Wait()
				if c.want > 0 {
					time.Sleep(min(c.drawn, c.want) - time.Microsecond)
					synctest.Wait()
					if l.parkedNow() {
						t.Error("it is parked before a frame could be drawn")
					}
					time.Sleep(c.want)
					synctest.Wait()
				}
				if !l.parkedNow() {
					t.Error("it isn't parked then")
				}
				if n := u.count() - before; n > 4 {
					t.Errorf("%d turns until then", n)
				}
				l.stop()
				l.setVisible(false)
				synctest.Wait()
			})
		})
	}
}

func TestAVisibleLoopStaysAwakeAfterAnEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := make(eventChannel)
		l := newLoop(newUI(t).post, never, ignore, 5*time.Second, events)
		l.start()
		l.setVisible(true)
		time.Sleep(time.Minute)
		events <- true
		time.Sleep(livelyEvent - time.Millisecond)
		synctest.Wait()
		if l.parkedNow() {
			t.Error("it is parked before the frames after an event")
		}
		// then work that the toolkit queues behind a parked turn doesn't wait long
		time.Sleep(10 * time.Millisecond)
		began, ran := time.Now(), time.Time{}
		l.post(func() { ran = time.Now() })
		time.Sleep(time.Second)
		synctest.Wait()
		if took := ran.Sub(began); took < 0 || took > parkSoon {
			t.Errorf("it waited for %v", took)
		}
		l.stop()
		close(events)
		synctest.Wait()
	})
}

func TestAnEventIsDrawnAtOnce(t *testing.T) {
	for _, c := range []struct {
		name             string
		visible, changed bool
		want             int
	}{
		{"it changes the window", true, true, 1},
		{"it changes nothing", true, false, 0},
		{"the window is hidden", false, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var changed atomic.Bool
				drawn := 0
				events := make(eventChannel)
				l := newLoop(newUI(t).post, changed.Load, func() { drawn++; changed.Store(false) }, 5*time.Second, events)
				l.start()
				l.setVisible(c.visible)
				time.Sleep(time.Minute)
				// given a parked loop, when an event comes, then it doesn't wait for a
				// frame
				changed.Store(c.changed)
				events <- true
				time.Sleep(leastWait) // a hidden loop's
				synctest.Wait()
				if drawn != c.want {
					t.Errorf("drawn %d times, want %d", drawn, c.want)
				}
				l.stop()
				close(events)
				synctest.Wait()
			})
		})
	}
}

// eventChannel is a parking that events can end.
type eventChannel chan bool

func (c eventChannel) wait(d time.Duration) bool {
	select {
	case event := <-c:
		return event
	case <-time.After(d):
		return false
	}
}

func (c eventChannel) wake() {}

func (l *loop) parkedNow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parked
}

func TestDoWakesAtOnce(t *testing.T) {
	for name, visible := range map[string]bool{"parked": false, "visible": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, l *loop, _ *ui) {
				l.setVisible(visible)
				synctest.Wait()
				began, ran := time.Now(), time.Time{}
				l.do(func() { ran = time.Now() })
				synctest.Wait()
				if !ran.Equal(began) {
					t.Errorf("ran at %v, want at once (%v)", ran, began)
				}
			})
		})
	}
}

func TestOrderIsKept(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, _ *ui) {
		// given many calls while windows come and go, including calls on the UI goroutine
		var got, wanted []int
		for i := range 1000 {
			l.do(func() {
				got = append(got, i)
				if i%100 == 0 {
					l.setVisible(i%200 == 0)
				}
			})
			if i%7 == 0 {
				l.setVisible(i%2 == 0)
			}
			wanted = append(wanted, i)
		}
		l.do(func() { l.do(func() { got = append(got, 1000) }) })
		wanted = append(wanted, 1000)
		synctest.Wait()
		// then they ran in order
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestManyCallersAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, _ *ui) {
		// given many goroutines that each call in order
		const callers, calls = 50, 100
		last := make([]int, callers)
		total := 0
		var wg sync.WaitGroup
		for c := range callers {
			wg.Go(func() {
				for i := range calls {
					l.do(func() {
						if last[c] != i {
							t.Errorf("caller %d: call %d came after %d", c, i, last[c])
						}
						last[c] = i + 1
						total++
					})
				}
			})
		}
		wg.Wait()
		synctest.Wait()
		if total != callers*calls {
			t.Errorf("%d calls ran, want %d", total, callers*calls)
		}
	})
}

func TestWorkThatQueuesItselfDoesntStarveFyne(t *testing.T) {
	bubble(t, func(t *testing.T, l *loop, u *ui) {
		// given a function that queues itself a hundred times
		n := 0
		var again func()
		again = func() {
			if n++; n < 100 {
				l.do(again)
			}
		}
		before := u.count()
		l.do(again)
		synctest.Wait()
		// then each has its own turn of Fyne's loop
		if n != 100 || u.count()-before < 100 {
			t.Errorf("%d calls in %d turns", n, u.count()-before)
		}
	})
}

func TestQuitWhileParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUI(t)
		l := newLoop(u.post, never, ignore, 5*time.Second, make(wakeChannel, 1))
		l.start()
		synctest.Wait()
		// given a parked loop, when quitting
		var did []string
		began := time.Now()
		l.do(func() { did = append(did, "before") })
		l.last(func() { did = append(did, "quit") })
		l.last(func() { did = append(did, "quit again") })
		l.do(func() { did = append(did, "after") })
		synctest.Wait()
		// then it ends at once, after earlier calls and without later ones
		if diff := cmp.Diff([]string{"before", "quit"}, did); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if !time.Now().Equal(began) {
			t.Errorf("it took %v", time.Since(began))
		}
		// and is not parked again, though nothing is visible
		l.setVisible(false)
		synctest.Wait()
		if before := u.count(); l.posted {
			t.Errorf("a turn is still queued after %d", before)
		}
	})
}

func TestCallsBeforeStartWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUI(t)
		l := newLoop(u.post, never, ignore, 5*time.Second, make(wakeChannel, 1))
		// given a loop that doesn't run yet
		ran := false
		l.do(func() { ran = true })
		l.setVisible(true)
		synctest.Wait()
		if ran || u.count() > 0 {
			t.Error("something ran before the loop did")
		}
		// when it starts, then they run
		l.start()
		synctest.Wait()
		if !ran {
			t.Error("a call from before the start was lost")
		}
	})
}

func TestHiddenWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hiddenWork
		n := 0
		h.schedule(time.Second, func() { n++ })
		h.schedule(time.Second, func() { n += 10 })
		time.Sleep(2 * time.Second)
		synctest.Wait()
		h.schedule(time.Second, func() { n += 100 })
		h.cancel()
		h.cancel()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n != 10 {
			t.Errorf("n is %d, want 10: the newest call, once", n)
		}
	})
}

func BenchmarkDo(b *testing.B) {
	var posted func()
	l := newLoop(func(f func()) { posted = f }, never, ignore, time.Hour, make(wakeChannel, 1))
	l.setVisible(true)
	l.start()
	for b.Loop() {
		l.do(func() {})
		posted()
	}
}

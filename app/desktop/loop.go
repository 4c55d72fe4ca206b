package desktop

import (
	"sync"
	"time"
)

// How long Fyne's loop polls 60 times a second by itself while a window is visible.
const (
	// livelyWork is the time after work of ours in which a frame is drawn if something has
	// changed; the loop polls until then and no longer.
	livelyWork = 25 * time.Millisecond
	// livelyEvent is the time after an event of the window system: one frame after the one
	// that is drawn at once. It is short because a key that finds the loop parked is drawn
	// at once too, and otherwise waits for the next frame.
	livelyEvent = 20 * time.Millisecond
	// livelyShown is the time after a window was shown, in which it finds its size.
	livelyShown = 600 * time.Millisecond
)

// The toolkit queues its own work behind a parked turn, such as the end of a double click.
// Until settled after an event, that work waits for parkSoon at most.
const (
	parkSoon = 50 * time.Millisecond
	settled  = 2 * time.Second
)

// parkHidden is how long a hidden loop is parked at least: work that the toolkit queues by
// itself can't be seen.
const parkHidden = time.Minute

// leastWait is the least time between two waits of a hidden loop that events ended. Fyne's
// loop, which handles the results, polls 60 times a second; and a broken connection to the
// window system must not keep a processor busy.
const leastWait = 15 * time.Millisecond

// loop is the queue in front of Fyne's loop, and parks it.
//
// A single function, turn, is in Fyne's queue at most once: always while the loop should be
// parked (there it waits), otherwise only while something is queued. The loop should be
// parked while nothing is visible, and while nothing visible changes. All work goes through
// one list, so its order holds however often windows come and go.
//
// mu guards the fields below it and is never held while foreign code runs, except the
// parking's wake.
type loop struct {
	post    func(func()) // fyne.Do: adds a function to Fyne's queue without waiting
	undrawn func() bool  // whether a window has changed since it was drawn; on the UI goroutine
	draw    func()       // draws the windows that have changed; on the UI goroutine
	park    time.Duration
	spot    parking

	mu      sync.Mutex // also held while a parked turn is woken, so that it is still parked then
	queue   []func()
	started bool
	visible bool
	closed  bool        // nothing is accepted any more
	posted  bool        // turn is in Fyne's queue, or running
	parked  bool        // turn waits, or is about to
	lively  time.Time   // until when a visible loop isn't parked
	event   time.Time   // of the last event that ended a wait
	drawBy  time.Time   // until when it isn't parked while a window is undrawn
	timer   *time.Timer // starts a turn when lively is over; nil if not set
}

// parking is where a turn waits.
type parking interface {
	// wait returns after d at the latest, and reports whether an event ended it. It is
	// called on the UI goroutine.
	wait(d time.Duration) (event bool)
	// wake ends a wait, even one that is about to begin. It may be called from any
	// goroutine while the UI goroutine is in wait or on its way there; it doesn't block.
	wake()
}

// wakeChannel is a parking that only wake ends.
type wakeChannel chan struct{}

func (c wakeChannel) wait(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
	case <-t.C:
	}
	return false
}

func (c wakeChannel) wake() {
	select {
	case c <- struct{}{}:
	default: // it holds a token already
	}
}

func newLoop(post func(func()), undrawn func() bool, draw func(), park time.Duration, spot parking) *loop {
	return &loop{post: post, undrawn: undrawn, draw: draw, park: park, spot: spot}
}

// do queues f unless the loop is closed.
func (l *loop) do(f func()) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	l.queue = append(l.queue, f)
	l.unlockAndPost()
}

// last queues f and closes the loop after it.
func (l *loop) last(f func()) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	l.queue = append(l.queue, f)
	l.closed = true
	l.unlockAndPost()
}

// start lets queued work run: Fyne's loop is running now.
func (l *loop) start() {
	l.mu.Lock()
	l.started = true
	l.unlockAndPost()
}

// stop drops queued work: Fyne's loop has ended.
func (l *loop) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.queue = nil
}

// setVisible sets whether a window is visible and reports whether that changed.
func (l *loop) setVisible(visible bool) bool {
	l.mu.Lock()
	changed := l.visible != visible
	l.visible = visible
	if changed && visible {
		l.event = time.Now()
		l.live(livelyShown)
	}
	l.unlockAndPost()
	return changed
}

func (l *loop) isVisible() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.visible
}

// unlockAndPost wakes a parked turn and makes sure that one is in Fyne's queue if needed.
// It is called with mu held.
func (l *loop) unlockAndPost() {
	need := l.started && !l.posted && l.wantsTurn()
	l.posted = l.posted || need
	if l.parked {
		l.spot.wake()
	}
	l.mu.Unlock()
	if need {
		l.post(l.turn)
	}
}

// wantsTurn reports whether a turn must be in Fyne's queue, and sets the timer for one when
// a lively time is over. Called with mu held.
func (l *loop) wantsTurn() bool {
	if len(l.queue) > 0 || l.idle() {
		return true
	}
	if l.timer == nil && !l.closed {
		l.timer = time.AfterFunc(time.Until(l.lively), func() {
			l.mu.Lock()
			l.timer = nil
			l.unlockAndPost()
		})
	}
	return false
}

// idle reports whether to park the loop once nothing is queued. Called with mu held.
func (l *loop) idle() bool {
	return !l.closed && (!l.visible || !time.Now().Before(l.lively))
}

// live keeps a visible loop unparked for d from now on. Called with mu held.
func (l *loop) live(d time.Duration) {
	if until := time.Now().Add(d); until.After(l.lively) {
		l.lively = until
	}
}

// turn runs on the UI goroutine. It waits while there is nothing to do and nothing to see,
// runs queued functions and puts itself back. It returns between waits so that Fyne's loop
// polls the window system now and then, and it runs only functions that were queued when it
// began, so that work which queues more work doesn't starve that loop.
//
// After a wait Fyne's loop draws at once what has changed, and then finds the next turn. If
// it has just drawn, the next turn comes first: then a timer starts the one after, instead
// of turns repeating until the frame is due.
func (l *loop) turn() {
	event, undrawn := false, l.isVisible() && l.undrawn()
	if d, ok := l.mayPark(undrawn); ok {
		began := time.Now()
		if event = l.spot.wait(d); event && !l.isVisible() {
			time.Sleep(leastWait - time.Since(began))
		}
	}
	l.mu.Lock()
	l.parked = false
	batch := l.queue
	l.queue = nil
	if event {
		l.event = time.Now()
		l.live(livelyEvent)
	}
	switch {
	case len(batch) > 0:
		l.drawBy = time.Now().Add(livelyWork)
	case undrawn && l.drawBy.After(l.lively):
		l.lively = l.drawBy
	}
	l.mu.Unlock()

	for _, f := range batch {
		f()
	}
	if event && l.isVisible() && l.undrawn() {
		l.draw() // Fyne's loop would wait for its next tick
	}

	l.mu.Lock()
	again := l.wantsTurn()
	l.posted = again
	l.mu.Unlock()
	if again {
		l.post(l.turn)
	}
}

// mayPark reports whether there is nothing to do and nothing changing on the screen, and
// for how long to wait. If so, the turn counts as parked from now on.
func (l *loop) mayPark(undrawn bool) (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parked = len(l.queue) == 0 && l.idle() && (!undrawn || !time.Now().Before(l.drawBy))
	switch {
	case !l.parked:
		return 0, false
	case !l.visible:
		return max(l.park, parkHidden), true
	case time.Since(l.event) < settled:
		return parkSoon, true
	}
	return l.park, true
}

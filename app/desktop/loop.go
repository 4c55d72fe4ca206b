package desktop

import (
	"sync"
	"time"
)

// loop is the queue in front of Fyne's loop, and what parks it.
//
// One function, turn, is in Fyne's queue at most once at any time: always while
// nothing is visible (there it waits), otherwise only while something is queued. All
// work goes through one list, so its order holds however often windows come and go.
//
// mu guards the fields below it and is never held while foreign code runs.
type loop struct {
	post func(func()) // fyne.Do: hands a function to Fyne's queue without waiting
	park time.Duration
	wake chan struct{} // one token: "look again"

	mu      sync.Mutex
	queue   []func()
	started bool
	visible bool
	closed  bool // nothing is taken any more
	posted  bool // turn is in Fyne's queue, or running
}

func newLoop(post func(func()), park time.Duration) *loop {
	return &loop{post: post, park: park, wake: make(chan struct{}, 1)}
}

// do queues f, unless the loop is closed.
func (l *loop) do(f func()) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return
	}
	l.queue = append(l.queue, f)
	l.unlockAndPost()
}

// last queues f and closes the loop behind it.
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

// start lets queued work run: Fyne's loop is there now.
func (l *loop) start() {
	l.mu.Lock()
	l.started = true
	l.unlockAndPost()
}

// stop drops what is queued: Fyne's loop is gone.
func (l *loop) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.queue = nil
}

// setVisible says whether to park, and tells whether that is news.
func (l *loop) setVisible(visible bool) bool {
	l.mu.Lock()
	changed := l.visible != visible
	l.visible = visible
	l.unlockAndPost()
	return changed
}

func (l *loop) isVisible() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.visible
}

// unlockAndPost wakes a parked turn and sees to it that one is in Fyne's queue where
// one is needed. It is called with mu held.
func (l *loop) unlockAndPost() {
	need := l.started && !l.posted && l.wantsTurn()
	l.posted = l.posted || need
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default: // the token is there already
	}
	if need {
		l.post(l.turn)
	}
}

// wantsTurn tells whether a turn must be in Fyne's queue. Called with mu held.
func (l *loop) wantsTurn() bool {
	return len(l.queue) > 0 || !l.visible && !l.closed
}

// turn runs on the UI goroutine: it waits while there is nothing to do and nothing to
// see, runs what is queued and puts itself back. It returns between waits so that
// Fyne's loop polls the window system now and then, and it runs only what was queued
// when it began, so that work which queues more work doesn't starve that loop.
func (l *loop) turn() {
	if l.mayWait() {
		l.wait()
	}
	l.mu.Lock()
	batch := l.queue
	l.queue = nil
	l.mu.Unlock()

	for _, f := range batch {
		f()
	}

	l.mu.Lock()
	again := l.wantsTurn()
	l.posted = again
	l.mu.Unlock()
	if again {
		l.post(l.turn)
	}
}

func (l *loop) mayWait() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) == 0 && !l.visible && !l.closed
}

func (l *loop) wait() {
	t := time.NewTimer(l.park)
	defer t.Stop()
	select {
	case <-l.wake:
	case <-t.C:
	}
}

package chats

import (
	"sync"
	"time"

	"mac-stats/app/cpuwindow/conversation"
)

// frame is the shortest time between two drawings of a conversation. Each one draws the whole
// window, which takes 20 ms or more without a graphics card. Text that grows twelve times a
// second still appears to flow.
const frame = 80 * time.Millisecond

// restsFor is how many times longer the painter rests than it took to prepare a drawing. An
// unfinished block is parsed as a whole each time; one of 20,000 tokens takes 30 ms, so it
// still uses no more than a tenth of a processor.
const restsFor = 9

// painter draws the shown conversation: at most once a frame, with one call to the UI
// goroutine at a time, and never while the window is hidden.
type painter struct {
	chats *Chats
	mu    sync.Mutex
	// waiting is set while a drawing is scheduled or in progress; again is set if something
	// changed since.
	waiting, again bool
	last           time.Time
	took           time.Duration // how long the last drawing took to prepare
	clock          *time.Timer
}

// changed schedules a drawing. Any goroutine may call it.
func (p *painter) changed(c *conversation.Conversation) {
	if c == nil || p.chats.seen.Load() != c {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting {
		p.again = true
		return
	}
	p.waiting = true
	time.AfterFunc(max(0, max(frame, restsFor*p.took)-time.Since(p.last)), p.paint)
}

// paint prepares the view on its own goroutine and swaps it in.
func (p *painter) paint() {
	p.mu.Lock()
	p.again = false
	p.mu.Unlock()
	c := p.chats.seen.Load()
	if c == nil {
		p.done(0)
		return
	}
	began := time.Now()
	v := c.View(began)
	took := time.Since(began)
	p.chats.host.Do(func() {
		if p.chats.shown == c && p.chats.seen.Load() != nil {
			p.chats.host.Draw(v)
		}
		p.done(took)
		if v.Clock {
			p.tick(c)
		}
	})
}

func (p *painter) done(took time.Duration) {
	p.mu.Lock()
	p.waiting, p.last, p.took = false, time.Now(), took
	again := p.again
	p.again = false
	p.mu.Unlock()
	if again {
		p.changed(p.chats.seen.Load())
	}
}

// tick redraws the clock of the state line in a second.
func (p *painter) tick(c *conversation.Conversation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clock != nil {
		p.clock.Stop()
	}
	p.clock = time.AfterFunc(time.Second, func() { p.changed(c) })
}

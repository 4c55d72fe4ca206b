package chats

import (
	"sync"
	"time"

	"mac-stats/app/cpuwindow/conversation"
)

// frame is the shortest time between two drawings of a conversation. Each of them
// draws the whole window, which takes a processor without a graphics card 20 ms and
// more: text that grows twelve times a second still looks as if it flowed.
const frame = 80 * time.Millisecond

// restsFor is by how much longer the painter rests than a drawing took to prepare. A
// block that is not finished is parsed as a whole each time: one of 20,000 tokens
// takes 30 ms, and still no more than a tenth of a processor.
const restsFor = 9

// painter brings the conversation that is shown to the screen: at most one
// drawing a frame, one call onto the UI goroutine at a time, nothing while hidden.
type painter struct {
	chats *Chats
	mu    sync.Mutex
	// waiting: a drawing is scheduled or under way; again: something changed since.
	waiting, again bool
	last           time.Time
	took           time.Duration // to prepare the last drawing
	clock          *time.Timer
}

// changed says that a conversation has something new. Any goroutine.
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

// tick draws the state line's clock once a second while there is one.
func (p *painter) tick(c *conversation.Conversation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clock != nil {
		p.clock.Stop()
	}
	p.clock = time.AfterFunc(time.Second, func() { p.changed(c) })
}

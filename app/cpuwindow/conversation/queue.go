package conversation

import (
	"slices"
)

// Queued is a message that waits.
type Queued struct {
	Id    int
	Text  string
	Files []File // go with it
}

// Enqueue puts a message behind the answer that is under way.
func (c *Conversation) Enqueue(text string, files []File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queueSeq++
	c.queue = append(c.queue, Queued{c.queueSeq, text, files})
	c.held = false
}

// Unqueue takes a message out of the queue.
func (c *Conversation) Unqueue(id int) (q Queued, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.queue, func(q Queued) bool { return q.Id == id })
	if at < 0 {
		return Queued{}, false
	}
	q = c.queue[at]
	c.queue = slices.Delete(slices.Clone(c.queue), at, at+1)
	return q, true
}

// ToFront makes a message the next one, and lets it go on its own.
func (c *Conversation) ToFront(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.queue, func(q Queued) bool { return q.Id == id })
	if at < 0 {
		return
	}
	first := c.queue[at]
	c.queue = slices.Insert(slices.Delete(slices.Clone(c.queue), at, at+1), 0, first)
	c.now = true
}

// NextQueued takes the message to send after a turn that ended well, or that was
// stopped for it; ok is false where none is to be sent.
func (c *Conversation) NextQueued() (q Queued, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = len(c.queue) > 0 && !c.now && !c.endedWell
	if c.run != nil || len(c.queue) == 0 || c.held {
		return Queued{}, false
	}
	c.now = false
	q = c.queue[0]
	c.queue = slices.Clone(c.queue[1:])
	return q, true
}

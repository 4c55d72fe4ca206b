package discord

import (
	"context"
	"slices"
	"sync"
	"time"

	"mac-stats/app/discord/connection"
)

const (
	// maxWaiting is how many messages wait in all, and maxOfChannel those of one channel:
	// beyond them people are told that it is too much just now.
	maxWaiting   = 400
	maxOfChannel = 8
)

// job is a message (or several that came together) to be answered.
type job struct {
	message connection.Message
	also    []string // ids of the messages that came before it and are part of it
	authors []string // ids of who wrote it, where that are several
	place   connection.Place
	fun     bool // the bot has fun there: casual, nothing is learnt
	since   time.Time
	unread  []string // what of its files can't be used, in words
}

// queue holds what waits to be answered: in order within a channel, one at a time,
// and in turn between channels. It is safe for use by several goroutines.
type queue struct {
	mu      sync.Mutex
	waiting map[string][]*job
	order   []string // channels with waiting jobs that nobody works on, in turn
	busy    map[string]bool
	total   int
	wake    chan struct{} // capacity 1: something may be taken
}

func newQueue() *queue {
	return &queue{waiting: map[string][]*job{}, busy: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// add queues a job; false where there is no room.
func (q *queue) add(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	channel := j.message.Channel
	if q.total >= maxWaiting || len(q.waiting[channel]) >= maxOfChannel {
		return false
	}
	q.waiting[channel] = append(q.waiting[channel], j)
	q.total++
	if !q.busy[channel] && !slices.Contains(q.order, channel) {
		q.order = append(q.order, channel)
	}
	q.signal()
	return true
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next takes the next job, that of the channel which waits longest for its turn; nil
// once ctx ends. done has to be called for it.
func (q *queue) next(ctx context.Context) *job {
	for {
		if j := q.take(); j != nil {
			return j
		}
		select {
		case <-ctx.Done():
			return nil
		case <-q.wake:
		}
	}
}

func (q *queue) take() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.order) == 0 {
		return nil
	}
	channel := q.order[0]
	q.order = q.order[1:]
	j := q.waiting[channel][0]
	if q.waiting[channel] = q.waiting[channel][1:]; len(q.waiting[channel]) == 0 {
		delete(q.waiting, channel)
	}
	q.total--
	q.busy[channel] = true
	if len(q.order) > 0 {
		q.signal()
	}
	return j
}

// done gives the channel's turn back.
func (q *queue) done(channel string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.busy, channel)
	if len(q.waiting[channel]) > 0 {
		q.order = append(q.order, channel)
		q.signal()
	}
}

// clear drops what waits in a channel and says how much that was.
func (q *queue) clear(channel string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.waiting[channel])
	q.total -= n
	delete(q.waiting, channel)
	q.order = slices.DeleteFunc(q.order, func(c string) bool { return c == channel })
	return n
}

// change changes a waiting message's text, or drops it with drop; it reports whether
// the message waits.
func (q *queue) change(channel, id, text string, drop bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, j := range q.waiting[channel] {
		if j.message.ID != id || len(j.also) > 0 {
			continue
		}
		if !drop {
			j.message.Text = text
			return true
		}
		q.total--
		if q.waiting[channel] = slices.Delete(q.waiting[channel], i, i+1); len(q.waiting[channel]) == 0 {
			delete(q.waiting, channel)
			q.order = slices.DeleteFunc(q.order, func(c string) bool { return c == channel })
		}
		return true
	}
	return false
}

// idle reports whether nothing waits and nothing is worked on.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total == 0 && len(q.busy) == 0
}

// counts are how many messages wait in all and in a channel, and on how many
// channels is being worked.
func (q *queue) counts(channel string) (all, here, busy int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total, len(q.waiting[channel]), len(q.busy)
}

package discord

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/app/discord/connection"
)

// waiting holds what people wrote and nobody has answered yet: gathered for a moment, or
// longer where the bot has fun, and then queued.
type waiting struct {
	*desk
	*tasks
	queue   *queue
	mu      sync.Mutex // guards the fields below
	pending map[string]*pending
	fun     map[string]*funState
}

// stop drops what waits in a channel, and returns how many messages that were. end stops
// the answer in progress there; nil if there is none.
func (wt *waiting) stop(channel string) (dropped int, end func()) {
	wt.mu.Lock()
	defer wt.mu.Unlock()
	dropped = wt.queue.clear(channel)
	for key, p := range wt.pending {
		if strings.HasPrefix(key, channel+"/") && wt.cancel(p.timer) {
			dropped++
			delete(wt.pending, key)
		}
	}
	if s := wt.fun[channel]; s != nil && s.job != nil {
		dropped++
		wt.dropFun(s)
	}
	_, end = wt.queue.at(channel)
	return dropped, end
}

// dropFrom drops what somebody wrote, and returns the IDs of the dropped messages by
// channel.
func (wt *waiting) dropFrom(user string) map[string][]string {
	dropped := map[string][]string{} // IDs by channel
	wt.mu.Lock()
	defer wt.mu.Unlock()
	for key, p := range wt.pending {
		if strings.HasSuffix(key, "/"+user) && wt.cancel(p.timer) {
			delete(wt.pending, key)
			dropped[p.job.channel()] = append(dropped[p.job.channel()], p.job.all()...)
		}
	}
	for _, s := range wt.fun {
		if s.job != nil {
			s.job.parts = slices.DeleteFunc(s.job.parts, func(m connection.Message) bool { return m.Author.ID == user })
			if len(s.job.parts) == 0 {
				wt.dropFun(s)
			}
		}
	}
	return dropped
}

// change edits or deletes a message that isn't part of the conversation yet. It reports
// whether it has that message.
func (wt *waiting) change(channel string, c change) bool {
	wt.mu.Lock()
	defer wt.mu.Unlock()
	for key, p := range wt.pending {
		if strings.HasPrefix(key, channel+"/") && p.job.apply(c) {
			return true
		}
	}
	if s := wt.fun[channel]; s != nil && s.job != nil && s.job.apply(c) {
		if len(s.job.parts) == 0 {
			wt.dropFun(s)
		}
		return true
	}
	return wt.queue.change(channel, c)
}

// enqueue queues the job that taken returns, or politely says that there are too many. It
// calls taken with the lock held, so that no edit or deletion comes in between.
func (wt *waiting) enqueue(taken func() *job) {
	wt.mu.Lock()
	j := taken()
	full := j != nil && len(j.parts) > 0 && !wt.queue.add(j)
	wt.mu.Unlock()
	if !full {
		return
	}
	wt.settle(j.channel(), j.all()...)
	wt.log.Info("a message was left out: the queue is full", "channel", j.channel())
	if wt.limits.once("busy "+j.channel()+" "+j.last().Author.ID, time.Minute) {
		wt.spawn(func(ctx context.Context) {
			wt.say(ctx, j.last(), "I have more to answer than I can just now. Please ask again in a few minutes.")
		})
	}
}

// gatherMost is how many times the debounce a person may continue to write before the
// messages so far are answered.
const gatherMost = 5

// pending is what one person has just written and may continue.
type pending struct {
	job   *job // without parts if all of it was deleted
	timer *time.Timer
}

// gather waits a moment for its author's next message. Files don't wait.
func (wt *waiting) gather(j *job, wait time.Duration) {
	key := j.channel() + "/" + j.last().Author.ID
	wt.mu.Lock()
	p := wt.pending[key]
	if p == nil || !wt.cancel(p.timer) { // the previous one is just being queued
		p = &pending{job: &job{place: j.place, since: j.since}}
		wt.pending[key] = p
	}
	p.job.parts = append(p.job.parts, j.parts...)
	send := func() {
		wt.enqueue(func() *job {
			if wt.pending[key] == p {
				delete(wt.pending, key)
			}
			return p.job
		})
	}
	left := min(wait, gatherMost*wait-time.Since(p.job.since))
	if left > 0 && len(j.last().Attachments) == 0 {
		p.timer = wt.later(left, send)
		wt.mu.Unlock()
		return
	}
	p.timer = nil
	wt.mu.Unlock()
	send() // here, so that messages keep their order
}

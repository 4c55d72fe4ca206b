package discord

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/app/discord/connection"
)

// waiting is what people wrote and nobody answers yet: gathered for a moment, or for
// longer where the bot has fun, then queued.
type waiting struct {
	*desk
	*tasks
	queue   *queue
	mu      sync.Mutex // guards what follows
	pending map[string]*pending
	fun     map[string]*funState
}

// stop drops what waits in a channel, and says how much that was; end stops what is
// being answered there, nil where nothing is.
func (wt *waiting) stop(channel string) (dropped int, end func()) {
	wt.mu.Lock()
	defer wt.mu.Unlock()
	dropped = wt.queue.clear(channel)
	for key, p := range wt.pending {
		if strings.HasPrefix(key, channel+"/") && wt.never(p.timer) {
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

// dropFrom drops what somebody wrote, and gives the messages by channel that wait no
// more.
func (wt *waiting) dropFrom(user string) map[string][]string {
	dropped := map[string][]string{} // ids by channel
	wt.mu.Lock()
	defer wt.mu.Unlock()
	for key, p := range wt.pending {
		if strings.HasSuffix(key, "/"+user) && wt.never(p.timer) {
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

// change edits or deletes a message that has not become part of the conversation yet; it
// reports whether it has that one.
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

// enqueue queues the job that taken gives, or says politely that it is too much. taken is
// called with the lock: no edit and no deletion comes between the two.
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
	if wt.limits.once("busy "+j.channel(), time.Minute) {
		wt.aside(func(ctx context.Context) {
			wt.say(ctx, j.last(), "I have more to answer than I can just now. Please ask again in a few minutes.")
		})
	}
}

// gatherMost is how many times the debounce a person may write on before what there
// is by then is answered.
const gatherMost = 5

// pending is what one person has just written, which may not be all.
type pending struct {
	job   *job // without parts where all of it was deleted
	timer *time.Timer
}

// gather waits a moment for what its author writes next. Files don't wait.
func (wt *waiting) gather(j *job, wait time.Duration) {
	key := j.channel() + "/" + j.last().Author.ID
	wt.mu.Lock()
	p := wt.pending[key]
	if p == nil || !wt.never(p.timer) { // the one before is just being queued
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

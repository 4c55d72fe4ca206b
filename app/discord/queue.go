package discord

import (
	"context"
	"slices"
	"sync"
	"time"

	"mac-stats/app/discord/connection"
)

const (
	// maxWaiting is the number of messages that may wait in total, and maxOfChannel in one
	// channel. Beyond that people are told to try again later.
	maxWaiting   = 400
	maxOfChannel = 8
)

// job is a message to be answered, or several that arrived together.
type job struct {
	// parts are its messages, oldest first. Each keeps its text, files and author, so that
	// it can be edited or removed. The last one is answered.
	parts  []connection.Message
	place  connection.Place
	fun    bool // the bot has fun there: casual answers, nothing is learned
	since  time.Time
	unread []string // why some of its files can't be used, in words
}

// last returns the message that is answered.
func (j *job) last() connection.Message { return j.parts[len(j.parts)-1] }

func (j *job) channel() string { return j.place.ID }

// message returns all parts as one message: the last, with the content of the earlier ones.
func (j *job) message() connection.Message {
	m := j.last()
	m.Attachments, m.Mentions = nil, nil
	for _, part := range j.parts {
		m.Attachments = append(m.Attachments, part.Attachments...)
		for _, u := range part.Mentions {
			if !m.Mentioned(u.ID) {
				m.Mentions = append(m.Mentions, u)
			}
		}
		if part.Reply != "" {
			m.Reply, m.ReplyPlace, m.Answered = part.Reply, part.ReplyPlace, part.Answered
		}
	}
	return m
}

// also returns the IDs of the messages before the last one.
func (j *job) also() []string {
	var ids []string
	for _, part := range j.parts[:len(j.parts)-1] {
		ids = append(ids, part.ID)
	}
	return ids
}

// all returns the IDs of its messages.
func (j *job) all() []string {
	var ids []string
	for _, part := range j.parts {
		ids = append(ids, part.ID)
	}
	return ids
}

// authors returns the IDs of the people who wrote its parts.
func (j *job) authors() []string {
	var ids []string
	for _, part := range j.parts {
		if !slices.Contains(ids, part.Author.ID) {
			ids = append(ids, part.Author.ID)
		}
	}
	return ids
}

// find returns the index of the part with this message ID, or -1.
func (j *job) find(id string) int {
	return slices.IndexFunc(j.parts, func(m connection.Message) bool { return m.ID == id })
}

// change is an edit or a deletion of a message.
type change struct {
	id       string
	text     string
	mentions []connection.User // those in the text
	shows    []string
	deleted  bool
}

// apply changes a part of the job, and reports whether it has that part. A job whose only
// part was deleted has no parts.
func (j *job) apply(c change) bool {
	i := j.find(c.id)
	switch {
	case i < 0:
		return false
	case c.deleted:
		j.parts = slices.Delete(j.parts, i, i+1)
	default:
		j.parts[i].Text, j.parts[i].Mentions, j.parts[i].Shows = c.text, c.mentions, c.shows
	}
	return true
}

// queue holds what waits to be answered: in order within a channel, one at a time, and in
// turn between channels. It is safe for concurrent use.
type queue struct {
	mu      sync.Mutex
	waiting map[string][]*job
	order   []string            // channels with waiting jobs and no worker, in turn
	busy    map[string]*working // by channel
	total   int
	wake    chan struct{} // capacity 1: a job may be available
}

func newQueue() *queue {
	return &queue{waiting: map[string][]*job{}, busy: map[string]*working{}, wake: make(chan struct{}, 1)}
}

// add queues a job, or returns false if there is no room.
func (q *queue) add(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	channel := j.channel()
	if q.total >= maxWaiting || len(q.waiting[channel]) >= maxOfChannel {
		return false
	}
	q.waiting[channel] = append(q.waiting[channel], j)
	q.total++
	if q.busy[channel] == nil && !slices.Contains(q.order, channel) {
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

// working is the job that is being answered in a channel.
type working struct {
	job   *job // in its current form; see snapshot
	since time.Time
	stop  func()   // ends the answer; nil before it has begun
	asked bool     // the model has received it: later changes affect later prompts only
	late  []change // to its messages, since then
}

// next takes the job of the channel that has waited longest for its turn, or returns nil
// when ctx ends. The caller must call done for it.
func (q *queue) next(ctx context.Context) *working {
	for {
		if w := q.take(); w != nil {
			return w
		}
		select {
		case <-ctx.Done():
			return nil
		case <-q.wake:
		}
	}
}

func (q *queue) take() *working {
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
	w := &working{job: j, since: time.Now()}
	q.busy[channel] = w
	if len(q.order) > 0 {
		q.signal()
	}
	return w
}

// snapshot returns the job in its current form. Its messages may be edited and deleted
// until the model receives it, which asking announces; done returns later changes.
func (q *queue) snapshot(w *working, asking bool) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	w.asked = w.asked || asking
	j := *w.job
	j.parts = slices.Clone(j.parts)
	return &j
}

// begin sets the function that ends the answer in progress.
func (q *queue) begin(w *working, stop func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w.stop = stop
}

// done ends the channel's turn, unless messages of it were edited or deleted while the
// model was at work. In that case it returns these changes; record them and call it again.
func (q *queue) done(w *working) (late []change) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if late, w.late = w.late, nil; len(late) > 0 {
		return late
	}
	channel := w.job.channel()
	delete(q.busy, channel)
	if len(q.waiting[channel]) > 0 {
		q.order = append(q.order, channel)
		q.signal()
	}
	return nil
}

// at returns the answer in progress in a channel: since when, and a function that ends it.
// since is zero if there is none.
func (q *queue) at(channel string) (since time.Time, stop func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if w := q.busy[channel]; w != nil {
		return w.since, w.stop
	}
	return time.Time{}, nil
}

// clear drops what waits in a channel and returns how many messages that were.
func (q *queue) clear(channel string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.waiting[channel])
	q.total -= n
	delete(q.waiting, channel)
	q.order = slices.DeleteFunc(q.order, func(c string) bool { return c == channel })
	return n
}

// change edits or removes a message that waits or is being answered, alone or with others.
// It reports whether it has that message.
func (q *queue) change(channel string, c change) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, j := range q.waiting[channel] {
		if !j.apply(c) {
			continue
		}
		if len(j.parts) > 0 {
			return true
		}
		q.total--
		if q.waiting[channel] = slices.Delete(q.waiting[channel], i, i+1); len(q.waiting[channel]) == 0 {
			delete(q.waiting, channel)
			q.order = slices.DeleteFunc(q.order, func(c string) bool { return c == channel })
		}
		return true
	}
	w := q.busy[channel]
	switch {
	case w == nil || w.job.find(c.id) < 0:
		return false
	case w.asked:
		w.late = append(w.late, c)
	default:
		w.job.apply(c)
	}
	return true
}

// idle reports whether nothing waits and nothing is being answered.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total == 0 && len(q.busy) == 0
}

// counts returns how many messages wait in total and in a channel, and in how many channels
// an answer is in progress.
func (q *queue) counts(channel string) (all, here, busy int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total, len(q.waiting[channel]), len(q.busy)
}

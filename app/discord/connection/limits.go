package connection

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// globalPace is the average time between two requests, and globalBurst the number that
	// may be sent at once. Together they never exceed the 50 a second that Discord allows.
	globalPace  = time.Second / 40
	globalBurst = 10
	// maxInvalid is how many requests may be refused within invalidWindow. Discord bans an
	// address for a while at 10,000.
	maxInvalid    = 5000
	invalidWindow = 10 * time.Minute
	// maxBuckets is the maximum number of known buckets; beyond it those that are full
	// again are dropped.
	maxBuckets = 10_000
)

// maxWait is the longest time that is accepted from Discord, in seconds.
const maxWait = 1e6

// limits are Discord's rate limits, as its answers report them. Requests that share a
// bucket are counted together: Discord names the bucket of a route, and each channel has
// one of its own.
type limits struct {
	mu      sync.Mutex // guards the fields below
	global  time.Time  // Discord refused requests of every kind until then
	paced   time.Time  // when the requests so far are through at the global pace
	names   map[string]string
	buckets map[string]*bucket
	invalid int
	since   time.Time // the start of invalid's window
}

// bucket is a number of requests within a window.
type bucket struct {
	limit  int
	left   int           // in the window that ends at reset
	flying int           // sent and not answered yet
	window time.Duration // 0 while unknown
	reset  time.Time
}

func newLimits() *limits {
	return &limits{names: map[string]string{}, buckets: map[string]*bucket{}}
}

// wait waits until a request of a route may be sent. For each request that it lets through,
// the caller must call learn.
func (l *limits) wait(ctx context.Context, r *http.Request) error {
	key := route(r)
	for {
		pause, err := l.take(key)
		if err != nil || pause <= 0 {
			return err
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) < pause {
			return fmt.Errorf("%w (%s)", ErrBusy, pause.Round(time.Second))
		}
		if err := Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// take counts a request, or returns how long to wait before asking again.
func (l *limits) take(key string) (pause time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.invalid >= maxInvalid && now.Sub(l.since) < invalidWindow {
		return 0, fmt.Errorf("%w: it refused %d requests within ten minutes, so none is sent for a while", ErrBusy, maxInvalid)
	}
	b := l.bucketOf(key)
	if b != nil && !now.Before(b.reset) {
		b.left, b.reset = b.limit-b.flying, now.Add(b.window)
	}
	if l.paced.Before(now) {
		l.paced = now
	}
	if b != nil && b.left <= 0 {
		pause = max(b.reset.Sub(now), time.Millisecond)
	}
	if !strings.Contains(key, "/interactions/") { // those don't count towards the global limit
		pause = max(pause, l.global.Sub(now), l.paced.Sub(now)-globalBurst*globalPace)
	}
	if pause > 0 {
		return pause, nil
	}
	l.paced = l.paced.Add(globalPace)
	if b != nil {
		b.left--
		b.flying++
	}
	return 0, nil
}

// bucketOf returns a route's bucket as far as it is known. The caller holds the lock.
func (l *limits) bucketOf(key string) *bucket {
	if name, ok := l.names[key]; ok {
		return l.buckets[name]
	}
	return l.buckets[key]
}

// learn records what an answer to a request reports about the limits; status is 0 if there
// was no answer. after is how long to wait if the request was refused for a limit, and
// global reports whether that was the one for all requests.
func (l *limits) learn(r *http.Request, status int, h http.Header, after time.Duration, global bool) {
	key := route(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if b := l.bucketOf(key); b != nil && b.flying > 0 {
		b.flying--
	}
	l.countInvalid(status, now)
	refused := status == http.StatusTooManyRequests
	switch {
	case refused && global:
		l.global = now.Add(after)
	case refused:
		b := l.named(key, h)
		b.left, b.reset = 0, now.Add(after) // the window stays the same: this wait happens once
		b.limit = max(b.limit, 1)
	default:
		l.count(key, h, now)
	}
}

// count records what an answer reports about its bucket.
func (l *limits) count(key string, h http.Header, now time.Time) {
	limit, err := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	after := seconds(h.Get("X-RateLimit-Reset-After"))
	left, leftErr := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	if err != nil || leftErr != nil || limit < 1 || after <= 0 {
		return
	}
	b := l.named(key, h)
	fresh := left == limit-1 // the first of its window reveals the window's length
	left -= b.flying         // Discord may not have counted those
	reset := now.Add(after)
	if apart := reset.Sub(b.reset); b.limit > 0 && apart < b.window/2 {
		if apart < -b.window/2 {
			return // a late answer from a window that is over
		}
		left, reset = min(left, b.left), later(reset, b.reset)
	}
	if b.window = max(after, b.window); fresh {
		b.window = after
	}
	b.limit, b.left, b.reset = limit, left, reset
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// named returns the bucket that an answer names for the request's channel. The caller holds
// the lock.
func (l *limits) named(key string, h http.Header) *bucket {
	name := key
	if hash := h.Get("X-RateLimit-Bucket"); hash != "" {
		name = hash + " " + major(key)
	} else if known, ok := l.names[key]; ok {
		name = known // requests under way are counted there
	}
	if len(l.buckets) >= maxBuckets || len(l.names) >= maxBuckets {
		l.forget()
	}
	l.names[key] = name
	b := l.buckets[name]
	if b == nil {
		b = &bucket{}
		l.buckets[name] = b
	}
	return b
}

// forget drops the buckets that are full again.
func (l *limits) forget() {
	now := time.Now()
	for name, b := range l.buckets {
		if b.flying == 0 && now.After(b.reset) {
			delete(l.buckets, name)
		}
	}
	for key, name := range l.names {
		if l.buckets[name] == nil {
			delete(l.names, key)
		}
	}
}

// countInvalid counts the answers for which Discord bans an address.
func (l *limits) countInvalid(status int, now time.Time) {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
	default:
		return
	}
	if now.Sub(l.since) >= invalidWindow {
		l.invalid, l.since = 0, now
	}
	l.invalid++
}

// route returns the kind of a request: the method and the path with its channel.
func route(r *http.Request) string {
	return r.Method + " " + messageID.ReplaceAllString(r.URL.Path, "/messages/:id")
}

// major returns the part of a route that has buckets of its own, usually a channel.
func major(key string) string {
	_, rest, ok := strings.Cut(key, "/channels/")
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, "/")
	return id
}

func seconds(text string) time.Duration {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n > maxWait {
		return 0
	}
	return time.Duration(n * float64(time.Second))
}

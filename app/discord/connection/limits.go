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
	// globalPace is the time between two requests in the long run, globalBurst how many
	// may go at once: together no second has more than the 50 that Discord allows.
	globalPace  = time.Second / 40
	globalBurst = 10
	// maxInvalid is how many refused requests in invalidWindow there may be; Discord
	// bans an address for a while at 10,000.
	maxInvalid    = 5000
	invalidWindow = 10 * time.Minute
	// maxBuckets is how many buckets are known at most; those that are full again are
	// forgotten then.
	maxBuckets = 10_000
)

// maxWait is the longest time that is taken for one, in seconds.
const maxWait = 1e6

// limits are Discord's rate limits, as its answers tell them. Requests that share a
// bucket are counted together: Discord names the bucket of a route, and each channel
// has one of its own.
type limits struct {
	mu      sync.Mutex // guards what follows
	global  time.Time  // Discord refused requests of every kind: none is sent before
	paced   time.Time  // when the requests sent so far are through, at the global pace
	names   map[string]string
	buckets map[string]*bucket
	invalid int
	since   time.Time // of invalid
}

// bucket is so many requests within a window.
type bucket struct {
	limit  int
	left   int           // of the window that ends at reset
	flying int           // sent and not answered yet
	window time.Duration // 0 while nobody has told
	reset  time.Time
}

func newLimits() *limits {
	return &limits{names: map[string]string{}, buckets: map[string]*bucket{}}
}

// wait waits until a request of a route may be sent. Each one it lets through has to
// be answered to by learn.
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

// take counts a request, or says how long to wait before asking again.
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
	if !strings.Contains(key, "/interactions/") { // those don't count among all
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

// bucketOf is a route's bucket as far as it is known; it needs the lock.
func (l *limits) bucketOf(key string) *bucket {
	if name, ok := l.names[key]; ok {
		return l.buckets[name]
	}
	return l.buckets[key]
}

// learn takes what an answer to a request says of the limits; its status is 0 where
// there was none. after is how long to wait where the request was refused for one;
// global that it was the one for all requests.
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
		b.left, b.reset = 0, now.Add(after) // the window stays as long as it is: this is waited for once
		b.limit = max(b.limit, 1)
	default:
		l.count(key, h, now)
	}
}

// count takes in what an answer says of its bucket.
func (l *limits) count(key string, h http.Header, now time.Time) {
	limit, err := strconv.Atoi(h.Get("X-RateLimit-Limit"))
	after := seconds(h.Get("X-RateLimit-Reset-After"))
	left, leftErr := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	if err != nil || leftErr != nil || limit < 1 || after <= 0 {
		return
	}
	b := l.named(key, h)
	fresh := left == limit-1 // the first of its window tells how long that is
	left -= b.flying         // Discord may not have counted those
	reset := now.Add(after)
	if apart := reset.Sub(b.reset); b.limit > 0 && apart < b.window/2 {
		if apart < -b.window/2 {
			return // of a window that is over: it comes late
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

// named is the bucket that an answer names, of the request's channel; it needs the
// lock.
func (l *limits) named(key string, h http.Header) *bucket {
	name := key
	if hash := h.Get("X-RateLimit-Bucket"); hash != "" {
		name = hash + " " + major(key)
	} else if known, ok := l.names[key]; ok {
		name = known // what is under way is counted there
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

// countInvalid counts the answers that Discord bans an address for.
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

// route names what a request does: the method and the path with its channel.
func route(r *http.Request) string {
	return r.Method + " " + messageID.ReplaceAllString(r.URL.Path, "/messages/:id")
}

// major is the part of a route that has buckets of its own: a channel, mostly.
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

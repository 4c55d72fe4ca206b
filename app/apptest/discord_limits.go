package apptest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Limit allows Count matching calls within Window in each channel. Calls under one Limit
// share a bucket, as with Discord.
type Limit struct {
	Method string // "" is any
	Path   string // what the path contains
	Count  int
	Window time.Duration
}

// usualLimit applies to all other calls and is never reached.
var usualLimit = Limit{Count: 1000, Window: time.Second}

// window holds what is left of a limit.
type window struct {
	left int
	ends time.Time
}

// limited counts a call and sets the headers of its bucket. It reports whether the call was
// refused.
func (t *troubles) limited(w http.ResponseWriter, r *http.Request) bool {
	if strings.HasPrefix(r.URL.Path, "/interactions/") {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if all := t.windowOf("all", t.global, time.Second, now); t.global > 0 && all.left < 0 {
		refuseForLimit(w, all.ends.Sub(now).Seconds(), true)
		return true
	}
	name, limit := "usual", usualLimit
	for i, l := range t.limits {
		if (l.Method == "" || l.Method == r.Method) && strings.Contains(r.URL.Path, l.Path) {
			name, limit = fmt.Sprint("limit", i), l
			break
		}
	}
	b := t.windowOf(name+" "+channelOf(r.URL.Path), limit.Count, limit.Window, now)
	left := b.ends.Sub(now).Seconds()
	h := w.Header()
	h.Set("X-RateLimit-Bucket", name)
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit.Count))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(b.left, 0)))
	h.Set("X-RateLimit-Reset-After", strconv.FormatFloat(left, 'f', 3, 64))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(b.ends.UnixMilli())/1000, 'f', 3, 64))
	if b.left < 0 {
		refuseForLimit(w, left, false)
		return true
	}
	return false
}

// windowOf counts a call in its window; left becomes negative if that is one too many.
func (t *troubles) windowOf(key string, count int, length time.Duration, now time.Time) *window {
	b := t.windows[key]
	if b == nil || !now.Before(b.ends) {
		b = &window{count, now.Add(length)}
		t.windows[key] = b
	}
	if b.left >= 0 {
		b.left--
	}
	return b
}

// channelOf returns the channel in a path; "" for none.
func channelOf(path string) string {
	_, rest, _ := strings.Cut(path, "/channels/")
	id, _, _ := strings.Cut(rest, "/")
	return id
}

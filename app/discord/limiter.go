package discord

import (
	"sync"
	"time"

	"mac-stats/app/discord/channels"
)

// maxCounted is the maximum number of people and channels to count.
const maxCounted = 10_000

// limiter counts messages within a sliding window.
type limiter struct {
	mu       sync.Mutex
	times    map[string][]time.Time
	notified map[string]time.Time
}

func newLimiter() *limiter {
	return &limiter{times: map[string][]time.Time{}, notified: map[string]time.Time{}}
}

// allow counts one message of key. If there are too many, notify reports whether to say so,
// which is once per window.
func (l *limiter) allow(key string, limit channels.Limit) (ok, notify bool) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.times) > maxCounted {
		l.forget(now)
	}
	times := l.times[key]
	for len(times) > 0 && now.Sub(times[0]) >= limit.Window {
		times = times[1:]
	}
	if len(times) >= limit.Count {
		l.times[key] = times
		notify = now.Sub(l.notified[key]) >= limit.Window
		if notify {
			l.notified[key] = now
		}
		return false, notify
	}
	l.times[key] = append(times, now)
	return true, false
}

// once reports whether key wasn't notified anything within d.
func (l *limiter) once(key string, d time.Duration) bool {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.notified) > maxCounted {
		l.forget(now)
	}
	if at, ok := l.notified[key]; ok && now.Sub(at) < d {
		return false
	}
	l.notified[key] = now
	return true
}

// forget drops keys that have been quiet for a day.
func (l *limiter) forget(now time.Time) {
	for key, times := range l.times {
		if len(times) == 0 || now.Sub(times[len(times)-1]) > 24*time.Hour {
			delete(l.times, key)
		}
	}
	for key, at := range l.notified {
		if now.Sub(at) > 24*time.Hour {
			delete(l.notified, key)
		}
	}
	if len(l.times) > maxCounted {
		clear(l.times)
	}
	if len(l.notified) > maxCounted {
		clear(l.notified)
	}
}

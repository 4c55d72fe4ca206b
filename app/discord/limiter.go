package discord

import (
	"sync"
	"time"

	"mac-stats/app/discord/channels"
)

// maxCounted is how many people and channels are counted at most.
const maxCounted = 10_000

// limiter counts messages within a sliding window.
type limiter struct {
	mu    sync.Mutex
	times map[string][]time.Time
	told  map[string]time.Time
}

func newLimiter() *limiter {
	return &limiter{times: map[string][]time.Time{}, told: map[string]time.Time{}}
}

// allow counts one message of key; where that is too many, tell says whether to say
// so: once a window.
func (l *limiter) allow(key string, limit channels.Limit) (ok, tell bool) {
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
		tell = now.Sub(l.told[key]) >= limit.Window
		if tell {
			l.told[key] = now
		}
		return false, tell
	}
	l.times[key] = append(times, now)
	return true, false
}

// once reports whether key was not told something within d.
func (l *limiter) once(key string, d time.Duration) bool {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.told) > maxCounted {
		l.forget(now)
	}
	if at, ok := l.told[key]; ok && now.Sub(at) < d {
		return false
	}
	l.told[key] = now
	return true
}

// forget drops who has been quiet for a day.
func (l *limiter) forget(now time.Time) {
	for key, times := range l.times {
		if len(times) == 0 || now.Sub(times[len(times)-1]) > 24*time.Hour {
			delete(l.times, key)
		}
	}
	for key, at := range l.told {
		if now.Sub(at) > 24*time.Hour {
			delete(l.told, key)
		}
	}
	if len(l.times) > maxCounted {
		clear(l.times)
	}
	if len(l.told) > maxCounted {
		clear(l.told)
	}
}

package agents

import (
	"context"
	"strings"
	"sync"
)

// eventLog is the append-only list of a run's events. Each subscriber has its own
// cursor, so the log waits for none and none misses an event: a late or slow subscriber
// reads the same list later.
//
// Consecutive tokens of the same text are one entry that grows. A subscriber that keeps
// up gets each piece as it arrives; one that is behind gets the missed rest of the entry
// in one event.
type eventLog struct {
	mu      sync.Mutex // guards the fields below; held for a few instructions only
	entries []*logEntry
	closed  bool
	wake    map[chan struct{}]struct{} // a channel with one slot per subscriber
}

// logEntry is one event. A token entry has its text in text, which may grow while it is
// the last entry.
type logEntry struct {
	event Event
	token bool
	text  strings.Builder
}

// cursor is a subscriber's position.
type cursor struct {
	entry  int
	offset int // bytes of a token entry's text
}

func newEventLog() *eventLog {
	return &eventLog{wake: map[chan struct{}]struct{}{}}
}

// add appends an event. It does nothing after close.
func (l *eventLog) add(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	token := isToken(e.Type)
	if token && l.grow(e) {
		l.wakeAll()
		return
	}
	entry := &logEntry{event: e, token: token}
	if token {
		entry.text.WriteString(e.Text)
		entry.event.Text = ""
	}
	l.entries = append(l.entries, entry)
	l.wakeAll()
}

// grow appends a token to the last entry if it continues the same text.
func (l *eventLog) grow(e Event) bool {
	if len(l.entries) == 0 {
		return false
	}
	last := l.entries[len(l.entries)-1]
	if !last.token || !sameStream(last.event, e) {
		return false
	}
	last.text.WriteString(e.Text)
	return true
}

func (l *eventLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.wakeAll()
}

// wakeAll is called with mu held.
func (l *eventLog) wakeAll() {
	for ch := range l.wake {
		select {
		case ch <- struct{}{}:
		default: // it hasn't consumed the last wake-up
		}
	}
}

// next returns the event at the cursor and advances it. ok is false if there is none
// yet; ended reports that there won't be any.
func (l *eventLog) next(c *cursor) (e Event, ok, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c.entry < len(l.entries) {
		entry := l.entries[c.entry]
		if !entry.token {
			*c = cursor{entry: c.entry + 1}
			return entry.event, true, false
		}
		if text := entry.text.String(); c.offset < len(text) {
			e = entry.event
			e.Text = text[c.offset:]
			c.offset = len(text)
			return e, true, false
		}
		if c.entry == len(l.entries)-1 {
			break // it may still grow
		}
		*c = cursor{entry: c.entry + 1}
	}
	return Event{}, false, l.closed
}

// subscribe returns a channel with every event from the beginning. It is closed after
// the last event or when ctx is done; its goroutine lives until then.
func (l *eventLog) subscribe(ctx context.Context) <-chan Event {
	out := make(chan Event)
	wake := make(chan struct{}, 1)
	l.mu.Lock()
	l.wake[wake] = struct{}{}
	l.mu.Unlock()
	go func() {
		defer close(out)
		defer l.unsubscribe(wake)
		l.feed(ctx, out, wake)
	}()
	return out
}

func (l *eventLog) unsubscribe(wake chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.wake, wake)
}

func (l *eventLog) feed(ctx context.Context, out chan<- Event, wake <-chan struct{}) {
	var at cursor
	for ctx.Err() == nil {
		e, ok, ended := l.next(&at)
		if ended {
			return
		}
		if !ok {
			select {
			case <-wake:
			case <-ctx.Done():
			}
			continue
		}
		select {
		case out <- e:
		case <-ctx.Done():
		}
	}
}

func isToken(t EventType) bool {
	return t == EventToken || t == EventThinking || t == EventSubcallToken
}

// sameStream reports whether two token events belong to the same text.
func sameStream(a, b Event) bool {
	return a.Type == b.Type && a.Block == b.Block && a.Round == b.Round &&
		a.Agent == b.Agent && a.Model == b.Model && callID(a) == callID(b)
}

func callID(e Event) string {
	if e.Call == nil {
		return ""
	}
	return e.Call.ID
}

package agents

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// fill adds n tokens of two blocks with a state between every thousand.
func fill(l *eventLog, n int) (text string) {
	var s strings.Builder
	for i := range n {
		if i%1000 == 0 {
			l.add(Event{Type: EventState, Detail: fmt.Sprint(i)})
		}
		token := fmt.Sprintf("t%d ", i)
		s.WriteString(token)
		l.add(Event{Type: EventToken, Block: "a", Text: token})
	}
	return s.String()
}

// read drains a subscription and returns its text, its states and its number of events.
func read(events <-chan Event, pause func()) (text string, states []string, count int, last EventType) {
	var s strings.Builder
	for e := range events {
		pause()
		count++
		last = e.Type
		if e.Type == EventToken {
			s.WriteString(e.Text)
		}
		if e.Type == EventState {
			states = append(states, e.Detail)
		}
	}
	return s.String(), states, count, last
}

func TestEventLogGivesEverySubscriberAllEvents(t *testing.T) {
	l := newEventLog()
	var wg sync.WaitGroup
	check := func(name string, events <-chan Event, pause func(), merged bool) {
		wg.Go(func() {
			text, states, count, last := read(events, pause)
			if !strings.HasPrefix(text, "t0 t1 ") || !strings.HasSuffix(text, "t19999 ") || strings.Count(text, "t") != 20000 {
				t.Errorf("%s: text of %d bytes", name, len(text))
			}
			if len(states) != 20 || last != EventDone {
				t.Errorf("%s: %d states, last %s", name, len(states), last)
			}
			if merged && count > 100 {
				t.Errorf("%s: %d events, want them merged", name, count)
			}
		})
	}
	slow := func() { time.Sleep(time.Millisecond) }
	check("prompt reader", l.subscribe(t.Context()), func() {}, false)
	check("slow reader", l.subscribe(t.Context()), slow, false)
	stuck := l.subscribe(t.Context()) // read only at the end
	fill(l, 20000)
	check("late reader", l.subscribe(t.Context()), func() {}, false)
	l.add(Event{Type: EventDone})
	l.close()
	check("reader that was stuck", stuck, func() {}, true)
	check("reader after the end", l.subscribe(t.Context()), func() {}, true)
	wg.Wait()
	l.add(Event{Type: EventState})
	if _, _, count, last := read(l.subscribe(t.Context()), func() {}); last != EventDone || count > 100 {
		t.Errorf("something came after the end: %d, %s", count, last)
	}
}

func TestEventLogMergesOnlyTokensOfTheSameText(t *testing.T) {
	l := newEventLog()
	for _, e := range []Event{
		{Type: EventToken, Block: "a", Text: "1"},
		{Type: EventToken, Block: "a", Text: "2"},
		{Type: EventThinking, Block: "a", Text: "3"},
		{Type: EventToken, Block: "b", Text: "4"},
		{Type: EventSubcallToken, Call: &Call{ID: "x"}, Text: "5"},
		{Type: EventSubcallToken, Call: &Call{ID: "y"}, Text: "6"},
		{Type: EventSubcallToken, Call: &Call{ID: "y"}, Text: "7"},
		{Type: EventToken, Block: "b", Round: 2, Text: "8"},
	} {
		l.add(e)
	}
	l.close()
	var got []string
	for e := range l.subscribe(t.Context()) {
		got = append(got, e.Text)
	}
	if s := strings.Join(got, " "); s != "12 3 4 5 67 8" {
		t.Errorf("got %q", s)
	}
}

func TestEventLogEndsItsGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	l := newEventLog()
	ctx, cancel := context.WithCancel(t.Context())
	for range 50 {
		events := l.subscribe(ctx)
		l.add(Event{Type: EventState})
		<-events // and never again
	}
	cancel()
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.wake) != 0 {
		t.Errorf("%d subscribers are still known", len(l.wake))
	}
}

// BenchmarkRelay measures the log's throughput: tokens/s to one reader that keeps up and
// one that never reads.
func BenchmarkRelay(b *testing.B) {
	l := newEventLog()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	l.subscribe(ctx)
	events := l.subscribe(ctx)
	done := make(chan int)
	go func() {
		n := 0
		for e := range events {
			n += len(e.Text)
		}
		done <- n
	}()
	sent := 0
	b.ReportAllocs()
	for b.Loop() {
		l.add(Event{Type: EventToken, Block: "a", Text: "word "})
		sent += 5
	}
	l.close()
	if n := <-done; n != sent {
		b.Fatalf("%d of %d bytes arrived", n, sent)
	}
	b.ReportMetric(float64(sent)/5/b.Elapsed().Seconds(), "tokens/s")
}

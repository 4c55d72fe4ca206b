package recall

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// deaf is a server that never answers and ignores its context.
type deaf struct {
	Server
	until chan struct{}
	asked atomic.Int32
}

func (d *deaf) Search(context.Context, ServerQuestion) ([]Hit, error) {
	d.asked.Add(1)
	<-d.until
	return nil, nil
}

// TestASearchWaitsOnlyBrieflyForAServer: a turn allows a search 300 ms, and this machine's index
// needs its part of that.
func TestASearchWaitsOnlyBrieflyForAServer(t *testing.T) {
	for _, c := range []struct{ has, patience, want time.Duration }{
		{300 * time.Millisecond, 0, 200 * time.Millisecond},               // before a turn
		{5 * time.Second, 0, 300 * time.Millisecond},                      // a tool during a turn
		{5 * time.Second, 5 * time.Second, 300 * time.Millisecond},        // the same in a command
		{0, 0, 300 * time.Millisecond},                                    // the window
		{0, 5 * time.Second, 5 * time.Second},                             // memory search
		{30 * time.Millisecond, 5 * time.Second, 20 * time.Millisecond},   // a turn with little time
		{300 * time.Millisecond, 5 * time.Second, 200 * time.Millisecond}, // a turn in a command
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &deaf{until: make(chan struct{})}
			defer close(d.until)
			x := &serverAsker{cfg: &Config{ServerPatience: c.patience}}
			ctx := t.Context()
			if c.has > 0 {
				var stop func()
				ctx, stop = context.WithTimeout(ctx, c.has)
				defer stop()
			}
			begun := time.Now()
			for range 2 { // the second time the server is left alone
				if _, err := x.ask(ctx, d, ServerQuestion{}); !errors.Is(err, ErrServer) {
					t.Error(err)
				}
			}
			if took := time.Since(begun); took != c.want || d.asked.Load() != 1 {
				t.Errorf("of %v with a patience of %v: %v, want %v; asked %d times, want once", c.has, c.patience, took, c.want, d.asked.Load())
			}
			time.Sleep(serverRest)
			_, _ = x.ask(context.Background(), d, ServerQuestion{})
			if d.asked.Load() != 2 {
				t.Error("it isn't asked again")
			}
		})
	}
}

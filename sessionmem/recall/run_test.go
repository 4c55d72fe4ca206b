package recall

import (
	"context"
	"sync"
	"testing"
	"time"

	"mac-stats/sessionmem/transcript"
)

func TestRunIndexesChangesAndEndsWithItsContext(t *testing.T) {
	b := someTalk(t)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { b.x.Run(ctx) })
	b.say("cpu-last", transcript.KindUser, "the lynx sleeps")
	b.x.Changed()
	for b.first("lynx") != "the lynx sleeps" {
		if t.Context().Err() != nil {
			t.Fatal("a reported change is never found")
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	running.Wait()
}

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
	b.x.Changed(b.transcript("cpu-last"))
	for b.first("lynx") != "the lynx sleeps" {
		if t.Context().Err() != nil {
			t.Fatal("a reported change is never found")
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	running.Wait()
}

func TestASweepWithoutChangesLoadsNothing(t *testing.T) {
	b := someTalk(t)
	if err := b.x.Close(); err != nil {
		t.Fatal(err)
	}
	b.x = b.open()
	b.sync()
	if _, err := b.x.file.Unload(); err != nil { // as after a while without a question
		t.Fatal(err)
	}
	if r, err := b.x.indexer.KeepUp(t.Context()); err != nil || r.Changed != 0 {
		t.Errorf("%+v %v, want that nothing is to do", r, err)
	}
	if open, err := b.x.file.Unload(); err != nil || open {
		t.Errorf("index open: %v, %v; want that it stays closed", open, err)
	}
	b.say("cpu-last", transcript.KindUser, "the lynx sleeps")
	if r, err := b.x.indexer.KeepUp(t.Context()); err != nil || r.Added != 1 {
		t.Errorf("%+v %v, want the new turn", r, err)
	}
}

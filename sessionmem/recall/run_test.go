package recall

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"mac-stats/sessionmem"
)

func TestRunTakesUpWhatChangedAndEndsWithItsContext(t *testing.T) {
	b := someTalk(t)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { b.x.Run(ctx) })
	b.say("cpu-last", sessionmem.KindUser, "the lynx sleeps")
	b.x.Changed(b.transcript("cpu-last"))
	for b.first("lynx") != "the lynx sleeps" {
		if t.Context().Err() != nil {
			t.Fatal("what was told as changed is never found")
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	running.Wait()
}

func TestAStrandThatMovesTakesNothingOfItsNeighboursAlong(t *testing.T) {
	b := newBench(t)
	for _, session := range []string{"cpu-a", "cpu-b", "cpu-c"} {
		b.talk(session, "the lynx sleeps under the old tree")
		b.sync()
	}
	for i := range 20 { // it moves behind the others, which stood beside it
		b.say("cpu-a", sessionmem.KindUser, strings.Repeat("the otter swims ", i+1))
		b.sync()
	}
	err := b.x.reading(t.Context(), func(_ queryer, v *view) error {
		l := &v.lay
		for _, s := range l.strands {
			for i := s.base; i < s.base+s.size; i++ {
				want := float32(l.words[i])
				for n := range uint32(strandGap) {
					if i >= s.base+n+1 && !l.refs[i-n-1].none() {
						want += l.shares.after[n] * min(float32(l.words[i-n-1]), l.shares.beginning)
					}
					if i+n+1 < s.base+s.size && !l.refs[i+n+1].none() {
						want += l.shares.before[n] * min(float32(l.words[i+n+1]), l.shares.beginning)
					}
				}
				if want /= l.shares.sum; !l.refs[i].none() && math.Abs(float64(l.around[i]-want)) > 1e-3 {
					t.Errorf("%.3f words are said around document %d of the strand at %d, want %.3f", l.around[i], i-s.base, s.base, want)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSweepThatFindsNothingNewLoadsNothing(t *testing.T) {
	b := someTalk(t)
	if err := b.x.Close(); err != nil {
		t.Fatal(err)
	}
	b.x = b.open()
	b.sync()
	b.x.mu.Lock()
	err := b.x.drop() // as after a while without a question
	b.x.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	if r, err := b.x.keepUp(t.Context()); err != nil || r.Changed != 0 || b.x.engine != nil {
		t.Errorf("%+v %v, index open: %v; want that it stays closed", r, err, b.x.engine != nil)
	}
	b.say("cpu-last", sessionmem.KindUser, "the lynx sleeps")
	if r, err := b.x.keepUp(t.Context()); err != nil || r.Added != 1 {
		t.Errorf("%+v %v, want the new turn", r, err)
	}
}

package recall

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestTheBatchSizeAdaptsToTheTimeItTakes(t *testing.T) {
	p := &pace{}
	perByte := 50 * time.Microsecond // a slow machine: 20 KB a second
	for range 20 {
		n := p.batchBytes()
		p.adjust(max(1, n/100), n, time.Duration(n)*perByte)
	}
	if took := time.Duration(p.batchBytes()) * perByte; took > batchTime || took < batchTime/2 {
		t.Errorf("a batch takes %v, want about %v", took, batchTime)
	}
	for range 20 {
		n := p.batchBytes()
		p.adjust(1, n, time.Microsecond)
	}
	if n := p.batchBytes(); n != maxBatch {
		t.Errorf("a fast machine makes batches of %d bytes, want %d", n, maxBatch)
	}
	p.adjust(1, 400, time.Minute)
	if n := p.batchBytes(); n != minBatch {
		t.Errorf("after a minute for one text: %d bytes, want %d", n, minBatch)
	}
}

func TestMakingVectorsTakesItsShareOfTheTime(t *testing.T) {
	x := &vectorMaker{cfg: &Config{}}
	if got := x.rest(200 * time.Millisecond); got != 800*time.Millisecond {
		t.Errorf("%v of rest behind 200 ms, want 800 ms", got)
	}
	x.cfg.EmbedShare = func() float64 { return .05 }
	if got := x.rest(100 * time.Millisecond); got != 1900*time.Millisecond {
		t.Errorf("%v on a busy machine, want 1.9 s", got)
	}
	x.pace.full = true
	if got := x.rest(100 * time.Millisecond); got != vectorPause {
		t.Errorf("%v at full speed", got)
	}
}

func TestReasonsToMakeNoVectors(t *testing.T) {
	b := newBench(t)
	turn, share := false, .2
	b.withEmbedder(newFakeEmbedder(), func(c *Config) {
		c.InTurn, c.EmbedShare = func() bool { return turn }, func() float64 { return share }
	})
	for _, c := range []struct {
		what string
		do   func()
		want Held
	}{
		{"nothing", func() {}, HeldNot},
		{"a turn", func() { turn = true }, HeldTurn},
		{"its end", func() { turn = false }, HeldNot},
		{"on battery", func() { share = 0 }, HeldPower},
		{"asked for now", b.x.VectorsNow, HeldNot},
		{"a turn, at full speed", func() { turn = true }, HeldTurn},
		{"paused", func() { turn, share = false, .2; b.x.PauseVectors(true) }, HeldPaused},
		{"after a restart", func() {
			if err := b.x.Close(); err != nil {
				t.Fatal(err)
			}
			cfg := b.x.cfg
			var err error
			if b.x, err = Open(cfg); err != nil {
				t.Fatal(err)
			}
		}, HeldPaused},
		{"asked for now in a pause", func() { b.x.VectorsNow() }, HeldNot},
		{"when all are made", func() { b.x.vectors.endFullSpeed() }, HeldNot},
		{"paused again", func() { b.x.PauseVectors(true) }, HeldPaused},
		{"a command that makes them", func() { b.x.vectors.fullSpeed() }, HeldNot},
		{"and its end", func() { b.x.vectors.endFullSpeed() }, HeldPaused},
		{"and going on", func() { b.x.PauseVectors(false) }, HeldNot},
	} {
		c.do()
		if got := b.x.vectors.held(); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// noModel has no model, and records when it was asked.
type noModel struct {
	*fakeEmbedder
	asked chan struct{}
}

func (n noModel) Model(context.Context) (EmbedModel, error) {
	select {
	case n.asked <- struct{}{}:
	default:
	}
	return EmbedModel{}, ErrNoModel
}

// The share is computed from processor and battery, which costs more than everything else in
// an idle app.
func TestPowerIsNotMeasuredWithoutAVectorToMake(t *testing.T) {
	b := newBench(t)
	var measured atomic.Int32
	n := noModel{newFakeEmbedder(), make(chan struct{}, 1)}
	b.withEmbedder(n.fakeEmbedder, func(c *Config) {
		c.Embedder = n
		c.EmbedShare = func() float64 { measured.Add(1); return .2 }
	})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		b.x.vectors.run(ctx)
		close(done)
	}()
	<-n.asked
	stop()
	<-done
	if got := measured.Load(); got != 0 {
		t.Errorf("measured %d times, and there is no vector to make", got)
	}
}

func TestATurnInterruptsABatch(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	var turn atomic.Bool
	b.withEmbedder(f, func(c *Config) { c.InTurn = turn.Load })
	b.talk("cpu-a", "the hound barks", "the automobile is red")
	b.sync()
	f.hang = true // the server takes long
	time.AfterFunc(50*time.Millisecond, func() { turn.Store(true) })
	j := &vectorJob{v: &b.x.vectors}
	begun := time.Now()
	if _, err := j.step(t.Context()); !errors.Is(err, errHeld) {
		t.Fatalf("%v, want that it is cut off", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if len(j.skipped) != 0 || j.suspect != "" {
		t.Errorf("the texts are to blame: %v %q", j.skipped, j.suspect)
	}
	f.set(func() { f.hang = false })
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { b.x.vectors.run(ctx); close(done) }()
	time.Sleep(300 * time.Millisecond)
	if n := b.vectors(); n != 0 {
		t.Errorf("%d vectors were made in a turn", n)
	}
	turn.Store(false)
	for b.vectors() < 2 && t.Context().Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	<-done
}

func TestTheMostValuableChunksAreEmbeddedFirst(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f)
	for i := range 3 {
		b.talk(fmt.Sprintf("cpu-%d", i), fmt.Sprintf("question %d", i), fmt.Sprintf("answer %d begins. ", i)+strings.Repeat("More of it. ", 150))
	}
	b.sync()
	b.x.vectors.pace.bytes = maxBatch
	b.embedAll()
	var got []string
	for _, text := range f.texts {
		if words := strings.Fields(text); words[0] != "More" {
			got = append(got, words[0]+words[1])
		} else {
			got = append(got, "more")
		}
	}
	want := "question2 question1 question0 answer2 answer1 answer0 more"
	if all := strings.Join(got, " "); !strings.HasPrefix(all, want) {
		t.Errorf("%s, want %s first", all, want)
	}
}

func TestMakeVectorsMakesAllAndReportsProgress(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	b.withEmbedder(f, func(c *Config) { c.EmbedShare = func() float64 { return 0 } }) // on battery, but the user asked for it
	for i := range 2 * vectorBatch {
		b.talk(fmt.Sprintf("cpu-%d", i), "the hound barks", "the automobile is red", fmt.Sprintf("number%d", i))
	}
	b.sync()
	last, of := 0, 0
	if err := b.x.MakeVectors(t.Context(), func(made, all int, _ time.Duration) {
		if made < last {
			t.Errorf("%d behind %d", made, last)
		}
		last, of = made, all
	}); err != nil {
		t.Fatal(err)
	}
	if n := b.vectors(); n != 2+2*vectorBatch || last != 6*vectorBatch || of != last { // a text has one, however often it was said
		t.Errorf("%d vectors, reported %d of %d", n, last, of)
	}
	if b.x.vectors.held() != HeldPower {
		t.Errorf("%q afterwards, want that the battery counts again", b.x.vectors.held())
	}
	f.err = ErrNoModel
	if err := b.x.MakeVectors(t.Context(), nil); !errors.Is(err, ErrNoModel) {
		t.Errorf("without a model: %v", err)
	}
}

package recall

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Making vectors must not be felt: in the background it takes a share of the time alone,
// in batches that are over soon, and none while a turn runs in any process.

const (
	// embedShare is the share of the time that is spent on vectors where
	// Config.EmbedShare doesn't say.
	embedShare = .2
	// batchTime is how long a batch should take: what comes meanwhile waits no longer.
	batchTime = 200 * time.Millisecond
	// A batch has so many bytes of text: few at first, until it is known how long they take.
	batchLeast, batchFirst, batchMost = 512, 2 << 10, 24 << 10
	// turnLook is how often it is looked whether a turn runs, heldLook whether what else
	// holds the job up is over.
	turnLook = 100 * time.Millisecond
	heldLook = 5 * time.Second
	// failureRest is how long MakeVectors waits after a failure.
	failureRest = 2 * time.Second
)

// Held says why no vectors are made just now.
type Held string

// What holds the making of vectors up.
const (
	HeldNot    Held = ""
	HeldPaused Held = "paused" // somebody asked for it
	HeldTurn   Held = "turn"   // a turn runs; it goes on behind it
	HeldPower  Held = "power"  // on battery
)

// pace is how fast vectors are made.
type pace struct {
	mu      sync.Mutex
	full    bool // somebody asked for all of them now
	bytes   int  // of a batch
	perText time.Duration
}

// errPower: there is a batch to make, and the machine has no power to spare for it.
var errPower = errors.New("no vectors are made on battery")

// errHeld: a batch was cut off because a turn began, or somebody paused.
var errHeld = errors.New("vectors are not made now")

// pausedFile is there while the making of vectors is paused, also when nothing runs.
const pausedFile = "recall.paused"

// PauseVectors stops the making of vectors in the background until it is let go on, also
// after a restart.
func (x *Index) PauseVectors(paused bool) {
	file := filepath.Join(x.cfg.CacheDir, pausedFile)
	var err error
	if paused {
		x.pace.mu.Lock()
		x.pace.full = false
		x.pace.mu.Unlock()
		err = os.WriteFile(file, nil, 0o600)
	} else if err = os.Remove(file); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		x.logger.Warn("whether vectors are made in the background could not be changed", "paused", paused, "err", err)
	}
	x.newChunks()
}

func (x *Index) paused() bool {
	_, err := os.Stat(filepath.Join(x.cfg.CacheDir, pausedFile))
	return err == nil
}

// VectorsNow has all vectors that are missing made at full speed, turns aside. A pause is
// over.
func (x *Index) VectorsNow() {
	x.PauseVectors(false)
	x.fullSpeed()
}

// fullSpeed has vectors made at full speed until all are made, in a pause too.
func (x *Index) fullSpeed() {
	x.pace.mu.Lock()
	x.pace.full = true
	x.pace.mu.Unlock()
	x.newChunks()
}

// held says what holds the making of vectors up.
func (x *Index) held() Held {
	h := x.heldByPeople()
	if h == HeldNot && !x.atFullSpeed() && x.share() <= 0 {
		return HeldPower
	}
	return h
}

// heldByPeople is held without a look at the machine, which is measured for it.
func (x *Index) heldByPeople() Held {
	switch {
	case !x.atFullSpeed() && x.paused():
		return HeldPaused
	case x.cfg.InTurn != nil && x.cfg.InTurn():
		return HeldTurn
	}
	return HeldNot
}

func (x *Index) atFullSpeed() bool {
	x.pace.mu.Lock()
	defer x.pace.mu.Unlock()
	return x.pace.full
}

// share is the share of the time that vectors may take in the background.
func (x *Index) share() float64 {
	if x.cfg.EmbedShare == nil {
		return embedShare
	}
	return min(1, x.cfg.EmbedShare())
}

// waitForPeople waits until nobody holds vectors up.
func (x *Index) waitForPeople(ctx context.Context) error {
	for {
		wait := turnLook
		switch x.heldByPeople() {
		case HeldNot:
			return nil
		case HeldTurn:
		default:
			wait = heldLook
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-x.embeddable: // a pause may be over
		case <-time.After(wait):
		}
	}
}

// untilHeld gives a context that ends with errHeld when a turn begins, or somebody pauses.
func (x *Index) untilHeld(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(turnLook):
			}
			if x.held() != HeldNot {
				cancel(errHeld)
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// batchBytes is how much text goes into a batch.
func (p *pace) batchBytes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes == 0 {
		p.bytes = batchFirst
	}
	return p.bytes
}

// took learns from a batch how large the next one may be.
func (p *pace) took(texts, bytes int, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fits := float64(bytes) * float64(batchTime) / float64(max(took, time.Millisecond))
	p.bytes = int(min(max(fits, batchLeast), float64(2*p.bytes), batchMost)) // not more than twice at once
	each := took / time.Duration(texts)
	if p.perText > 0 {
		each = (4*p.perText + each) / 5
	}
	p.perText = each
}

// rest is how long to wait after a batch.
func (x *Index) rest(took time.Duration) time.Duration {
	x.pace.mu.Lock()
	full := x.pace.full
	x.pace.mu.Unlock()
	share := x.share()
	if full || share <= 0 {
		return vectorPause
	}
	return max(vectorPause, time.Duration(float64(took)*(1/share-1)))
}

// timeLeft estimates how long so many texts take; 0 where that isn't known yet.
func (x *Index) timeLeft(texts int) time.Duration {
	x.pace.mu.Lock()
	defer x.pace.mu.Unlock()
	share := 1.0
	if !x.pace.full {
		share = max(x.share(), .01)
	}
	return time.Duration(float64(texts) * float64(x.pace.perText) / share)
}

// allMade notes that nothing is missing.
func (x *Index) allMade() {
	x.pace.mu.Lock()
	defer x.pace.mu.Unlock()
	x.pace.full = false
}

// MakeVectors makes all vectors that are missing, turns aside, and returns when it is
// complete; ErrNoModel where no embedding model is installed. progress may be nil.
func (x *Index) MakeVectors(ctx context.Context, progress func(made, of int, left time.Duration)) error {
	if x.cfg.Embedder == nil {
		return ErrNoModel
	}
	x.fullSpeed()
	defer x.allMade()
	j := &vectorJob{x: x}
	for failures := 0; ; {
		if err := x.waitForPeople(ctx); err != nil {
			return err
		}
		more, err := j.step(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errHeld):
			continue
		case err != nil && (errors.Is(err, ErrNoModel) || failures >= strikesMost):
			return err
		case err != nil:
			failures++
			select { // a model may have been replaced: it is known in a moment
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(failureRest):
			}
			continue
		case !more:
			return nil
		}
		failures = 0
		if progress != nil {
			progress(j.made, j.wanted, x.timeLeft(j.wanted-j.made))
		}
	}
}

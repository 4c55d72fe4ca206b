package recall

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/indexfile"
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
	// failureRest is how long makeAll waits after a failure.
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

// vectorMaker makes the vectors of the chunks that have none.
type vectorMaker struct {
	cfg    *Config
	corpus *corpus.Corpus
	file   *indexfile.File
	wake   chan struct{} // 1 place: there may be chunks without a vector
	pace   pace
}

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

// pause stops the making of vectors in the background until it is let go on, also
// after a restart.
func (v *vectorMaker) pause(paused bool) {
	file := filepath.Join(v.cfg.CacheDir, pausedFile)
	var err error
	if paused {
		v.pace.mu.Lock()
		v.pace.full = false
		v.pace.mu.Unlock()
		err = os.WriteFile(file, nil, 0o600)
	} else if err = os.Remove(file); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		v.cfg.Logger.Warn("whether vectors are made in the background could not be changed", "paused", paused, "err", err)
	}
	v.newChunks()
}

func (v *vectorMaker) paused() bool {
	_, err := os.Stat(filepath.Join(v.cfg.CacheDir, pausedFile))
	return err == nil
}

// now has all vectors that are missing made at full speed, turns aside. A pause is
// over.
func (v *vectorMaker) now() {
	v.pause(false)
	v.fullSpeed()
}

// fullSpeed has vectors made at full speed until all are made, in a pause too.
func (v *vectorMaker) fullSpeed() {
	v.pace.mu.Lock()
	v.pace.full = true
	v.pace.mu.Unlock()
	v.newChunks()
}

// held says what holds the making of vectors up.
func (v *vectorMaker) held() Held {
	h := v.heldByPeople()
	if h == HeldNot && !v.atFullSpeed() && v.share() <= 0 {
		return HeldPower
	}
	return h
}

// heldByPeople is held without a look at the machine, which is measured for it.
func (v *vectorMaker) heldByPeople() Held {
	switch {
	case !v.atFullSpeed() && v.paused():
		return HeldPaused
	case v.cfg.InTurn != nil && v.cfg.InTurn():
		return HeldTurn
	}
	return HeldNot
}

func (v *vectorMaker) atFullSpeed() bool {
	v.pace.mu.Lock()
	defer v.pace.mu.Unlock()
	return v.pace.full
}

// share is the share of the time that vectors may take in the background.
func (v *vectorMaker) share() float64 {
	if v.cfg.EmbedShare == nil {
		return embedShare
	}
	return min(1, v.cfg.EmbedShare())
}

// waitForPeople waits until nobody holds vectors up.
func (v *vectorMaker) waitForPeople(ctx context.Context) error {
	for {
		wait := turnLook
		switch v.heldByPeople() {
		case HeldNot:
			return nil
		case HeldTurn:
		default:
			wait = heldLook
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-v.wake: // a pause may be over
		case <-time.After(wait):
		}
	}
}

// untilHeld gives a context that ends with errHeld when a turn begins, or somebody pauses.
func (v *vectorMaker) untilHeld(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(turnLook):
			}
			if v.held() != HeldNot {
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
func (v *vectorMaker) rest(took time.Duration) time.Duration {
	v.pace.mu.Lock()
	full := v.pace.full
	v.pace.mu.Unlock()
	share := v.share()
	if full || share <= 0 {
		return vectorPause
	}
	return max(vectorPause, time.Duration(float64(took)*(1/share-1)))
}

// timeLeft estimates how long so many texts take; 0 where that isn't known yet.
func (v *vectorMaker) timeLeft(texts int) time.Duration {
	v.pace.mu.Lock()
	defer v.pace.mu.Unlock()
	share := 1.0
	if !v.pace.full {
		share = max(v.share(), .01)
	}
	return time.Duration(float64(texts) * float64(v.pace.perText) / share)
}

// allMade notes that nothing is missing.
func (v *vectorMaker) allMade() {
	v.pace.mu.Lock()
	defer v.pace.mu.Unlock()
	v.pace.full = false
}

// makeAll makes all vectors that are missing, turns aside, and returns when it is
// complete; ErrNoModel where no embedding model is installed. progress may be nil.
func (v *vectorMaker) makeAll(ctx context.Context, progress func(made, of int, left time.Duration)) error {
	if v.cfg.Embedder == nil {
		return ErrNoModel
	}
	v.fullSpeed()
	defer v.allMade()
	j := &vectorJob{v: v}
	for failures := 0; ; {
		if err := v.waitForPeople(ctx); err != nil {
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
			progress(j.made, j.wanted, v.timeLeft(j.wanted-j.made))
		}
	}
}

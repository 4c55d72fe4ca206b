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
	"mac-stats/sessionmem/recall/index"
)

// Making vectors must not be noticeable: in the background it takes only a share of the
// time, in short batches, and none while a turn runs in any process.

const (
	// embedShare is the share of time spent on vectors if Config.EmbedShare is nil.
	embedShare = .2
	// batchTime is how long a batch should take: other requests wait no longer than that.
	batchTime = 200 * time.Millisecond
	// Bytes of text in a batch: few at first, until it is known how long they take.
	minBatch, firstBatch, maxBatch = 512, 2 << 10, 24 << 10
	// turnCheck is how often the job checks whether a turn runs, heldCheck whether other
	// reasons to wait still hold.
	turnCheck = 100 * time.Millisecond
	heldCheck = 5 * time.Second
	// failureRest is how long makeAll waits after a failure.
	failureRest = 2 * time.Second
)

// Held is the reason why no vectors are being made.
type Held string

// The reasons for making no vectors.
const (
	HeldNot    Held = ""
	HeldPaused Held = "paused" // the user paused it
	HeldTurn   Held = "turn"   // a turn runs; it continues afterwards
	HeldPower  Held = "power"  // on battery
)

// vectorMaker makes the vectors of the chunks that have none.
type vectorMaker struct {
	cfg    *Config
	corpus *corpus.Corpus
	file   *index.File
	wake   chan struct{} // 1 place: there may be chunks without a vector
	pace   pace
}

// pace is the speed at which vectors are made.
type pace struct {
	mu      sync.Mutex
	full    bool // the user asked for all of them now
	bytes   int  // of a batch
	perText time.Duration
}

// errPower means that there is a batch to make but no power to spare for it.
var errPower = errors.New("no vectors are made on battery")

// errHeld means that a batch was interrupted by a turn or a pause.
var errHeld = errors.New("vectors are not made now")

// pausedFile exists while making vectors is paused, across restarts.
const pausedFile = "recall.paused"

// pause pauses or resumes making vectors in the background. A pause outlasts a restart.
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
	nudge(v.wake)
}

func (v *vectorMaker) paused() bool {
	_, err := os.Stat(filepath.Join(v.cfg.CacheDir, pausedFile))
	return err == nil
}

// fullSpeed makes vectors at full speed until none is missing, even during a pause.
func (v *vectorMaker) fullSpeed() {
	v.pace.mu.Lock()
	v.pace.full = true
	v.pace.mu.Unlock()
	nudge(v.wake)
}

// held returns the reason why no vectors are being made.
func (v *vectorMaker) held() Held {
	h := v.heldByUser()
	if h == HeldNot && !v.atFullSpeed() && v.share() <= 0 {
		return HeldPower
	}
	return h
}

// heldByUser is held without the check of the machine's power, which takes a measurement.
func (v *vectorMaker) heldByUser() Held {
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

// share returns the share of time that vectors may take in the background.
func (v *vectorMaker) share() float64 {
	if v.cfg.EmbedShare == nil {
		return embedShare
	}
	return min(1, v.cfg.EmbedShare())
}

// waitWhileHeld waits until no turn or pause holds up vectors.
func (v *vectorMaker) waitWhileHeld(ctx context.Context) error {
	for {
		wait := turnCheck
		switch v.heldByUser() {
		case HeldNot:
			return nil
		case HeldTurn:
		default:
			wait = heldCheck
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-v.wake: // a pause may be over
		case <-time.After(wait):
		}
	}
}

// untilHeld returns a context that ends with errHeld when a turn or a pause begins.
func (v *vectorMaker) untilHeld(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(turnCheck):
			}
			if v.held() != HeldNot {
				cancel(errHeld)
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// batchBytes returns how much text goes into a batch.
func (p *pace) batchBytes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes == 0 {
		p.bytes = firstBatch
	}
	return p.bytes
}

// adjust adapts the size of the next batch to the time that one took.
func (p *pace) adjust(texts, bytes int, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fits := float64(bytes) * float64(batchTime) / float64(max(took, time.Millisecond))
	p.bytes = int(min(max(fits, minBatch), float64(2*p.bytes), maxBatch)) // at most double at once
	each := took / time.Duration(texts)
	if p.perText > 0 {
		each = (4*p.perText + each) / 5
	}
	p.perText = each
}

// rest returns how long to wait after a batch.
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

// timeLeft estimates how long so many texts take; 0 if not known yet.
func (v *vectorMaker) timeLeft(texts int) time.Duration {
	v.pace.mu.Lock()
	defer v.pace.mu.Unlock()
	share := 1.0
	if !v.pace.full {
		share = max(v.share(), .01)
	}
	return time.Duration(float64(texts) * float64(v.pace.perText) / share)
}

// endFullSpeed records that no vector is missing.
func (v *vectorMaker) endFullSpeed() {
	v.pace.mu.Lock()
	defer v.pace.mu.Unlock()
	v.pace.full = false
}

// makeAll implements Index.MakeVectors.
func (v *vectorMaker) makeAll(ctx context.Context, progress func(made, of int, left time.Duration)) error {
	if v.cfg.Embedder == nil {
		return ErrNoModel
	}
	v.fullSpeed()
	defer v.endFullSpeed()
	j := &vectorJob{v: v}
	for failures := 0; ; {
		if err := v.waitWhileHeld(ctx); err != nil {
			return err
		}
		more, err := j.step(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errHeld):
			continue
		case err != nil && (errors.Is(err, ErrNoModel) || failures >= maxStrikes):
			return err
		case err != nil:
			failures++
			select { // a replaced model is noticed after a moment
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

package backend

import (
	"context"
	"sync"
	"time"

	"mac-stats/app/monitor"
)

const (
	// idleShare is the share of the time that vectors for the search index may take in the
	// background, busyShare where the machine has other work, from busyPercent of all cores
	// on (a fifth of them may be the vectors' own), or somebody types.
	idleShare, busyShare = .2, .05
	busyPercent          = 50
	// paceAge is how long the answer holds.
	paceAge = 10 * time.Second
	// typingFor is how long somebody counts as typing after a key.
	typingFor = 5 * time.Second
)

// embedPace remembers how much time vectors may take.
type embedPace struct {
	mu    sync.Mutex
	at    time.Time
	share float64
	typed time.Time
}

// embedShare is the share of the time that making vectors may take now; none on battery.
func (ix *Index) embedShare() float64 {
	ix.pace.mu.Lock()
	defer ix.pace.mu.Unlock()
	if ix.pace.at.IsZero() || time.Since(ix.pace.at) >= paceAge {
		ctx, cancel := context.WithTimeout(ix.app.ctx, time.Second)
		defer cancel()
		now := ix.monitor.Sample(ctx, monitor.Battery, monitor.CPU)
		ix.pace.at, ix.pace.share = time.Now(), shareFor(now)
	}
	if time.Since(ix.pace.typed) < typingFor {
		return min(ix.pace.share, busyShare)
	}
	return ix.pace.share
}

// Typing says that somebody types: for a moment work in the background steps back.
func (ix *Index) Typing() {
	ix.pace.mu.Lock()
	defer ix.pace.mu.Unlock()
	ix.pace.typed = time.Now()
}

func shareFor(s monitor.Snapshot) float64 {
	switch {
	case s.Battery.NA == "" && s.Battery.OnBattery:
		return 0
	case s.CPU.NA == "" && s.CPU.Percent > busyPercent:
		return busyShare
	}
	return idleShare
}

// PauseVectors stops the making of vectors in the background until it is let go on, also
// after a restart.
func (ix *Index) PauseVectors(paused bool) {
	if index, err := ix.Recall(); err == nil {
		index.PauseVectors(paused)
	}
}

// VectorsNow has the missing vectors made at full speed, turns aside.
func (ix *Index) VectorsNow() {
	if index, err := ix.Recall(); err == nil {
		index.VectorsNow()
	}
}

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
func (b *Backend) embedShare() float64 {
	b.pace.mu.Lock()
	defer b.pace.mu.Unlock()
	if b.pace.at.IsZero() || time.Since(b.pace.at) >= paceAge {
		ctx, cancel := context.WithTimeout(b.ctx, time.Second)
		defer cancel()
		now := b.Monitor.Sample(ctx, monitor.Battery, monitor.CPU)
		b.pace.at, b.pace.share = time.Now(), shareFor(now)
	}
	if time.Since(b.pace.typed) < typingFor {
		return min(b.pace.share, busyShare)
	}
	return b.pace.share
}

// Typing says that somebody types: for a moment work in the background steps back.
func (b *Backend) Typing() {
	b.pace.mu.Lock()
	defer b.pace.mu.Unlock()
	b.pace.typed = time.Now()
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
func (b *Backend) PauseVectors(paused bool) {
	if index, err := b.Recall(); err == nil {
		index.PauseVectors(paused)
	}
}

// VectorsNow has the missing vectors made at full speed, turns aside.
func (b *Backend) VectorsNow() {
	if index, err := b.Recall(); err == nil {
		index.VectorsNow()
	}
}

package backend

import (
	"context"
	"sync"
	"time"

	"mac-stats/app/monitor"
)

const (
	// idleShare is the share of time that background work may spend on vectors for the
	// search index. busyShare applies if the machine has other work (from busyPercent of
	// all cores; up to a fifth of them may be the vectors' own) or if somebody types.
	idleShare, busyShare = .2, .05
	busyPercent          = 50
	// paceAge is how long a measured share stays valid.
	paceAge = 10 * time.Second
	// typingFor is how long after a keystroke somebody counts as typing.
	typingFor = 5 * time.Second
)

// embedPace remembers the share of time for vectors.
type embedPace struct {
	mu    sync.Mutex
	at    time.Time
	share float64
	typed time.Time
}

// embedShare returns the share of time that may be spent on vectors now; 0 on battery.
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

// Typing reports a keystroke: background work steps back for a moment.
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

// PauseVectors pauses or resumes the making of vectors in the background. A pause survives
// a restart.
func (ix *Index) PauseVectors(paused bool) {
	if index, err := ix.Recall(); err == nil {
		index.PauseVectors(paused)
	}
}

// VectorsNow makes the missing vectors at full speed, except while a turn runs.
func (ix *Index) VectorsNow() {
	if index, err := ix.Recall(); err == nil {
		index.VectorsNow()
	}
}

package desktop

import (
	"sync"
	"time"
)

// giveBackAfter is how long after the last window was hidden memory is released: long
// enough that hiding and showing again at once costs nothing.
const giveBackAfter = 2 * time.Second

// dropFontsAfter is how much later the fonts are dropped too.
const dropFontsAfter = time.Minute

// hiddenWork is a delayed call that a newer event cancels.
type hiddenWork struct {
	mu    sync.Mutex
	timer *time.Timer
}

// schedule calls f on its own goroutine after d, replacing an earlier call.
func (h *hiddenWork) schedule(d time.Duration, f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.timer != nil {
		h.timer.Stop()
	}
	h.timer = time.AfterFunc(d, f)
}

// cancel cancels a scheduled call that hasn't begun.
func (h *hiddenWork) cancel() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.timer != nil {
		h.timer.Stop()
		h.timer = nil
	}
}

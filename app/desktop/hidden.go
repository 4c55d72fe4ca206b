package desktop

import (
	"sync"
	"time"
)

// releaseAfter is how long after the last window was hidden memory is released: long
// enough that hiding and showing again at once costs nothing.
const releaseAfter = 2 * time.Second

// dropFontsAfter is how much later the fonts are dropped too.
const dropFontsAfter = time.Minute

// Why the process doesn't execute itself again while hidden, which would leave 14 MB of the
// 58: the tray icon belongs to a D-Bus connection. A new process has another one, so the
// host removes the icon and adds it 0.1 s later at the end of the row. Handing over the
// descriptor needs a D-Bus client of our own: godbus neither returns its descriptor nor
// stops between two messages. Besides, nothing keeps the conversation, the page and the
// scroll position over a restart, MCP servers would restart, and Discord would count
// another login.

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

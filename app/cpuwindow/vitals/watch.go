package vitals

import (
	"sync/atomic"

	"mac-stats/app/monitor"
)

// Watch samples the metrics of the strip while the window is visible. At most one drawing is
// pending at a time.
type Watch struct {
	// Detailed draws every reading, not only those that change the strip: the vitals page is
	// shown. Any goroutine may set it.
	Detailed atomic.Bool

	source Source
	do     func(func()) // runs a function on the UI goroutine
	due    func(monitor.Snapshot) bool
	draw   func()
	latest atomic.Pointer[monitor.Snapshot]
	busy   atomic.Bool // a drawing is pending
	stops  []func()
}

// NewWatch returns a Watch that is not started. It calls draw on the UI goroutine if due, called
// on any goroutine, reports that a reading changes what is shown: waking the UI goroutine is most
// of what a reading costs.
func NewWatch(source Source, do func(func()), due func(monitor.Snapshot) bool, draw func()) *Watch {
	return &Watch{source: source, do: do, due: due, draw: draw}
}

// Latest returns the newest reading, or nil before the first one. Any goroutine may call it.
func (w *Watch) Latest() *monitor.Snapshot { return w.latest.Load() }

// Start starts sampling.
func (w *Watch) Start() {
	stopShow := w.source.Show(true, monitor.CPU, monitor.Memory, monitor.GPU, monitor.Temperature, monitor.Disk, monitor.Network)
	stopSub := w.source.Subscribe(func(s monitor.Snapshot) {
		w.latest.Store(&s)
		if (w.Detailed.Load() || w.due(s)) && w.busy.CompareAndSwap(false, true) {
			w.do(func() {
				w.busy.Store(false)
				w.draw()
			})
		}
	})
	w.stops = []func(){stopSub, stopShow}
	s := w.source.Snapshot()
	w.latest.Store(&s)
	w.draw()
}

// Stop ends sampling.
func (w *Watch) Stop() {
	for _, stop := range w.stops {
		stop()
	}
	w.stops = nil
}

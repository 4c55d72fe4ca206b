// Package monitor samples the machine: each metric at its own pace, only while
// somebody shows it, into ring buffers.
//
// Numbers are of the whole machine. What can't be read says why; it is never 0.
//
// All share one timer: at each beat one goroutine reads what is due and tells the
// subscribers, so that the processor wakes once. What was slow last time is read apart, and
// a read that hangs holds up no beat after its own. While nothing is shown no timer is set.
package monitor

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Default intervals of Config.
const (
	defaultIntervalOpen   = time.Second
	defaultIntervalClosed = 5 * time.Second
)

// Config is what a Monitor needs; zero values take the defaults.
type Config struct {
	IntervalOpen   time.Duration // between samples while a window shows them; 1 s
	IntervalClosed time.Duration // while only the tray icon does; 5 s
	Sensors        bool          // temperature and GPU
	// MarkerDir is where the "unclean exit during a sensor read" markers live; "" = none.
	// A read that kills the process leaves one there. After three in a row that sensor
	// stays off for a week, until the next version, or until the files are deleted.
	MarkerDir string
	Version   string // of the program
	// HistoryFile keeps the history over restarts; "" = nowhere.
	HistoryFile string
	Logger      *slog.Logger // discards where nil
}

// withDefaults fills what is zero.
func (c Config) withDefaults() Config {
	if c.IntervalOpen <= 0 {
		c.IntervalOpen = defaultIntervalOpen
	}
	if c.IntervalClosed <= 0 {
		c.IntervalClosed = defaultIntervalClosed
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// Monitor samples. Safe for concurrent use.
type Monitor struct {
	cfg      Config
	log      *slog.Logger
	samplers []*sampler // in the order of Metrics
	clock    clock
	telling  sync.Mutex // held while the subscribers hear
	saving   sync.Mutex // held while the history is written

	// mu guards what follows. It is held for moments only, never while a metric is read
	// or a subscriber runs.
	mu          sync.Mutex
	started     bool
	paused      bool
	snapshot    Snapshot
	changed     bool // the snapshot has, and the subscribers have not heard
	history     map[Metric]*trace
	unsaved     bool           // the history has changed since it was written
	open        map[Metric]int // how many windows show it
	closed      map[Metric]int // how many others do
	kept        map[Metric]int // how many want its history alone
	subscribers []*subscriber
}

// subscriber is one function that wants snapshots.
type subscriber struct{ f func(Snapshot) }

// New returns a monitor that samples nothing until Start; Sample works at once.
func New(cfg Config) *Monitor {
	cfg = cfg.withDefaults()
	return newMonitor(cfg, readersOf(host{}, cfg), findMarkers(cfg))
}

// newMonitor is New on the given readers; left are the markers of processes that ended
// in readings.
func newMonitor(cfg Config, readers map[Metric]reader, left map[Metric][]string) *Monitor {
	cfg = cfg.withDefaults()
	m := &Monitor{
		cfg:    cfg,
		log:    cfg.Logger,
		open:   map[Metric]int{},
		closed: map[Metric]int{},
		kept:   map[Metric]int{},
	}
	var err error
	if m.history, err = readHistory(cfg.HistoryFile, time.Now()); err != nil {
		m.log.Info("the history of the vitals begins anew", "why", err)
	}
	for _, metric := range Metrics() {
		m.snapshot.setNA(metric, notSampled)
		r, ok := readers[metric]
		if !ok {
			continue
		}
		s := &sampler{m: m, metric: metric, reader: r, looking: make(chan struct{}, 1)}
		if isSensor(metric) {
			s.marker = newMarker(cfg, metric, left[metric])
			if !cfg.Sensors {
				s.off = "switched off in the settings (monitor.sensors)"
			}
		}
		if why := whyOff(left[metric]); why != "" {
			s.off = why
			m.log.Warn("a sensor stays switched off", "metric", metric, "why", why)
		}
		if s.off != "" {
			m.snapshot.setNA(metric, s.off)
		}
		m.samplers = append(m.samplers, s)
	}
	return m
}

// Start samples until ctx ends; it returns at once. A second call does nothing.
func (m *Monitor) Start(ctx context.Context) {
	m.mu.Lock()
	again := m.started
	m.started = true
	m.mu.Unlock()
	if again {
		return
	}
	m.clock.start(ctx, m.beat)
	if m.cfg.HistoryFile != "" {
		go m.keepSaving(ctx)
	}
}

// End says that the program ends: a reading that goes on is not why.
func (m *Monitor) End() {
	for _, s := range m.samplers {
		if s.marker != nil {
			s.marker.end()
		}
	}
}

// Show asks for metrics while something shows them. open is the fast pace (a
// window), otherwise the slow one (the tray icon). Call stop when hidden; calling it
// again does nothing.
func (m *Monitor) Show(open bool, metrics ...Metric) (stop func()) {
	metrics = slices.Clone(metrics)
	counts := m.closed
	if open {
		counts = m.open
	}
	m.count(counts, metrics, 1)
	return sync.OnceFunc(func() { m.count(counts, metrics, -1) })
}

// Keep samples metrics for their history alone, so seldom that it costs next to
// nothing, until stop.
func (m *Monitor) Keep(metrics ...Metric) (stop func()) {
	metrics = slices.Clone(metrics)
	m.count(m.kept, metrics, 1)
	return sync.OnceFunc(func() { m.count(m.kept, metrics, -1) })
}

// count changes how many want metrics; counts is one of the monitor's maps.
func (m *Monitor) count(counts map[Metric]int, metrics []Metric, by int) {
	m.mu.Lock()
	for _, metric := range metrics {
		counts[metric] += by
	}
	m.mu.Unlock()
	m.clock.forward(time.Now())
}

// pace is the time between samples of a metric now; false: none are wanted.
func (m *Monitor) pace(metric Metric) (time.Duration, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.paceNow(metric)
}

// paceNow is pace with mu held.
func (m *Monitor) paceNow(metric Metric) (time.Duration, bool) {
	switch {
	case m.paused:
		return 0, false
	case m.open[metric] > 0:
		return max(m.cfg.IntervalOpen, slowest(metric)), true
	case m.closed[metric] > 0:
		return max(m.cfg.IntervalClosed, slowest(metric)), true
	case m.kept[metric] > 0:
		return max(m.cfg.IntervalClosed, keptPace(metric)), true
	}
	return 0, false
}

// keptPace is the time between samples for the history alone. GPU and battery are read
// by running another program on some systems.
func keptPace(metric Metric) time.Duration {
	if metric == GPU || metric == Battery {
		return 2 * time.Minute
	}
	return 30 * time.Second
}

// Snapshot is the newest readings, at once. A metric nobody shows keeps what it read
// last; Sample reads it anew.
func (m *Monitor) Snapshot() Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.snapshot
}

// Pause stops all sampling until Resume. Sample still reads: it was asked for.
func (m *Monitor) Pause() { m.setPaused(true) }

// Resume undoes Pause.
func (m *Monitor) Resume() { m.setPaused(false) }

func (m *Monitor) setPaused(paused bool) {
	m.mu.Lock()
	changed := m.paused != paused
	m.paused = paused
	m.snapshot.Paused = paused
	m.changed = m.changed || changed
	m.mu.Unlock()
	if changed {
		m.clock.forward(time.Now())
	}
}

// record puts a reading into the snapshot. scheduled ones are points of the history.
func (m *Monitor) record(metric Metric, apply func(*Snapshot), scheduled bool) {
	m.mu.Lock()
	apply(&m.snapshot)
	m.snapshot.Time = time.Now()
	if v, ok := m.snapshot.headline(metric); ok && scheduled {
		pace, _ := m.paceNow(metric)
		m.history[metric].add(m.snapshot.Time, pace, v)
		m.unsaved = true
	}
	m.changed = true
	m.mu.Unlock()
}

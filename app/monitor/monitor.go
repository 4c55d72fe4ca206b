// Package monitor samples the machine: each metric at its own interval, only while
// something shows it, into ring buffers.
//
// Values are for the whole machine. A value that can't be read has a reason; it is never 0.
//
// All metrics share one timer: at each beat one goroutine reads what is due and calls the
// subscribers, so that the processor wakes once. A metric that was slow last time is read
// separately, and a hanging read delays no later beat. While nothing is shown no timer
// runs.
package monitor

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// The default intervals.
const (
	defaultIntervalOpen   = time.Second
	defaultIntervalClosed = 5 * time.Second
)

// Config configures a Monitor; zero values mean the defaults.
type Config struct {
	IntervalOpen   time.Duration // between samples while a window shows them; default 1 s
	IntervalClosed time.Duration // while only the tray icon does; default 5 s
	Sensors        bool          // temperature and GPU
	// MarkerDir is the folder for the markers of sensor reads; "" means none. A read that
	// kills the process leaves a marker. After three in a row the sensor stays off for a
	// week, until the next version, or until the files are deleted.
	MarkerDir string
	Version   string // the program's
	// HistoryFile keeps the history across restarts; "" means nowhere.
	HistoryFile string
	Logger      *slog.Logger // discards if nil
}

// withDefaults fills in the defaults.
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

// Monitor samples metrics. Safe for concurrent use.
type Monitor struct {
	cfg        Config
	log        *slog.Logger
	samplers   []*sampler // in the order of Metrics
	clock      clock
	publishing sync.Mutex // held while the subscribers are called
	saving     sync.Mutex // held while the history is written

	// mu guards the fields below. It is held only briefly, never while a metric is read or
	// a subscriber runs.
	mu          sync.Mutex
	started     bool
	paused      bool
	snapshot    Snapshot
	changed     bool // the snapshot changed after the subscribers were last called
	history     map[Metric]*trace
	unsaved     bool           // the history changed after it was last written
	open        map[Metric]int // number of windows that show it
	closed      map[Metric]int // number of others that show it
	kept        map[Metric]int // number that want only its history
	subscribers []*subscriber
}

// subscriber is a function that gets snapshots.
type subscriber struct{ f func(Snapshot) }

// New returns a monitor that samples nothing until Start; Sample works at once.
func New(cfg Config) *Monitor {
	cfg = cfg.withDefaults()
	return newMonitor(cfg, readersOf(host{}, cfg), findMarkers(cfg))
}

// newMonitor is New with the given readers; left holds the markers of processes that ended
// during reads.
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

// Start samples until ctx is done; it returns at once. A second call does nothing.
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

// End announces that the program is ending, so that a running read isn't taken for the
// cause.
func (m *Monitor) End() {
	for _, s := range m.samplers {
		if s.marker != nil {
			s.marker.end()
		}
	}
}

// Show samples metrics while something shows them. open means the fast interval (a window),
// otherwise the slow one (the tray icon). Call stop when hidden; another call does nothing.
func (m *Monitor) Show(open bool, metrics ...Metric) (stop func()) {
	metrics = slices.Clone(metrics)
	counts := m.closed
	if open {
		counts = m.open
	}
	m.count(counts, metrics, 1)
	return sync.OnceFunc(func() { m.count(counts, metrics, -1) })
}

// Keep samples metrics only for their history until stop is called, so rarely that it costs
// almost nothing.
func (m *Monitor) Keep(metrics ...Metric) (stop func()) {
	metrics = slices.Clone(metrics)
	m.count(m.kept, metrics, 1)
	return sync.OnceFunc(func() { m.count(m.kept, metrics, -1) })
}

// count changes how many want the metrics; counts is one of the monitor's maps.
func (m *Monitor) count(counts map[Metric]int, metrics []Metric, by int) {
	m.mu.Lock()
	for _, metric := range metrics {
		counts[metric] += by
	}
	m.mu.Unlock()
	m.clock.forward(time.Now())
}

// pace returns the current interval of a metric; false if nobody wants it.
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
		return max(m.cfg.IntervalOpen, slowest(metric, true)), true
	case m.closed[metric] > 0:
		return max(m.cfg.IntervalClosed, slowest(metric, false)), true
	case m.kept[metric] > 0:
		return max(m.cfg.IntervalClosed, keptPace(metric)), true
	}
	return 0, false
}

// keptPace is the interval of metrics that are sampled only for their history. On some
// systems the battery is read by running another program. The GPU isn't kept at all.
func keptPace(metric Metric) time.Duration {
	if metric == Battery {
		return 2 * time.Minute
	}
	return 30 * time.Second
}

// Snapshot returns the latest readings at once. A metric that nobody shows keeps its last
// reading; Sample reads it again.
func (m *Monitor) Snapshot() Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.snapshot
}

// Pause stops all sampling until Resume. Sample still reads, because it is an explicit
// request.
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

// record puts a reading into the snapshot; scheduled ones also go into the history.
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

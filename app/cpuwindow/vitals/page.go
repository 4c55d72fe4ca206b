package vitals

import (
	"context"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"github.com/ollama/ollama/api"

	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
)

// Host is what the page needs from the window it is in.
type Host interface {
	Do(f func()) // runs f on the UI goroutine, later
	Canvas() fyne.Canvas
	Latest() *monitor.Snapshot // nil before the first reading
	Ahead() string             // what reads a message in advance now, "" if nothing does
	Ask(text string)           // adds text to the message in the composer
}

// Page is the vitals page. Its fields belong to the UI goroutine.
type Page struct {
	host   Host
	source Source
	View   *column.Viewport
	span   monitor.Range
	ranges []*kit.Button
	cards  []*metricCard
	pairs  []*pairRow // the cards in pairs
	Procs  *processCard
	stop   func() // ends the sampling for this page; nil while it is hidden
	loaded func(context.Context) []api.ProcessModelResponse
	models []api.ProcessModelResponse // loaded ones
}

// loadedInterval is the time between two looks at the loaded models.
const loadedInterval = 10 * time.Second

// NewPage returns the page of a source. loaded returns the models that this machine holds in
// memory, off the UI goroutine; it may be nil.
func NewPage(h Host, source Source, loaded func(context.Context) []api.ProcessModelResponse) *Page {
	p := &Page{host: h, source: source, View: column.NewViewport(), loaded: loaded}
	p.View.Follow, p.View.Fixed = false, true
	for _, d := range details(monitor.Snapshot{}) {
		p.cards = append(p.cards, newMetricCard(func() { p.Ask(d.metric) }))
	}
	p.Procs = newProcessCard(func() { p.Ask(monitor.Processes) }, p.confirmQuit, p.force, p.Update)
	p.View.SetRows(p.rows())
	return p
}

// rows returns the rows of the page: the choice of range, the cards in pairs, the processes.
func (p *Page) rows() []*column.Placed {
	bar := []fyne.CanvasObject{kit.Small(i18n.T("History"))}
	for _, r := range monitor.Ranges() {
		b := kit.NewButton(kit.ButtonPill, rangeWords(r), func() { p.choose(r) })
		p.ranges = append(p.ranges, b)
		bar = append(bar, b)
	}
	room := kit.Small("").Squeezable()
	bar = append(bar, room, kit.NewButton(kit.ButtonLink, i18n.T("Ask about all of it"), func() { p.Ask("") }))
	rows := []*column.Placed{{Row: column.NewBoxRow(kit.Line(kit.Gap8, len(bar)-2, bar...))}}
	p.ranges[p.span].SetSelected(true)
	add := func(r kit.Row) { rows = append(rows, &column.Placed{Row: r, Gap: kit.Gap12}) }
	for pair := range slices.Chunk(p.cards, 2) {
		if len(pair) == 1 {
			add(pair[0])
			continue
		}
		both := newPairRow(pair[0], pair[1])
		p.pairs = append(p.pairs, both)
		add(both)
	}
	add(p.Procs)
	return rows
}

// choose switches the range of all histories.
func (p *Page) choose(r monitor.Range) {
	p.span = r
	for i, b := range p.ranges {
		b.SetSelected(monitor.Range(i) == r)
	}
	p.Update()
}

// Sample starts or ends the sampling for the page.
func (p *Page) Sample(on bool) {
	switch {
	case on && p.stop == nil:
		stop := p.source.Show(true, pageMetrics()...)
		ctx, cancel := context.WithCancel(context.Background())
		p.stop = func() { cancel(); stop() }
		if p.loaded != nil {
			go p.follow(ctx)
		}
		p.Update()
	case !on && p.stop != nil:
		p.stop()
		p.stop = nil
	}
}

// follow looks at the loaded models until ctx ends.
func (p *Page) follow(ctx context.Context) {
	again := time.NewTicker(loadedInterval)
	defer again.Stop()
	for {
		models := p.loaded(ctx)
		p.host.Do(func() {
			if p.models = models; ctx.Err() == nil {
				p.Update()
			}
		})
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// pageMetrics returns the metrics that the page shows.
func pageMetrics() []monitor.Metric {
	metrics := []monitor.Metric{monitor.Processes}
	for _, d := range details(monitor.Snapshot{}) {
		metrics = append(metrics, d.metric)
	}
	return metrics
}

// Update draws what changed.
func (p *Page) Update() {
	s := p.host.Latest()
	if s == nil || p.stop == nil {
		return
	}
	resized := p.Procs.set(s.Processes, s.Paused, p.host.Ahead())
	for i, d := range details(*s) {
		if d.metric == monitor.Memory && d.number != "" {
			d.lines = append(d.lines, loadedWords(p.models)...)
		}
		series := p.source.Series(d.metric, p.span)
		resized = p.cards[i].set(d, series, p.span) || resized
	}
	if resized {
		p.remeasure()
	}
}

// remeasure adjusts the height of every row.
func (p *Page) remeasure() {
	for _, pl := range p.View.Rows {
		pl.Dirty = true
	}
	p.View.SetRows(p.View.Rows)
	for _, pair := range p.pairs {
		pair.Refresh()
	}
	for _, c := range p.cards {
		c.Refresh()
	}
	p.Procs.Refresh()
}

// Reveal scrolls to a metric's card.
func (p *Page) Reveal(metric monitor.Metric) {
	for i, d := range details(monitor.Snapshot{}) {
		if d.metric == metric {
			row := p.View.Rows[1+i/2]
			p.View.Reveal(row.Top, row.Top+row.Height)
		}
	}
}

// Ask adds the reading of a metric to the message in the composer; "" means all metrics.
func (p *Page) Ask(metric monitor.Metric) {
	s := p.host.Latest()
	if s == nil {
		return
	}
	history := ""
	if series := p.source.Series(metric, p.span); anyPoint(series) {
		history = HistoryWords(metric, p.span, series)
	}
	p.host.Ask(askWords(*s, metric, history))
}

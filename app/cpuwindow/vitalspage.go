package cpuwindow

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/kit"
)

// vitalsPage is the machine in detail: a card for each metric and the busiest
// processes. What only this page shows is sampled only while it is shown. Its fields
// belong to the UI goroutine.
type vitalsPage struct {
	w      *Window
	view   *kit.Viewport
	span   monitor.Range
	ranges []*kit.Button
	cards  []*metricCard
	pairs  []*pairRow // of the cards
	procs  *processCard
	stop   func() // ends what is sampled for this page; nil while it is hidden
}

func newVitalsPage(w *Window) *vitalsPage {
	p := &vitalsPage{w: w, view: kit.NewViewport()}
	p.view.Follow, p.view.Fixed = false, true
	for _, d := range details(monitor.Snapshot{}) {
		p.cards = append(p.cards, newMetricCard(func() { p.ask(d.metric) }))
	}
	p.procs = newProcessCard(func() { p.ask(monitor.Processes) }, p.confirmQuit, p.force, p.update)
	p.view.SetRows(p.rows())
	return p
}

// rows are the page: what is chosen, the cards in pairs, the processes.
func (p *vitalsPage) rows() []*kit.Placed {
	bar := []fyne.CanvasObject{kit.Small(i18n.T("History"))}
	for _, r := range monitor.Ranges() {
		b := kit.NewButton(kit.ButtonPill, rangeWords(r), func() { p.choose(r) })
		p.ranges = append(p.ranges, b)
		bar = append(bar, b)
	}
	room := kit.Small("").Squeezable()
	bar = append(bar, room, kit.NewButton(kit.ButtonLink, i18n.T("Ask about all of it"), func() { p.ask("") }))
	rows := []*kit.Placed{{Row: kit.NewBoxRow(kit.Line(kit.Gap8, len(bar)-2, bar...))}}
	p.ranges[p.span].SetSelected(true)
	add := func(r kit.Row) { rows = append(rows, &kit.Placed{Row: r, Gap: kit.Gap12}) }
	for pair := range slices.Chunk(p.cards, 2) {
		if len(pair) == 1 {
			add(pair[0])
			continue
		}
		both := newPairRow(pair[0], pair[1])
		p.pairs = append(p.pairs, both)
		add(both)
	}
	add(p.procs)
	return rows
}

// choose switches the range of all histories.
func (p *vitalsPage) choose(r monitor.Range) {
	p.span = r
	for i, b := range p.ranges {
		b.SetSelected(monitor.Range(i) == r)
	}
	p.update()
}

// show starts or ends what is sampled for the page.
func (p *vitalsPage) show(on bool) {
	switch {
	case on && p.stop == nil:
		p.stop = p.w.parts.vitals.Show(true, monitor.Battery, monitor.Processes)
		p.update()
	case !on && p.stop != nil:
		p.stop()
		p.stop = nil
	}
}

// update draws what changed.
func (p *vitalsPage) update() {
	s := p.w.lastVitals.Load()
	if s == nil || p.stop == nil {
		return
	}
	resized := p.procs.set(s.Processes, s.Paused)
	for i, d := range details(*s) {
		series := p.w.parts.vitals.Series(d.metric, p.span)
		resized = p.cards[i].set(d, series, p.span) || resized
	}
	if resized {
		p.remeasure()
	}
}

// remeasure gives every row the height it needs now.
func (p *vitalsPage) remeasure() {
	for _, pl := range p.view.Rows {
		pl.Dirty = true
	}
	p.view.SetRows(p.view.Rows)
	for _, pair := range p.pairs {
		pair.Refresh()
	}
	for _, c := range p.cards {
		c.Refresh()
	}
	p.procs.Refresh()
}

// ask puts a metric's reading into the message that is being written; "" = all.
func (p *vitalsPage) ask(metric monitor.Metric) {
	s := p.w.lastVitals.Load()
	if s == nil {
		return
	}
	history := ""
	if series := p.w.parts.vitals.Series(metric, p.span); anyPoint(series) {
		history = historyWords(metric, p.span, series)
	}
	p.w.quoteInMessage(askWords(*s, metric, history))
}

// quoteInMessage adds text to the message that is being written, without sending it.
func (w *Window) quoteInMessage(text string) {
	written := strings.TrimRight(w.compose.entry.Text, "\n ")
	if written != "" {
		written += "\n\n"
	}
	if w.page != pageChat {
		w.showPage(pageChat)
	}
	w.compose.setText(written + text + "\n\n")
	w.keepDraft(written + text + "\n\n")
	w.compose.entry.CursorRow = strings.Count(w.compose.entry.Text, "\n")
	w.compose.entry.CursorColumn = 0
	w.compose.entry.Refresh()
	w.focusComposer()
}

// showDetails lets the page sample what it needs while it is seen, and no longer.
func (w *Window) showDetails() {
	if w.details != nil {
		w.details.show(w.visible && w.page == pageVitals)
	}
}

// ShowVitals opens the page of the vitals.
func (w *Window) ShowVitals() {
	if w.page != pageVitals {
		w.showPage(pageVitals)
	}
}

// openVitals opens the page at a metric of the strip; pressing it again goes back.
func (w *Window) openVitals(metric monitor.Metric) {
	w.showPage(pageVitals)
	if w.page != pageVitals || metric == "" {
		return
	}
	for i, d := range details(monitor.Snapshot{}) {
		if d.metric == metric {
			p := w.details.view.Rows[1+i/2]
			w.details.view.Reveal(p.Top, p.Top+p.Height)
		}
	}
}

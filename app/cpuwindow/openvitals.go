package cpuwindow

import (
	"mac-stats/app/monitor"
)

// showDetails lets the page sample what it needs while it is seen, and no longer.
func (w *Window) showDetails() {
	if w.made.details != nil {
		w.made.details.Sample(w.visible && w.page == pageVitals)
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
	w.made.details.Reveal(metric)
}

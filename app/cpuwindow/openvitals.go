package cpuwindow

import (
	"strings"

	"mac-stats/app/monitor"
)

// quoteInMessage adds text to the message that is being written, without sending it;
// where none is, to that of a new chat.
func (w *Window) quoteInMessage(text string) {
	if strings.TrimSpace(w.compose.Entry.Text) == "" && w.shown.Begun() {
		w.freshChat()
	}
	written := strings.TrimRight(w.compose.Entry.Text, "\n ")
	if written != "" {
		written += "\n\n"
	}
	if w.page != pageChat {
		w.showPage(pageChat)
	}
	w.compose.SetText(written + text + "\n\n")
	w.keepDraft(written + text + "\n\n")
	w.compose.Entry.CursorRow = strings.Count(w.compose.Entry.Text, "\n")
	w.compose.Entry.CursorColumn = 0
	w.compose.Entry.Refresh()
	w.focusComposer()
}

// showDetails lets the page sample what it needs while it is seen, and no longer.
func (w *Window) showDetails() {
	if w.details != nil {
		w.details.Sample(w.visible && w.page == pageVitals)
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
	w.details.Reveal(metric)
}

package cpuwindow

import (
	"fyne.io/fyne/v2"

	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/cpuwindow/pages"
	"mac-stats/app/cpuwindow/schedules"
	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/cpuwindow/toolpage"
	"mac-stats/app/cpuwindow/transcripts"
	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/i18n"
	"mac-stats/app/monitor"
	"mac-stats/app/ui/column"
)

// page names what the middle of the window shows.
type page string

const (
	pageChat     page = "chat"
	pageMemory   page = "memory"
	pageAgents   page = "agents"
	pageModels   page = "models"
	pageSettings page = "settings"

	pageSchedules page = "schedules"
	pageTools     page = "tools"

	pageTranscript page = "transcript"
	pageVitals     page = "vitals"

	// pageWelcome is the first run.
	pageWelcome page = "welcome"
)

func (p page) title() string {
	switch p {
	case pageMemory:
		return i18n.T("Memory")
	case pageAgents:
		return i18n.T("Agents")
	case pageWelcome:
		return i18n.T("Welcome to mac-stats")
	case pageModels:
		return i18n.T("Models")
	case pageSchedules:
		return i18n.T("Schedules")
	case pageTools:
		return i18n.T("Tools")
	case pageSettings:
		return i18n.T("Settings")
	case pageTranscript:
		return i18n.T("Transcript")
	case pageVitals:
		return i18n.T("Vitals of the whole machine")
	}
	return ""
}

// panes holds the pages of the window and which of them is shown. A page is built when it is
// first shown; until then its field is nil.
type panes struct {
	page      page
	stack     *fyne.Container // chat and pages, one of them visible
	views     map[page]pageView
	reader    *transcripts.Reader
	memory    *pages.Memory
	roster    *pages.Agents
	models    *models.Page
	schedules *schedules.Page
	tools     *toolpage.Page
	settings  *settings.Page
	details   *vitals.Page

	edits  *pages.Edits     // unsaved edits of the memory and the agents
	writer *settings.Writer // writes settings
	marks  *pageMarks
}

// pageView is a page as the window shows it.
type pageView struct {
	hidden *bool
	load   func()                    // reads the page's files; nil if it has none
	ports  func() []*column.Viewport // the scrolled views of the page
}

func (m *panes) add(p page, o fyne.CanvasObject, v pageView) {
	m.stack.Add(o)
	m.views[p] = v
}

// addColumn adds a page that consists of one column.
func (m *panes) addColumn(p page, c *column.Viewport, load func()) {
	m.add(p, c, pageView{&c.Hidden, load, func() []*column.Viewport { return []*column.Viewport{c} }})
}

// show shows the current page and hides the others.
func (m *panes) show() {
	for p, v := range m.views {
		*v.hidden = p != m.page
	}
}

// load reads the files of the current page and shows them.
func (m *panes) load() {
	if load := m.views[m.page].load; load != nil {
		load()
	}
}

// reread reads the transcript in the viewer again.
func (m *panes) reread() {
	if m.reader.Read != nil {
		m.reader.Reread()
	}
}

// addFirstPages adds the pages that exist from the start: chat, first run, viewer.
func (w *Window) addFirstPages() {
	chat, reader := w.chat.Object, w.panes.reader.Object
	w.panes.add(pageChat, chat, pageView{&chat.Hidden, nil, func() []*column.Viewport { return []*column.Viewport{w.chat.View.Port} }})
	w.panes.addColumn(pageWelcome, w.setup.View, w.setup.Draw)
	w.panes.add(pageTranscript, reader, pageView{&reader.Hidden, nil, func() []*column.Viewport { return []*column.Viewport{w.panes.reader.Rows.Port} }})
	w.panes.show()
}

// makePage builds a page that has not been shown yet.
func (w *Window) makePage(p page) {
	m, h := &w.panes, pageHost{windowHost{w}}
	switch p {
	case pageMemory:
		m.memory = pages.NewMemory(h, w.parts.forPages(), m.edits)
		m.add(p, m.memory.Object, pageView{&m.memory.Object.Hidden, m.memory.Load, m.memory.Ports})
	case pageAgents:
		m.roster = pages.NewAgents(h, w.parts.forPages(), m.edits)
		m.add(p, m.roster.Object, pageView{&m.roster.Object.Hidden, m.roster.Load, m.roster.Ports})
	case pageModels:
		m.models = models.NewPage(h, w.parts.server, w.setup.Puller)
		m.addColumn(p, m.models.View, m.models.Load)
	case pageSchedules:
		m.schedules = schedules.NewPage(h, w.parts.schedules)
		m.addColumn(p, m.schedules.View, m.schedules.Load)
	case pageTools:
		m.tools = toolpage.NewPage(h, w.parts.tools)
		m.addColumn(p, m.tools.View, m.tools.Load)
	case pageSettings:
		m.settings = settings.NewPage(h, w.parts.forSettings(w.commands.actions()), m.writer)
		m.addColumn(p, m.settings.View, m.settings.Load)
	case pageVitals:
		m.details = vitals.NewPage(h, w.parts.vitals, w.parts.loaded)
		m.addColumn(p, m.details.View, w.sampleDetails)
	}
}

// showPage shows a page. The current page is left for the chat.
func (w *Window) showPage(p page) {
	if p == w.panes.page && p != pageChat {
		p = pageChat
	}
	w.panes.page = p
	w.setup.View.Offset = 0
	w.side.mark(p)
	w.library.Draw()
	w.root.closeDrawer()
	if _, made := w.panes.views[p]; !made {
		w.makePage(p)
	}
	w.panes.show()
	w.sampleDetails()
	if p == pageChat {
		w.chat.Head.ForPage(false, "")
		w.chat.DrawHeader()
		w.chat.Focus()
	} else {
		if c := w.win.Canvas(); c.Focused() == fyne.Focusable(w.chat.Compose.Entry) {
			c.Unfocus() // the composer is hidden now
		}
		w.chat.Slash.Close()
		w.chat.Head.ForPage(true, p.title())
		w.panes.load()
	}
	w.watchOpenFile()
	w.root.middle.Refresh()
}

// goToPage shows a page from the sidebar, or leaves it for the chat.
func (w *Window) goToPage(p page) {
	w.showPage(p)
	if w.panes.page == pageTranscript {
		readerHost{windowHost{w}}.showCurrent()
	}
}

// ShowSettings opens the settings.
func (w *Window) ShowSettings() {
	if w.panes.page != pageSettings {
		w.showPage(pageSettings)
	}
}

// ShowVitals opens the vitals page.
func (w *Window) ShowVitals() {
	if w.panes.page != pageVitals {
		w.showPage(pageVitals)
	}
}

// openVitals opens the vitals page at a metric of the strip, or closes it.
func (w *Window) openVitals(metric monitor.Metric) {
	w.showPage(pageVitals)
	if w.panes.page == pageVitals && metric != "" {
		w.panes.details.Reveal(metric)
	}
}

// sampleDetails samples what the vitals page needs while it is visible, and no longer.
func (w *Window) sampleDetails() {
	if w.panes.details != nil {
		shown := w.visible && w.panes.page == pageVitals
		w.vitals.samples.Detailed.Store(shown)
		w.panes.details.Sample(shown)
	}
}

func (w *Window) drawVitals() {
	s := w.vitals.samples.Latest()
	if s == nil || !w.visible {
		return
	}
	w.vitals.Update(vitals.Readings(*s), w.parts.vitals.Series)
	if w.panes.details != nil {
		w.panes.details.Update()
	}
}

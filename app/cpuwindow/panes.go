package cpuwindow

import (
	"context"

	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/cpuwindow/pages"
	"mac-stats/app/cpuwindow/schedules"
	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/cpuwindow/toolpage"
	"mac-stats/app/cpuwindow/vitals"
	"mac-stats/app/ui/column"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// pageView is a page as the window shows it.
type pageView struct {
	hidden *bool
	load   func()                    // reads what it shows
	ports  func() []*column.Viewport // that scroll
}

// made are the pages that were shown once. Those others ask for by name have a field.
type made struct {
	stack     *fyne.Container // chat and pages, one of them shown
	views     map[page]pageView
	memory    *pages.Memory
	roster    *pages.Agents
	models    *models.Page
	schedules *schedules.Page
	tools     *toolpage.Page
	settings  *settings.Page
	details   *vitals.Page
}

// add puts a page in its place.
func (m *made) add(p page, o fyne.CanvasObject, v pageView) {
	m.stack.Add(o)
	m.views[p] = v
}

// addColumn is add for a page that is one column.
func (m *made) addColumn(p page, c *column.Viewport, load func()) {
	m.add(p, c, pageView{&c.Hidden, load, func() []*column.Viewport { return []*column.Viewport{c} }})
}

// show shows a page and hides the others; chat: the chat's.
func (m *made) show(p page) {
	for name, v := range m.views {
		*v.hidden = name != p
	}
}

// showPane shows the pane of a page, made at the first time, and hides the others.
func (w *Window) showPane(p page) {
	if _, there := w.made.views[p]; !there {
		w.makePage(p)
	}
	w.made.show(p)
}

// makePage makes a page that was not shown yet.
func (w *Window) makePage(p page) {
	m, h := &w.made, pageHost{windowHost{w}}
	switch p {
	case pageMemory:
		m.memory = pages.NewMemory(h, w.pageParts(), w.edits)
		m.add(p, m.memory.Object, pageView{&m.memory.Object.Hidden, m.memory.Load, m.memory.Ports})
	case pageAgents:
		m.roster = pages.NewAgents(h, w.pageParts(), w.edits)
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
		m.settings = settings.NewPage(h, w.settingsParts(), w.writer)
		m.addColumn(p, m.settings.View, m.settings.Load)
	case pageVitals:
		m.details = vitals.NewPage(h, w.parts.vitals)
		m.addColumn(p, m.details.View, w.showDetails)
	}
}

// firstPages are those that are there from the start: chat, first run, viewer.
func (w *Window) firstPages() {
	w.made = made{stack: container.NewStack(), views: map[page]pageView{}}
	chat, reader := w.chat.Object, w.reader.Object
	w.made.add(pageChat, chat, pageView{&chat.Hidden, nil, func() []*column.Viewport { return []*column.Viewport{w.chat.View.Port} }})
	w.made.addColumn(pageWelcome, w.setup.View, w.setup.Draw)
	w.made.add(pageTranscript, reader, pageView{&reader.Hidden, nil, func() []*column.Viewport { return []*column.Viewport{w.reader.Rows.Port} }})
	w.made.show(pageChat)
}

// KeepEdits writes down what was edited and not saved, and what was written and not
// sent; it returns when that is on disk. It is called on the UI goroutine, or when
// there is none any more.
func (w *Window) KeepEdits() {
	w.chats().WriteDrafts()
	w.edits.Flush()
}

// pageParts is what the pages of the memory and the agents work on.
func (w *Window) pageParts() pages.Parts {
	return pages.Parts{
		Memories: w.parts.memories, Roster: w.parts.roster, Sessions: trialSessions{w.parts.sessions, w.parts.library}, Start: w.parts.turns.Start,
		Config: w.parts.config, Set: w.parts.set, Decided: w.parts.decided, Logger: w.parts.logger, Home: w.parts.home,
	}
}

// trialSessions is where prompts are tried on agents.
type trialSessions struct {
	store
	library actions
}

// Delete implements pages.Sessions.
func (s trialSessions) Delete(ctx context.Context, name string) error {
	return s.library.Delete(ctx, name)
}

// settingsParts is what the settings work on.
func (w *Window) settingsParts() settings.Parts {
	notices := func() []settings.Notice {
		var list []settings.Notice
		for _, n := range w.parts.notices() {
			list = append(list, settings.Notice{Text: schedules.Told(n.Text), Next: schedules.Told(n.Next)})
		}
		return list
	}
	return settings.Parts{
		Config: w.parts.config, Started: w.parts.started, Environ: w.parts.environ, Notices: notices, Import: w.parts.imports, Actions: w.shortcutActions(),
		Index: w.parts.recaller, Discord: w.parts.discord, Home: w.parts.home, File: w.parts.conffile, Version: w.parts.version,
	}
}

package cpuwindow

import (
	"context"

	"mac-stats/app/cpuwindow/models"
	"mac-stats/app/cpuwindow/pages"
	"mac-stats/app/cpuwindow/schedules"
	"mac-stats/app/cpuwindow/settings"
	"mac-stats/app/cpuwindow/toolpage"
	"mac-stats/app/cpuwindow/vitals"
)

// showPane shows the pane of a page, made at the first time, and hides the others.
func (w *Window) showPane(p page) {
	switch {
	case p == pageMemory && w.memory == nil:
		w.memory = pages.NewMemory(windowHost{w}, w.pageParts(), w.edits)
		w.panes.Add(w.memory.Object)
	case p == pageAgents && w.roster == nil:
		w.roster = pages.NewAgents(windowHost{w}, w.pageParts(), w.edits)
		w.panes.Add(w.roster.Object)
	case p == pageModels && w.models == nil:
		w.models = models.NewPage(windowHost{w}, w.parts.server, w.setup.Puller)
		w.panes.Add(w.models.View)
	case p == pageSchedules && w.schedules == nil:
		w.schedules = schedules.NewPage(windowHost{w}, w.parts.schedules)
		w.panes.Add(w.schedules.View)
	case p == pageTools && w.tools == nil:
		w.tools = toolpage.NewPage(windowHost{w}, w.parts.tools)
		w.panes.Add(w.tools.View)
	case p == pageSettings && w.settings == nil:
		w.settings = settings.NewPage(windowHost{w}, w.settingsParts(), w.writer)
		w.panes.Add(w.settings.View)
	case p == pageVitals && w.details == nil:
		w.details = vitals.NewPage(windowHost{w}, w.parts.vitals)
		w.panes.Add(w.details.View)
	}
	if w.details != nil {
		w.details.View.Hidden = p != pageVitals
	}
	if w.memory != nil {
		w.memory.Object.Hidden = p != pageMemory
	}
	if w.roster != nil {
		w.roster.Object.Hidden = p != pageAgents
	}
	if w.models != nil {
		w.models.View.Hidden = p != pageModels
	}
	if w.schedules != nil {
		w.schedules.View.Hidden = p != pageSchedules
	}
	if w.tools != nil {
		w.tools.View.Hidden = p != pageTools
	}
	w.reader.Object.Hidden = p != pageTranscript
	if w.settings != nil {
		w.settings.View.Hidden = p != pageSettings
	}
	w.setup.View.Hidden = p != pageWelcome
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

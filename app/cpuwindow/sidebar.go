package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// sidebar holds the session list and the buttons of the other pages.
type sidebar struct {
	*sessions.List
	object fyne.CanvasObject
	scroll *container.Scroll
	stops  []fyne.CanvasObject // of Tab, in this order
	pages  map[page]*kit.Button
	fresh  *kit.Button
	find   *kit.Button
}

// leastList is the least height of the list. In a window too low for it and the pages, all of the
// sidebar scrolls.
const leastList float32 = 100

func newSidebar(newChat, search func(), list *sessions.List, goTo func(page)) *sidebar {
	s := &sidebar{List: list, pages: map[page]*kit.Button{}}
	chat := kit.NewButton(kit.ButtonPlain, i18n.T("New chat"), newChat)
	chat.PadY, chat.PadX = 6, 10
	find := kit.NewButton(kit.ButtonPlain, i18n.T("Search"), search)
	find.PadY, find.PadX, find.Tone = 6, 10, kit.RoleMuted
	s.fresh, s.find = chat, find
	s.stops = []fyne.CanvasObject{chat, find, list.Port}
	foot := kit.Stack(0, kit.Inset(0, kit.Gap8, 0, 0, kit.Hairline()))
	for _, p := range []struct {
		page page
		text string
	}{{pageMemory, i18n.T("Memory")}, {pageAgents, i18n.T("Agents")}, {pageTranscript, i18n.T("Transcript")}, {pageModels, i18n.T("Models")}, {pageSchedules, i18n.T("Schedules")}, {pageTools, i18n.T("Tools")}, {pageSettings, i18n.T("Settings")}} {
		b := kit.NewButton(kit.ButtonRow, p.text, func() { goTo(p.page) })
		s.pages[p.page] = b
		s.stops = append(s.stops, b)
		foot.Add(b)
	}
	top, bottom := kit.Inset(kit.Gap12, kit.Gap4, kit.Gap8, kit.Gap8, kit.Stack(kit.Gap8, chat, find)), kit.Inset(kit.Gap4, kit.Gap12, kit.Gap8, kit.Gap8, foot)
	rows := kit.Sized(list.Port, 0, leastList)
	inner := container.New(layout.NewBorderLayout(top, bottom, nil, nil), top, rows, bottom) // in the order of Tab
	s.scroll = container.NewVScroll(inner)
	list.Port.Outer = s.scroll
	s.object = container.NewStack(kit.NewSurface(kit.RolePanel, kit.RoleNone, 0), kit.LineRight(s.scroll))
	return s
}

func (s *sidebar) mark(p page) {
	for name, b := range s.pages {
		b.SetSelected(name == p)
	}
}

// showShortcuts shows the shortcuts of the buttons on them.
func (s *sidebar) showShortcuts(c config.Config) {
	s.fresh.Trailing, s.find.Trailing = shortcuts.First(c, "new_chat"), shortcuts.First(c, "search")
	s.fresh.Refresh()
	s.find.Refresh()
}

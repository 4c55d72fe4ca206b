package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"mac-stats/app/config"
	"mac-stats/app/i18n"
)

// page is what the middle of the window shows.
type page string

const (
	pageChat     page = "chat"
	pageMemory   page = "memory"
	pageAgents   page = "agents"
	pageSettings page = "settings"

	pageTranscript page = "transcript"
	pageVitals     page = "vitals"
)

// sidebar is the session list and the ways to the other pages.
type sidebar struct {
	*sessionList
	object fyne.CanvasObject
	pages  map[page]*button
	fresh  *button
	find   *button
}

func newSidebar(newChat, search func(), list *sessionList, goTo func(page)) *sidebar {
	s := &sidebar{sessionList: list, pages: map[page]*button{}}
	chat := newButton(buttonPlain, i18n.T("New chat"), newChat)
	chat.padY, chat.padX = 6, 10
	find := newButton(buttonPlain, i18n.T("Search"), search)
	find.padY, find.padX, find.tone = 6, 10, roleMuted
	s.fresh, s.find = chat, find
	foot := stack(0, inset(0, gap8, 0, 0, hairline()))
	for _, p := range []struct {
		page page
		text string
	}{{pageTranscript, i18n.T("Transcript")}, {pageMemory, i18n.T("Memory")}, {pageAgents, i18n.T("Agents")}, {pageSettings, i18n.T("Settings")}} {
		b := newButton(buttonRow, p.text, func() { goTo(p.page) })
		s.pages[p.page] = b
		foot.Add(b)
	}
	top, bottom := inset(gap12, gap4, gap8, gap8, stack(gap8, chat, find)), inset(gap4, gap12, gap8, gap8, foot)
	inner := container.New(layout.NewBorderLayout(top, bottom, nil, nil), top, list.port, bottom) // in the order of Tab
	s.object = container.NewStack(newSurface(rolePanel, roleNone, 0), lineRight(inner))
	return s
}

func (s *sidebar) mark(p page) {
	for name, b := range s.pages {
		b.setSelected(name == p)
	}
}

// wordShortcuts says on the buttons what their shortcuts are.
func (s *sidebar) wordShortcuts(c config.Config) {
	s.fresh.trailing, s.find.trailing = firstShortcut(c, "new_chat"), firstShortcut(c, "search")
	s.fresh.Refresh()
	s.find.Refresh()
}

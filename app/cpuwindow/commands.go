package cpuwindow

import (
	"runtime"
	"strconv"

	"fyne.io/fyne/v2"

	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/sessions"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/i18n"
	"mac-stats/sessionmem/wordsearch"
)

// commands runs what the user asks of the window by shortcut, by the menu bar of macOS or by
// a slash in the message.
type commands struct {
	w        *Window
	keys     shortcuts.Bindings
	list     *shortcuts.List    // the list of shortcuts; nil while closed
	switcher *sessions.Switcher // the search; nil while closed
}

// actions returns the actions that can have a shortcut, in the order of config.toml.
func (c *commands) actions() []shortcuts.Action {
	w := c.w
	page := func(p page) func() {
		return func() {
			if w.panes.page != p {
				w.goToPage(p)
			}
		}
	}
	return []shortcuts.Action{
		{Name: "new_chat", Title: "New chat", Run: w.chat.NewChat},
		{Name: "new_private_chat", Title: "New private chat", Run: w.chat.NewPrivateChat},
		{Name: "search", Title: "Search conversations", Run: c.openSwitcher},
		{Name: "find", Title: "Find in what is shown", Run: c.find},
		{Name: "write", Title: "Write a message", Run: w.chat.FocusChat},
		{Name: "answer_again", Title: "Answer again", Run: w.chat.Regenerate},
		{Name: "stop", Title: "Stop", Run: w.chat.Stop},
		{Name: "next_session", Title: "Next conversation", Run: func() { c.switchSession(1) }},
		{Name: "previous_session", Title: "Previous conversation", Run: func() { c.switchSession(-1) }},
		{Name: "chat", Title: "Chat", Run: w.chat.FocusChat},
		{Name: "memory", Title: "Memory", Run: page(pageMemory)},
		{Name: "agents", Title: "Agents", Run: page(pageAgents)},
		{Name: "transcript", Title: "Transcripts", Run: page(pageTranscript)},
		{Name: "models", Title: "Models", Run: page(pageModels)},
		{Name: "schedules", Title: "Schedules", Run: page(pageSchedules)},
		{Name: "tools", Title: "Tools", Run: page(pageTools)},
		{Name: "settings", Title: "Settings", Run: w.ShowSettings},
		{Name: "zoom_in", Title: "Zoom in", Run: func() { c.zoomBy(1) }},
		{Name: "zoom_out", Title: "Zoom out", Run: func() { c.zoomBy(-1) }},
		{Name: "zoom_reset", Title: "Actual size", Run: func() { c.zoomTo(100) }},
		{Name: "pin_on_top", Title: "Keep on top", Run: c.togglePin},
		{Name: "shortcuts", Title: "List the shortcuts", Run: c.toggleList},
		{Name: "close", Title: "Close the window", Run: w.onClose},
		{Name: "quit", Title: "Quit", Run: w.quit},
	}
}

// bind binds the shortcuts of a configuration, unless they are bound already.
func (c *commands) bind(now config.Config) {
	canvas := c.w.win.Canvas()
	if !c.keys.Bind(canvas, c.actions(), now) {
		return
	}
	host := rootHost{windowHost{c.w}}
	canvas.SetOnTypedRune(host.Typed)
	canvas.SetOnTypedKey(func(k *fyne.KeyEvent) {
		if k.Name == fyne.KeyEscape {
			host.Escape()
			return
		}
		c.keys.RunKey(k)
	})
	c.w.side.showShortcuts(now)
	if runtime.GOOS == "darwin" {
		c.w.win.SetMainMenu(c.mainMenu())
	}
}

// toggleList opens or closes the list of shortcuts.
func (c *commands) toggleList() {
	if c.list != nil {
		c.list.Close()
		return
	}
	c.closeSwitcher()
	c.list = shortcuts.Open(rootHost{windowHost{c.w}}, c.actions(), c.w.parts.config(), func() {
		c.list = nil
		c.w.chat.Focus()
	})
}

// openSwitcher opens or closes the search over the window.
func (c *commands) openSwitcher() {
	if c.switcher != nil {
		c.switcher.Close()
		return
	}
	host := windowHost{c.w}
	c.switcher = sessions.OpenSwitcher(host, sessions.Search{
		Finder: c.w.parts.finder, Related: c.w.parts.recaller.Related, Infos: c.w.library.Infos,
	}, func(h wordsearch.Hit, query string) { host.openAt(h.Info, h.Block, query) }, func() { c.switcher = nil })
}

func (c *commands) closeSwitcher() {
	if c.switcher != nil {
		c.switcher.Close()
	}
}

// find opens the find bar of the viewer if that is shown, otherwise of the chat.
func (c *commands) find() {
	w := c.w
	if w.panes.page == pageTranscript {
		w.panes.reader.Find()
		return
	}
	if w.root.closeDrawer(); w.panes.page != pageChat {
		w.showPage(pageChat)
	}
	w.chat.Find.Show()
}

// switchSession shows the session by places further down the list, wrapping around.
func (c *commands) switchSession(by int) {
	if name := c.w.library.Neighbour(c.w.chats().Shown().Name, by); name != "" {
		c.w.OpenSession(name)
	}
}

func (c *commands) zoomBy(steps int) {
	c.zoomTo(nextZoom(c.w.parts.config().Window.Zoom, steps))
}

func (c *commands) zoomTo(percent int) {
	c.w.panes.writer.Set("window.zoom", strconv.Itoa(percent), nil)
}

func (c *commands) togglePin() {
	on := !c.w.parts.config().Window.OnTop
	c.w.panes.writer.Set("window.on_top", strconv.FormatBool(on), func(err error) {
		if err == nil && !on {
			c.w.notices.Show(i18n.T("The window stays on top until mac-stats restarts"), "")
		}
	})
}

// mainMenu returns the menu bar of macOS.
func (c *commands) mainMenu() *fyne.MainMenu {
	now := c.w.parts.config()
	actions := map[string]shortcuts.Action{}
	for _, a := range c.actions() {
		actions[a.Name] = a
	}
	item := func(label, name string) *fyne.MenuItem {
		m := fyne.NewMenuItem(label, actions[name].Run)
		if list := shortcuts.Of(now, name); len(list) > 0 {
			m.Shortcut = &shortcuts.Keys(list[0], runtime.GOOS)[0]
		}
		return m
	}
	edit := func(label string, s fyne.Shortcut) *fyne.MenuItem {
		m := fyne.NewMenuItem(label, func() {
			if f, ok := c.w.win.Canvas().Focused().(fyne.Shortcutable); ok {
				f.TypedShortcut(s)
			}
		})
		m.Shortcut = s
		return m
	}
	clip, gap := c.w.p.App.Clipboard(), fyne.NewMenuItemSeparator
	return fyne.NewMainMenu(
		fyne.NewMenu(i18n.T("File"), item(i18n.T("New Chat"), "new_chat"), item(i18n.T("New Private Chat"), "new_private_chat"), item(i18n.T("Close"), "close"), gap(), item(i18n.T("Settings…"), "settings")),
		fyne.NewMenu(i18n.T("Edit"), edit(i18n.T("Undo"), &fyne.ShortcutUndo{}), edit(i18n.T("Redo"), &fyne.ShortcutRedo{}), gap(), edit(i18n.T("Cut"), &fyne.ShortcutCut{Clipboard: clip}), edit(i18n.T("Copy"), &fyne.ShortcutCopy{Clipboard: clip}), edit(i18n.T("Paste"), &fyne.ShortcutPaste{Clipboard: clip}), edit(i18n.T("Select All"), &fyne.ShortcutSelectAll{})),
		fyne.NewMenu(i18n.T("Chat"), item(i18n.T("Answer Again"), "answer_again"), item(i18n.T("Stop"), "stop"), item(i18n.T("Write"), "write"), gap(), item(i18n.T("Search…"), "search"), item(i18n.T("Find…"), "find")),
		fyne.NewMenu(i18n.T("View"), item(i18n.T("Zoom In"), "zoom_in"), item(i18n.T("Zoom Out"), "zoom_out"), item(i18n.T("Actual Size"), "zoom_reset"), gap(), item(i18n.T("Keep on Top"), "pin_on_top")),
		fyne.NewMenu(i18n.T("Help"), item(i18n.T("Shortcuts"), "shortcuts")),
	)
}

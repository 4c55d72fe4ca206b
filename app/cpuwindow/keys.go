package cpuwindow

import (
	"runtime"
	"strconv"

	"fyne.io/fyne/v2"

	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/appearance"
	"mac-stats/app/cpuwindow/header"
	"mac-stats/app/cpuwindow/shortcuts"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// shortcutActions are all of them, in the order of config.toml.
func (w *Window) shortcutActions() []shortcuts.Action {
	page := func(p page) func() {
		return func() {
			if w.page != p {
				w.goToPage(p)
			}
		}
	}
	return []shortcuts.Action{
		{Name: "new_chat", Title: "New chat", Run: w.chat.NewChat},
		{Name: "new_private_chat", Title: "New private chat", Run: w.chat.NewPrivateChat},
		{Name: "search", Title: "Search conversations", Run: w.openSwitcher},
		{Name: "find", Title: "Find in what is shown", Run: w.findInside},
		{Name: "write", Title: "Write a message", Run: w.chat.FocusChat},
		{Name: "answer_again", Title: "Answer again", Run: w.chat.Regenerate},
		{Name: "stop", Title: "Stop", Run: w.chat.Stop},
		{Name: "next_session", Title: "Next conversation", Run: func() { w.switchSession(1) }},
		{Name: "previous_session", Title: "Previous conversation", Run: func() { w.switchSession(-1) }},
		{Name: "chat", Title: "Chat", Run: w.chat.FocusChat},
		{Name: "memory", Title: "Memory", Run: page(pageMemory)},
		{Name: "agents", Title: "Agents", Run: page(pageAgents)},
		{Name: "models", Title: "Models", Run: page(pageModels)},
		{Name: "schedules", Title: "Schedules", Run: page(pageSchedules)},
		{Name: "tools", Title: "Tools", Run: page(pageTools)},
		{Name: "transcript", Title: "Transcripts", Run: page(pageTranscript)},
		{Name: "settings", Title: "Settings", Run: w.ShowSettings},
		{Name: "zoom_in", Title: "Zoom in", Run: w.zoomIn},
		{Name: "zoom_out", Title: "Zoom out", Run: w.zoomOut},
		{Name: "zoom_reset", Title: "Actual size", Run: w.zoomReset},
		{Name: "pin_on_top", Title: "Keep on top", Run: w.togglePin},
		{Name: "shortcuts", Title: "List the shortcuts", Run: w.listShortcuts},
		{Name: "close", Title: "Close the window", Run: w.onClose},
		{Name: "quit", Title: "Quit", Run: w.quit},
	}
}

// bindKeys gives the window's shortcuts to the screen; it may be called again after
// a change.
func (w *Window) bindKeys(now config.Config) {
	canvas := w.win.Canvas()
	if !w.keys.Bind(canvas, w.shortcutActions(), now) {
		return
	}
	canvas.SetOnTypedRune(rootHost{windowHost{w}}.Typed)
	canvas.SetOnTypedKey(func(k *fyne.KeyEvent) {
		if k.Name == fyne.KeyEscape {
			w.escape()
			return
		}
		w.keys.RunKey(k)
	})
	w.side.wordShortcuts(now)
	if runtime.GOOS == "darwin" {
		w.win.SetMainMenu(w.mainMenu())
	}
}

// listShortcuts opens the list of the shortcuts, or closes it.
func (w *Window) listShortcuts() {
	if w.shortcuts != nil {
		w.shortcuts.Close()
		return
	}
	w.closeSwitcher()
	w.shortcuts = shortcuts.Open(rootHost{windowHost{w}}, w.shortcutActions(), w.parts.config(), func() {
		w.shortcuts = nil
		w.chat.Focus()
	})
}

func (w *Window) quit() {
	w.look.Keep()
	w.KeepEdits()
	w.p.OnQuit()
}

// LeaveDemo implements chatpane.Host: it offers the way out of the demo.
func (w chatHost) LeaveDemo() {
	var own func()
	if w.p.OnOwn != nil {
		own = func() {
			w.look.Keep()
			w.KeepEdits()
			w.p.OnOwn()
		}
	}
	kit.ShowMenu(header.DemoMenu(own, w.quit), w.chat.Head.Demo, w.win.Canvas())
}

// Demo implements setup.Host.
func (w setupHost) Demo() func() {
	if w.p.OnDemo == nil {
		return nil
	}
	return func() { w.p.OnDemo(w.page != pageWelcome) }
}

// mainMenu is the menu bar of macOS.
func (w *Window) mainMenu() *fyne.MainMenu {
	now := w.parts.config()
	actions := map[string]shortcuts.Action{}
	for _, a := range w.shortcutActions() {
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
			if f, ok := w.win.Canvas().Focused().(fyne.Shortcutable); ok {
				f.TypedShortcut(s)
			}
		})
		m.Shortcut = s
		return m
	}
	clip, gap := w.p.App.Clipboard(), fyne.NewMenuItemSeparator
	return fyne.NewMainMenu(
		fyne.NewMenu(i18n.T("File"), item(i18n.T("New Chat"), "new_chat"), item(i18n.T("New Private Chat"), "new_private_chat"), item(i18n.T("Close"), "close"), gap(), item(i18n.T("Settings…"), "settings")),
		fyne.NewMenu(i18n.T("Edit"), edit(i18n.T("Undo"), &fyne.ShortcutUndo{}), edit(i18n.T("Redo"), &fyne.ShortcutRedo{}), gap(), edit(i18n.T("Cut"), &fyne.ShortcutCut{Clipboard: clip}), edit(i18n.T("Copy"), &fyne.ShortcutCopy{Clipboard: clip}), edit(i18n.T("Paste"), &fyne.ShortcutPaste{Clipboard: clip}), edit(i18n.T("Select All"), &fyne.ShortcutSelectAll{})),
		fyne.NewMenu(i18n.T("Chat"), item(i18n.T("Answer Again"), "answer_again"), item(i18n.T("Stop"), "stop"), item(i18n.T("Write"), "write"), gap(), item(i18n.T("Search…"), "search"), item(i18n.T("Find…"), "find")),
		fyne.NewMenu(i18n.T("View"), item(i18n.T("Zoom In"), "zoom_in"), item(i18n.T("Zoom Out"), "zoom_out"), item(i18n.T("Actual Size"), "zoom_reset"), gap(), item(i18n.T("Keep on Top"), "pin_on_top")),
		fyne.NewMenu(i18n.T("Help"), item(i18n.T("Shortcuts"), "shortcuts")),
	)
}

func (w *Window) zoomIn()    { w.zoomTo(appearance.NextZoom(w.parts.config().Window.Zoom, 1)) }
func (w *Window) zoomOut()   { w.zoomTo(appearance.NextZoom(w.parts.config().Window.Zoom, -1)) }
func (w *Window) zoomReset() { w.zoomTo(100) }

func (w *Window) zoomTo(percent int) { w.writer.Set("window.zoom", strconv.Itoa(percent), nil) }

func (w *Window) togglePin() {
	on := !w.parts.config().Window.OnTop
	w.writer.Set("window.on_top", strconv.FormatBool(on), func(err error) {
		if err == nil && !on {
			w.tell(i18n.T("The window stays on top until mac-stats restarts"), "")
		}
	})
}

// followConfig takes over how the window looks and which keys do what; it costs
// nothing where neither changed.
func (w *Window) followConfig() {
	c := w.parts.config()
	w.look.Follow(c.Window, w.visible)
	w.bindKeys(c)
}

package cpuwindow

import (
	"runtime"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/config"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// action is something of the window with a shortcut: [shortcuts] of config.toml
// holds one key for each.
type action struct {
	name  string // "new_chat"
	title string
	run   func()
}

// shortcutActions are all of them, in the order of config.toml.
func (w *Window) shortcutActions() []action {
	page := func(p page) func() {
		return func() {
			if w.page != p {
				w.goToPage(p)
			}
		}
	}
	return []action{
		{"new_chat", "New chat", w.NewChat},
		{"new_private_chat", "New private chat", w.NewPrivateChat},
		{"search", "Search conversations", w.openSwitcher},
		{"find", "Find in what is shown", w.findInside},
		{"write", "Write a message", w.focusChat},
		{"answer_again", "Answer again", w.regenerate},
		{"stop", "Stop", w.stop},
		{"next_session", "Next conversation", func() { w.switchSession(1) }},
		{"previous_session", "Previous conversation", func() { w.switchSession(-1) }},
		{"chat", "Chat", w.focusChat},
		{"memory", "Memory", page(pageMemory)},
		{"agents", "Agents", page(pageAgents)},
		{"transcript", "Transcripts", page(pageTranscript)},
		{"settings", "Settings", w.ShowSettings},
		{"zoom_in", "Zoom in", w.zoomIn},
		{"zoom_out", "Zoom out", w.zoomOut},
		{"zoom_reset", "Usual size", w.zoomReset},
		{"pin_on_top", "Keep on top", w.togglePin},
		{"shortcuts", "List the shortcuts", w.listShortcuts},
		{"close", "Close the window", w.onClose},
		{"quit", "Quit", w.quit},
	}
}

// shortcutsOf are an action's shortcuts in a configuration.
func shortcutsOf(c config.Config, name string) []config.Shortcut {
	s, ok := config.Lookup("shortcuts." + name)
	if !ok {
		return nil
	}
	list, err := config.ParseShortcuts(s.Value(c))
	if err != nil {
		return nil // config has told of it and uses the default
	}
	return list
}

// keysOf are the keys of Fyne that a shortcut is.
func keysOf(s config.Shortcut, goos string) []desktop.CustomShortcut {
	s = s.Same(goos)
	var m fyne.KeyModifier
	for mod, on := range map[fyne.KeyModifier]bool{
		fyne.KeyModifierControl: s.Ctrl, fyne.KeyModifierAlt: s.Alt, fyne.KeyModifierShift: s.Shift, fyne.KeyModifierSuper: s.Cmd,
	} {
		if on {
			m |= mod
		}
	}
	list := []desktop.CustomShortcut{{KeyName: keyNameOf(s), Modifier: m}}
	if s.Key == "Plus" { // on many keyboards Shift and another key
		list = append(list, desktop.CustomShortcut{KeyName: fyne.KeyEqual, Modifier: m | fyne.KeyModifierShift}, desktop.CustomShortcut{KeyName: fyne.KeyPlus, Modifier: m | fyne.KeyModifierShift})
	}
	return list
}

// keyNameOf is Fyne's name of a shortcut's key; most are the same.
func keyNameOf(s config.Shortcut) fyne.KeyName {
	switch s.Key {
	case "Enter":
		return fyne.KeyReturn
	case "PageUp":
		return fyne.KeyPageUp
	case "PageDown":
		return fyne.KeyPageDown
	}
	return fyne.KeyName(s.Sign())
}

// shortcutOf is the shortcut that keys of Fyne are; false where it can't be one.
func shortcutOf(key fyne.KeyName, m fyne.KeyModifier, goos string) (config.Shortcut, bool) {
	s := config.Shortcut{
		Ctrl: m&fyne.KeyModifierControl != 0, Alt: m&fyne.KeyModifierAlt != 0,
		Shift: m&fyne.KeyModifierShift != 0, Cmd: m&fyne.KeyModifierSuper != 0,
	}
	if goos == "darwin" && s.Cmd {
		s.Cmd, s.Mod = false, true
	} else if goos != "darwin" && s.Ctrl {
		s.Ctrl, s.Mod = false, true
	}
	name := string(key)
	switch key {
	case fyne.KeyReturn:
		name = "Enter"
	case fyne.KeyPageUp:
		name = "PageUp"
	case fyne.KeyPageDown:
		name = "PageDown"
	}
	s.Key = name
	list, err := config.ParseShortcuts(s.String())
	if err != nil || len(list) != 1 {
		return config.Shortcut{}, false
	}
	return list[0], true
}

// bindKeys gives the window's shortcuts to the screen; it may be called again after
// a change.
func (w *Window) bindKeys() {
	canvas := w.win.Canvas()
	for c := range w.bound {
		canvas.RemoveShortcut(&c)
	}
	w.bound = map[desktop.CustomShortcut]func(){}
	now := w.parts.config()
	for _, a := range w.shortcutActions() {
		for _, s := range shortcutsOf(now, a.name) {
			for _, k := range keysOf(s, runtime.GOOS) {
				if w.bound[k] == nil { // the first one keeps it: the settings tell of the conflict
					w.bound[k] = a.run
				}
			}
		}
	}
	for c := range w.bound {
		canvas.AddShortcut(&c, func(s fyne.Shortcut) { w.runShortcut(s) })
	}
	canvas.SetOnTypedRune(windowHost{w}.Typed)
	canvas.SetOnTypedKey(func(k *fyne.KeyEvent) {
		if k.Name == fyne.KeyEscape {
			w.escape()
			return
		}
		w.runKey(k)
	})
	w.side.wordShortcuts(now)
	if runtime.GOOS == "darwin" {
		w.win.SetMainMenu(w.mainMenu())
	}
}

// runShortcut runs a shortcut of the window; it reports whether it was one. Fyne
// gives shortcuts to the focused widget alone, so those hand them on.
func (w *Window) runShortcut(s fyne.Shortcut) bool {
	c, ok := s.(*desktop.CustomShortcut)
	if !ok {
		return false
	}
	f := w.bound[*c]
	if f != nil {
		f()
	}
	return f != nil
}

// runKey runs what a key without modifiers is bound to: F1 to F12. Fyne takes these
// for typing, and gives them to the focused widget.
func (w *Window) runKey(k *fyne.KeyEvent) bool {
	return w.runShortcut(&desktop.CustomShortcut{KeyName: k.Name})
}

func (w *Window) focusChat() {
	if w.page != pageChat {
		w.showPage(pageChat)
	}
	w.focusComposer()
}

func (w *Window) quit() {
	w.saveSize()
	w.KeepEdits()
	w.p.OnQuit()
}

// leaveDemo offers the way out of the demo.
func (w *Window) leaveDemo() {
	var own func()
	if w.p.OnOwn != nil {
		own = func() {
			w.saveSize()
			w.KeepEdits()
			w.p.OnOwn()
		}
	}
	kit.ShowMenu(demoMenu(own, w.quit), w.head.demo, w.win.Canvas())
}

// tryDemo is how the demo is started; nil where there is none.
func (w *Window) tryDemo() func() {
	if w.p.OnDemo == nil {
		return nil
	}
	return func() { w.p.OnDemo(w.page != pageWelcome) }
}

// mainMenu is the menu bar of macOS.
func (w *Window) mainMenu() *fyne.MainMenu {
	now := w.parts.config()
	actions := map[string]action{}
	for _, a := range w.shortcutActions() {
		actions[a.name] = a
	}
	item := func(label, name string) *fyne.MenuItem {
		m := fyne.NewMenuItem(label, actions[name].run)
		if list := shortcutsOf(now, name); len(list) > 0 {
			m.Shortcut = &keysOf(list[0], runtime.GOOS)[0]
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

// firstShortcut is an action's first shortcut as the platform writes it, or "".
func firstShortcut(c config.Config, name string) string {
	if list := shortcutsOf(c, name); len(list) > 0 {
		return list[0].Words(runtime.GOOS)
	}
	return ""
}

// shortcutConflicts names, for each setting of a shortcut, the other actions with
// the same keys.
func shortcutConflicts(c config.Config, actions []action, goos string) map[string]string {
	taken := map[config.Shortcut][]action{}
	for _, a := range actions {
		for _, s := range shortcutsOf(c, a.name) {
			taken[s.Same(goos)] = append(taken[s.Same(goos)], a)
		}
	}
	found := map[string]string{}
	for s, list := range taken {
		for _, a := range list {
			var others []string
			for _, b := range list {
				if b.name != a.name {
					others = append(others, "“"+i18n.T(b.title)+"”")
				}
			}
			if len(others) > 0 {
				found["shortcuts."+a.name] = i18n.With("{{.Keys}} is the shortcut of {{.Others}} too; the first in the list has it.", i18n.Places{"Keys": s.Words(goos), "Others": strings.Join(others, ", ")})
			}
		}
	}
	return found
}

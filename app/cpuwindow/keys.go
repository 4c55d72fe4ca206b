package cpuwindow

import (
	"runtime"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// The shortcuts people know from other chat apps, with Cmd on macOS and Ctrl
// elsewhere.
func (w *Window) keys() map[fyne.KeyName]func() {
	return map[fyne.KeyName]func(){
		fyne.KeyN:     w.NewChat,
		fyne.KeyL:     w.focusChat,
		fyne.KeyK:     w.openSwitcher,
		fyne.KeyF:     w.findInside,
		fyne.KeyR:     w.regenerate,
		fyne.KeyW:     w.onClose,
		fyne.KeyQ:     w.quit,
		fyne.KeyComma: w.ShowSettings,
	}
}

// chords are the shortcuts with modifiers of their own: those that switch sessions,
// as browsers switch tabs.
func (w *Window) chords() map[desktop.CustomShortcut]func() {
	before, after := func() { w.switchSession(-1) }, func() { w.switchSession(1) }
	return map[desktop.CustomShortcut]func(){
		{KeyName: fyne.KeyTab, Modifier: fyne.KeyModifierControl}:                         after,
		{KeyName: fyne.KeyTab, Modifier: fyne.KeyModifierControl | fyne.KeyModifierShift}: before,
		{KeyName: fyne.KeyRightBracket, Modifier: fyne.KeyModifierShortcutDefault}:        after,
		{KeyName: fyne.KeyLeftBracket, Modifier: fyne.KeyModifierShortcutDefault}:         before,
	}
}

func (w *Window) bindKeys() {
	for c := range w.chords() {
		w.win.Canvas().AddShortcut(&c, func(s fyne.Shortcut) { w.runShortcut(s) })
	}
	for name := range w.keys() {
		w.win.Canvas().AddShortcut(&desktop.CustomShortcut{KeyName: name, Modifier: fyne.KeyModifierShortcutDefault}, func(s fyne.Shortcut) { w.runShortcut(s) })
	}
	w.win.Canvas().AddShortcut(privateShortcut(), func(s fyne.Shortcut) { w.runShortcut(s) })
	w.win.Canvas().SetOnTypedKey(func(k *fyne.KeyEvent) {
		if k.Name == fyne.KeyEscape {
			w.stop()
		}
	})
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
	if c.ShortcutName() == privateShortcut().ShortcutName() {
		w.NewPrivateChat()
		return true
	}
	if f, ok := w.chords()[*c]; ok {
		f()
		return true
	}
	if c.Modifier != fyne.KeyModifierShortcutDefault {
		return false
	}
	f, ok := w.keys()[c.KeyName]
	if ok {
		f()
	}
	return ok
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
func (w *Window) leaveDemo() { showMenu(demoMenu(w.quit), w.head.demo, w.win.Canvas()) }

// mainMenu is the menu bar of macOS.
func (w *Window) mainMenu() *fyne.MainMenu {
	item := func(label string, key fyne.KeyName, f func()) *fyne.MenuItem {
		m := fyne.NewMenuItem(label, f)
		if key != "" {
			m.Shortcut = &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}
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
	clip := w.p.App.Clipboard()
	return fyne.NewMainMenu(
		fyne.NewMenu("File", item("New Chat", fyne.KeyN, w.NewChat), item("Close", fyne.KeyW, w.onClose), fyne.NewMenuItemSeparator(), item("Settings…", fyne.KeyComma, w.ShowSettings)),
		fyne.NewMenu("Edit", edit("Cut", &fyne.ShortcutCut{Clipboard: clip}), edit("Copy", &fyne.ShortcutCopy{Clipboard: clip}), edit("Paste", &fyne.ShortcutPaste{Clipboard: clip}), edit("Select All", &fyne.ShortcutSelectAll{})),
		fyne.NewMenu("Chat", item("Answer Again", fyne.KeyR, w.regenerate), item("Stop", "", w.stop), item("Write", fyne.KeyL, w.focusChat), fyne.NewMenuItemSeparator(), item("Search…", fyne.KeyK, w.openSwitcher), item("Find…", fyne.KeyF, w.findInside)),
	)
}

// shortcutWords names a shortcut as the platform writes it.
func shortcutWords(key string) string {
	if runtime.GOOS == "darwin" {
		return "⌘" + key
	}
	return "Ctrl+" + key
}

package cpuwindow

import (
	"cmp"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/app/config"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// shortcutList is every shortcut over the window, with a field to find one. Enter
// does what was found first.
type shortcutList struct {
	*kit.SearchCard
	w *Window
}

// The list's size, at most: as high as the window.
const (
	listWidth  float32 = 460
	listHeight float32 = 1e6
)

// listShortcuts opens the list, or closes it.
func (w *Window) listShortcuts() {
	if w.shortcuts != nil {
		w.closeShortcuts()
		return
	}
	w.closeSwitcher()
	hint := i18n.T("Change them in Settings, or in [shortcuts] of config.toml")
	l := &shortcutList{SearchCard: kit.NewSearchCard(hint, fyne.NewSize(listWidth, listHeight), w.closeShortcuts), w: w}
	l.Port.Pad, l.Port.Top, l.Port.Bottom = kit.Gap16, kit.Gap8, kit.Gap8
	l.OnKey = l.key
	l.Entry.OnShortcut = func(s fyne.Shortcut) bool {
		w.closeShortcuts()
		return w.runShortcut(s)
	}
	l.Port.OnShortcut = l.Entry.OnShortcut
	l.Entry.PlaceHolder = i18n.T("Search shortcuts")
	l.Entry.OnChanged = l.find
	w.shortcuts = l
	l.find("")
	l.Open(w.win.Canvas())
}

func (w *Window) closeShortcuts() {
	if w.shortcuts == nil {
		return
	}
	w.win.Canvas().Overlays().Remove(w.shortcuts.SearchCard)
	w.shortcuts = nil
	if w.page == pageChat {
		w.focusComposer()
	}
}

// key takes the keys that move in the list, and those that leave it.
func (l *shortcutList) key(k *fyne.KeyEvent) bool {
	switch k.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if found := l.found(l.Entry.Text); l.Entry.Text != "" && len(found) > 0 {
			l.w.closeShortcuts()
			found[0].run()
		}
		return true
	case fyne.KeyUp, fyne.KeyDown, fyne.KeyPageUp, fyne.KeyPageDown:
		l.Port.TypedKey(k)
		return true
	}
	if list, err := config.ParseShortcuts(string(k.Name)); err == nil && len(list) == 1 { // F1
		l.w.closeShortcuts()
		l.w.runKey(k)
		return true
	}
	return false
}

// found are the actions with every word of a query.
func (l *shortcutList) found(query string) []action {
	var list []action
	now := l.w.parts.config()
	for _, a := range l.w.shortcutActions() {
		text := strings.ToLower(i18n.T(a.title) + " " + firstShortcut(now, a.name))
		hit := true
		for _, word := range strings.Fields(strings.ToLower(query)) {
			hit = hit && strings.Contains(text, word)
		}
		if hit {
			list = append(list, a)
		}
	}
	return list
}

// find shows what a query finds; the keys that are fixed come last.
func (l *shortcutList) find(query string) {
	now := l.w.parts.config()
	var rows []*kit.Placed
	add := func(title, keys string) {
		k := kit.NewLabel(cmp.Or(keys, i18n.T("none")), kit.RoleMuted, kit.SizeMono)
		k.Style.Monospace = true
		rows = append(rows, &kit.Placed{Row: kit.NewBoxRow(kit.Line(kit.Gap12, 0, kit.Text(title).Squeezable(), k)), Gap: kit.Gap8})
	}
	for _, a := range l.found(query) {
		var keys []string
		for _, s := range shortcutsOf(now, a.name) {
			keys = append(keys, config.ShortcutWords(s.String()))
		}
		add(i18n.T(a.title), strings.Join(keys, "   "))
	}
	for _, f := range [][2]string{{i18n.T("Send"), "Enter"}, {i18n.T("New line"), "Shift+Enter"}, {i18n.T("Edit the last message, in an empty field"), "Up"}, {i18n.T("Stop the answer, leave a field"), "Esc"}, {i18n.T("Go on, go back"), "Tab   Shift+Tab"}, {i18n.T("Press what has the focus"), "Enter   Space"}} {
		if query == "" || strings.Contains(strings.ToLower(f[0]+" "+f[1]), strings.ToLower(query)) {
			add(f[0], f[1])
		}
	}
	l.Fill(rows)
}

package cpuwindow

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/config"
)

// shortcutList is every shortcut over the window, with a field to find one. Enter
// does what was found first.
type shortcutList struct {
	widget.BaseWidget
	entry *switcherEntry
	port  *viewport
	hint  *words
	card  *surface
	scrim *scrim
	rule  fyne.CanvasObject
	w     *Window
}

// listWidth is how wide the list is at most.
const listWidth float32 = 460

// listShortcuts opens the list, or closes it.
func (w *Window) listShortcuts() {
	if w.shortcuts != nil {
		w.closeShortcuts()
		return
	}
	w.closeSwitcher()
	l := &shortcutList{w: w, port: newViewport(), hint: smallWords(tr("Change them in Settings, or in [shortcuts] of config.toml")).squeezable(), card: newSurface(roleCard, roleLine, radiusBubble), scrim: newScrim(w.closeShortcuts), rule: hairline()}
	l.port.follow, l.port.fixed = false, true
	l.port.pad, l.port.top, l.port.bottom = gap16, gap8, gap8
	l.port.Disable()
	l.entry = &switcherEntry{onKey: l.key, onLeave: w.closeShortcuts, onShortcut: func(s fyne.Shortcut) bool {
		w.closeShortcuts()
		return w.runShortcut(s)
	}}
	l.entry.PlaceHolder = tr("Search shortcuts")
	l.entry.OnChanged = l.find
	l.entry.ExtendBaseWidget(l.entry)
	l.ExtendBaseWidget(l)
	w.shortcuts = l
	l.Resize(w.win.Canvas().Size())
	w.win.Canvas().Overlays().Add(l)
	l.find("")
	w.win.Canvas().Focus(l.entry)
}

func (w *Window) closeShortcuts() {
	if w.shortcuts == nil {
		return
	}
	w.win.Canvas().Overlays().Remove(w.shortcuts)
	w.shortcuts = nil
	if w.page == pageChat {
		w.focusComposer()
	}
}

// key takes the keys that move in the list, and those that leave it.
func (l *shortcutList) key(k *fyne.KeyEvent) bool {
	switch k.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if found := l.found(l.entry.Text); l.entry.Text != "" && len(found) > 0 {
			l.w.closeShortcuts()
			found[0].run()
		}
		return true
	case fyne.KeyUp, fyne.KeyDown, fyne.KeyPageUp, fyne.KeyPageDown:
		l.port.TypedKey(k)
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
		text := strings.ToLower(tr(a.title) + " " + firstShortcut(now, a.name))
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
	var rows []*placed
	add := func(title, keys string) {
		k := newWords(orElse(keys, tr("none")), roleMuted, sizeMono)
		k.style.Monospace = true
		rows = append(rows, &placed{row: newBoxRow(line(gap12, 0, textWords(title).squeezable(), k)), gap: gap8})
	}
	for _, a := range l.found(query) {
		var keys []string
		for _, s := range shortcutsOf(now, a.name) {
			keys = append(keys, config.ShortcutWords(s.String()))
		}
		add(tr(a.title), strings.Join(keys, "   "))
	}
	for _, f := range [][2]string{{tr("Send"), "Enter"}, {tr("New line"), "Shift+Enter"}, {tr("Edit the last message, in an empty field"), "Up"}, {tr("Stop the answer, leave a field"), "Esc"}, {tr("Go on, go back"), "Tab   Shift+Tab"}, {tr("Press what has the focus"), "Enter   Space"}} {
		if query == "" || strings.Contains(strings.ToLower(f[0]+" "+f[1]), strings.ToLower(query)) {
			add(f[0], f[1])
		}
	}
	l.port.offset = 0
	l.port.setRows(rows)
	l.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (l *shortcutList) CreateRenderer() fyne.WidgetRenderer { return &shortcutListRenderer{l} }

type shortcutListRenderer struct{ l *shortcutList }

func (r *shortcutListRenderer) Layout(s fyne.Size) {
	l := r.l
	l.scrim.Resize(s)
	w := min(listWidth, s.Width-2*gap16)
	x, top := (s.Width-w)/2, min(switcherTop, s.Height/10)
	field := l.entry.MinSize().Height
	l.entry.Move(fyne.NewPos(x+gap8, top+gap4))
	l.entry.Resize(fyne.NewSize(w-gap16, field))
	y := top + field + gap8
	l.rule.Move(fyne.NewPos(x, y))
	l.rule.Resize(fyne.NewSize(w, 1))
	foot := l.hint.MinSize().Height + gap16
	l.port.Resize(fyne.NewSize(w, 100)) // so that the rows know their width
	rows := max(0, min(l.port.total, s.Height-y-foot-gap20))
	l.port.Move(fyne.NewPos(x, y+1))
	l.port.Resize(fyne.NewSize(w, rows))
	y += 1 + rows
	l.hint.Move(fyne.NewPos(x+gap16, y+gap8))
	l.hint.Resize(fyne.NewSize(w-2*gap16, foot-gap16))
	l.card.Move(fyne.NewPos(x, top))
	l.card.Resize(fyne.NewSize(w, y+foot-top))
}
func (r *shortcutListRenderer) MinSize() fyne.Size { return fyne.Size{} }
func (r *shortcutListRenderer) Destroy()           {}
func (r *shortcutListRenderer) Refresh() {
	r.Layout(r.l.Size())
	for _, o := range r.Objects() {
		o.Refresh()
	}
}

func (r *shortcutListRenderer) Objects() []fyne.CanvasObject {
	l := r.l
	return []fyne.CanvasObject{l.scrim, l.card, l.entry, l.rule, l.port, l.hint}
}

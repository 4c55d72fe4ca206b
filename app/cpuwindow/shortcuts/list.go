package shortcuts

import (
	"cmp"
	"runtime"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/app/config"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/overlay"
)

// Host is what the list needs from the window it is over.
type Host interface {
	Canvas() fyne.Canvas
	RunKey(k *fyne.KeyEvent) bool
	RunShortcut(s fyne.Shortcut) bool
}

// List shows every shortcut over the window, with a field to search them. Enter runs the first
// action found.
type List struct {
	*overlay.SearchCard
	host    Host
	actions []Action
	now     config.Config
	close   func()
}

// The largest size of the list. It may be as high as the window.
const (
	listWidth  float32 = 460
	listHeight float32 = 1e6
)

// Open shows the list of actions with their shortcuts in the configuration now. It calls closed
// when the list closes.
func Open(h Host, actions []Action, now config.Config, closed func()) *List {
	l := &List{host: h, actions: actions, now: now}
	l.close = func() {
		h.Canvas().Overlays().Remove(l.SearchCard)
		closed()
	}
	hint := i18n.T("Change them in Settings or config.toml")
	l.SearchCard = overlay.NewSearchCard(hint, fyne.NewSize(listWidth, listHeight), l.close)
	l.Port.Pad, l.Port.Top, l.Port.Bottom = kit.Gap16, kit.Gap8, kit.Gap8
	l.OnKey = l.key
	l.Entry.OnShortcut = func(s fyne.Shortcut) bool {
		l.close()
		return h.RunShortcut(s)
	}
	l.Port.OnShortcut = l.Entry.OnShortcut
	l.Entry.PlaceHolder = i18n.T("Search shortcuts")
	l.Entry.OnChanged = l.find
	l.find("")
	l.Open(h.Canvas())
	return l
}

// Close closes the list.
func (l *List) Close() { l.close() }

// key handles the keys that scroll the list, and those that close it.
func (l *List) key(k *fyne.KeyEvent) bool {
	switch k.Name {
	case fyne.KeyReturn, fyne.KeyEnter:
		if found := l.found(l.Entry.Text); l.Entry.Text != "" && len(found) > 0 {
			l.close()
			found[0].Run()
		}
		return true
	case fyne.KeyUp, fyne.KeyDown, fyne.KeyPageUp, fyne.KeyPageDown:
		l.Port.TypedKey(k)
		return true
	}
	if list, err := config.ParseShortcuts(string(k.Name)); err == nil && len(list) == 1 { // F1
		l.close()
		l.host.RunKey(k)
		return true
	}
	return false
}

// found returns the actions that contain every word of a query.
func (l *List) found(query string) []Action {
	var list []Action
	for _, a := range l.actions {
		text := strings.ToLower(i18n.T(a.Title) + " " + First(l.now, a.Name))
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

// find shows the shortcuts that match a query. Fixed keys come last.
func (l *List) find(query string) {
	var rows []*column.Placed
	add := func(title, keys string) {
		k := kit.NewLabel(cmp.Or(keys, i18n.T("none")), kit.RoleMuted, kit.SizeMono)
		k.Style.Monospace = true
		rows = append(rows, &column.Placed{Row: column.NewBoxRow(kit.Line(kit.Gap12, 0, kit.Text(title).Squeezable(), k)), Gap: kit.Gap8})
	}
	for _, a := range l.found(query) {
		var keys []string
		for _, s := range Of(l.now, a.Name) {
			keys = append(keys, words(s, runtime.GOOS))
		}
		add(i18n.T(a.Title), strings.Join(keys, "   "))
	}
	for _, f := range [][2]string{{i18n.T("Send"), keyWords("Enter")}, {i18n.T("New line"), keyWords("Shift+Enter")}, {i18n.T("Edit the last message (in an empty field)"), keyWords("Up")}, {i18n.T("Stop the answer, leave a field"), "Esc"}, {i18n.T("Next, previous"), "Tab   " + keyWords("Shift+Tab")}, {i18n.T("Press the focused button"), keyWords("Enter") + "   " + keyWords("Space")}} {
		if query == "" || strings.Contains(strings.ToLower(f[0]+" "+f[1]), strings.ToLower(query)) {
			add(f[0], f[1])
		}
	}
	l.Fill(rows)
}

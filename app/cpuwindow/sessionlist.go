package cpuwindow

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
	"mac-stats/sessionmem"
)

// sessionListActions is what can be done with the sessions of the list.
type sessionListActions struct {
	open    func(in sessionmem.Info)
	menu    func(in sessionmem.Info, pinned bool) *fyne.Menu
	rename  func(in sessionmem.Info, title string)
	remove  func(in sessionmem.Info)
	archive func() // its group is opened or closed
	leave   func() // Esc: back to where one writes
	typed   func(r rune)
}

// sessionList is the sessions. It is one stop for Tab; in it, the arrow keys move a
// cursor. Only what is in sight is on the screen.
type sessionList struct {
	act     sessionListActions
	port    *kit.Viewport
	rows    map[string]*sessionRow // by key
	heads   map[string]kit.Row
	none    kit.Row // stands where there are no sessions
	lines   []sessionLine
	current string // name of the session that is shown
	at      int    // of its line, -1 where it is not there
	cursor  string // key
	focused bool
	editing string // key of the row whose title is edited
}

func newSessionList(act sessionListActions) *sessionList {
	l := &sessionList{act: act, port: kit.NewViewport(), rows: map[string]*sessionRow{}, heads: map[string]kit.Row{}, at: -1}
	l.none = kit.NewProse([]kit.Run{{Text: i18n.T("Your conversations appear here, as plain text files you can open.")}}, kit.SizeSmall, kit.RoleMuted)
	l.port.Follow, l.port.Fixed = false, true
	l.port.Pad, l.port.Top = kit.Gap8, kit.Gap8
	l.port.OnKey, l.port.OnRune = l.key, act.typed
	l.port.OnFocus = l.focus
	return l
}

// show draws the list; rows that are the same stay.
func (l *sessionList) show(lines []sessionLine, current string) {
	moved := current != l.current
	l.lines, l.current = lines, current
	rows, heads := make(map[string]*sessionRow, len(lines)), map[string]kit.Row{}
	column := make([]*kit.Placed, 0, len(lines)+1)
	for _, line := range lines {
		if line.heading != "" {
			heads[line.key] = l.headingRow(line)
			column = append(column, &kit.Placed{Row: heads[line.key], Gap: kit.Gap12, Indent: kit.Gap8})
			continue
		}
		r := l.rows[line.key]
		if r == nil {
			r = l.newRow(line.key)
		}
		rows[line.key] = r
		r.set(line, l.isCurrent(line), l.focused && line.key == l.cursor)
		column = append(column, &kit.Placed{Row: r, Gap: 2})
	}
	l.rows, l.heads = rows, heads
	if len(lines) == 0 {
		column = append(column, &kit.Placed{Row: l.none, Gap: kit.Gap12, Indent: kit.Gap8})
	}
	l.port.SetRows(column)
	at := slices.IndexFunc(lines, l.isCurrent)
	if at >= 0 && (moved || at != l.at) {
		l.port.RevealRow(rows[lines[at].key])
	}
	l.at = at
}

func (l *sessionList) isCurrent(line sessionLine) bool {
	return line.heading == "" && line.info.Name == l.current && !line.info.ReadOnly
}

func (l *sessionList) headingRow(line sessionLine) kit.Row {
	if !line.folds {
		if h, ok := l.heads[line.key]; ok {
			return h
		}
		return kit.NewBoxRow(kit.Small(line.heading))
	}
	sign := " ›"
	if l.lines[len(l.lines)-1].key != line.key {
		sign = " ⌄"
	}
	return kit.NewBoxRow(line1(kit.NewButton(kit.ButtonQuiet, line.heading+sign, l.act.archive)))
}

// line1 keeps an object as wide as it needs to be.
func line1(o fyne.CanvasObject) fyne.CanvasObject { return kit.Line(0, -1, o) }

func (l *sessionList) newRow(key string) *sessionRow {
	var r *sessionRow
	r = newSessionRow(func() {
		l.moveTo(key)
		l.act.open(r.line.info)
	}, func(at fyne.Position) {
		l.moveTo(key)
		l.openMenu(r, at)
	})
	return r
}

func (l *sessionList) openMenu(r *sessionRow, at fyne.Position) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(l.port); c != nil {
		kit.ShowMenuAt(l.act.menu(r.line.info, r.line.pinned), at, c)
	}
}

// draw shows the cursor where it is now.
func (l *sessionList) draw() {
	for key, r := range l.rows {
		r.set(r.line, r.current, l.focused && key == l.cursor)
	}
}

func (l *sessionList) moveTo(key string) {
	before := l.rows[l.cursor]
	l.cursor = key
	for _, r := range []*sessionRow{before, l.rows[key]} {
		if r != nil {
			r.set(r.line, r.current, l.focused && r.line.key == key)
		}
	}
}

// focus is told when the list gets or loses the focus.
func (l *sessionList) focus(on bool) {
	l.focused = on
	if on && l.rows[l.cursor] == nil {
		l.cursor = ""
		for i, line := range l.lines {
			if line.heading == "" && (l.cursor == "" || i == l.at) {
				l.cursor = line.key
			}
		}
	}
	l.draw()
	if r := l.rows[l.cursor]; on && r != nil {
		l.port.RevealRow(r)
	}
}

// key takes a key of the list; it reports whether it meant something.
func (l *sessionList) key(ev *fyne.KeyEvent) bool {
	switch ev.Name {
	case fyne.KeyEscape:
		l.act.leave()
		return true
	case fyne.KeyUp:
		l.step(-1)
		return true
	case fyne.KeyDown:
		l.step(1)
		return true
	case fyne.KeyHome:
		l.step(-len(l.lines))
		return true
	case fyne.KeyEnd:
		l.step(len(l.lines))
		return true
	case fyne.KeyPageUp, fyne.KeyPageDown:
		by := max(1, int(l.port.Size().Height/(rowHeight+2))-1)
		if ev.Name == fyne.KeyPageUp {
			by = -by
		}
		l.step(by)
		return true
	}
	r := l.rows[l.cursor]
	if r == nil {
		return false
	}
	switch ev.Name {
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace:
		kit.AfterLetter(l.port, ev, func() { l.act.open(r.line.info) })
	case fyne.KeyF2:
		l.startRename(r.line.key)
	case fyne.KeyDelete, fyne.KeyBackspace:
		l.act.remove(r.line.info)
	case desktop.KeyMenu, fyne.KeyF10:
		at := fyne.CurrentApp().Driver().AbsolutePositionForObject(r)
		l.openMenu(r, at.AddXY(kit.Gap16, rowHeight-kit.Gap8))
	default:
		return false
	}
	return true
}

// step moves the cursor by so many sessions, at most to the first or last.
func (l *sessionList) step(by int) {
	at := slices.IndexFunc(l.lines, func(line sessionLine) bool { return line.key == l.cursor })
	dir := 1
	if by < 0 {
		dir, by = -1, -by
	}
	to := at
	for i := at + dir; i >= 0 && i < len(l.lines) && by > 0; i += dir {
		if l.lines[i].heading == "" {
			to = i
			by--
		}
	}
	if to < 0 || to >= len(l.lines) {
		return
	}
	l.moveTo(l.lines[to].key)
	l.port.RevealRow(l.rows[l.cursor])
}

// nextTo is the session below the one of a name, or above where it is the last.
func (l *sessionList) nextTo(name string) string {
	at := slices.IndexFunc(l.lines, func(line sessionLine) bool { return line.heading == "" && line.info.Name == name })
	if at < 0 {
		return ""
	}
	for _, order := range [][]sessionLine{l.lines[at+1:], reversed(l.lines[:at])} {
		for _, line := range order {
			if line.heading == "" && line.info.Name != name {
				return line.key
			}
		}
	}
	return ""
}

func reversed(lines []sessionLine) []sessionLine {
	out := slices.Clone(lines)
	slices.Reverse(out)
	return out
}

// startRename lets the title of a row be edited in its place.
func (l *sessionList) startRename(key string) {
	r := l.rows[key]
	c := fyne.CurrentApp().Driver().CanvasForObject(l.port)
	if r == nil || c == nil || r.editor != nil || r.line.failed {
		return
	}
	l.moveTo(key)
	l.port.RevealRow(r)
	e := newRenameField(r.line.title, func(save, byKey bool, text string) {
		l.editing = ""
		r.edit(nil)
		if save && text != r.line.title {
			l.act.rename(r.line.info, text)
		}
		if byKey {
			c.Focus(l.port)
		}
	})
	l.editing = key
	r.edit(e)
	l.port.Refresh()
	c.Focus(e)
	e.TypedShortcut(&fyne.ShortcutSelectAll{})
}

// keyOf is the row of a session that can be written to, "" where there is none.
func (l *sessionList) keyOf(name string) string {
	for _, line := range l.lines {
		if line.heading == "" && line.info.Name == name && !line.info.ReadOnly {
			return line.key
		}
	}
	return ""
}

package sessions

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/transcript"
)

// Actions are called for the sessions of the list.
type Actions struct {
	Open    func(in transcript.Info)
	Menu    func(in transcript.Info, pinned bool) *fyne.Menu
	Rename  func(in transcript.Info, title string)
	Remove  func(in transcript.Info)
	Archive func() // opens or closes the group of archived sessions
	Leave   func() // Esc: moves the focus back to the composer
	Typed   func(r rune)
}

// List is the session list. It is one Tab stop, in which the arrow keys move a cursor.
type List struct {
	act     Actions
	Port    *column.Viewport
	Rows    map[string]*Row // by key
	heads   map[string]kit.Row
	none    kit.Row // shown if there are no sessions
	Lines   []Line
	current string // name of the shown session
	at      int    // index of its line, -1 if it has none
	Cursor  string // key
	focused bool
	Editing string // key of the row whose title is edited
}

// NewList returns an empty list.
func NewList(act Actions) *List {
	l := &List{act: act, Port: column.NewViewport(), Rows: map[string]*Row{}, heads: map[string]kit.Row{}, at: -1}
	l.none = prose.New([]prose.Run{{Text: i18n.T("Your conversations appear here, as plain text files you can open.")}}, kit.SizeSmall, kit.RoleMuted)
	l.Port.Follow, l.Port.Fixed = false, true
	l.Port.Pad, l.Port.Top = kit.Gap8, kit.Gap8
	l.Port.OnKey, l.Port.OnRune = l.key, act.Typed
	l.Port.OnFocus = l.focus
	return l
}

// Show draws the list. It keeps the rows of lines that are still there.
func (l *List) Show(lines []Line, current string) {
	moved := current != l.current
	l.Lines, l.current = lines, current
	rows, heads := make(map[string]*Row, len(lines)), map[string]kit.Row{}
	placed := make([]*column.Placed, 0, len(lines)+1)
	for _, line := range lines {
		if line.Heading != "" {
			heads[line.key] = l.headingRow(line)
			placed = append(placed, &column.Placed{Row: heads[line.key], Gap: kit.Gap12, Indent: kit.Gap8})
			continue
		}
		r := l.Rows[line.key]
		if r == nil {
			r = l.newRow(line.key)
		}
		rows[line.key] = r
		r.set(line, l.isCurrent(line), l.focused && line.key == l.Cursor)
		placed = append(placed, &column.Placed{Row: r, Gap: 2})
	}
	l.Rows, l.heads = rows, heads
	if len(lines) == 0 {
		placed = append(placed, &column.Placed{Row: l.none, Gap: kit.Gap12, Indent: kit.Gap8})
	}
	l.Port.SetRows(placed)
	at := slices.IndexFunc(lines, l.isCurrent)
	if at >= 0 && (moved || at != l.at) {
		l.Port.RevealRow(rows[lines[at].key])
	}
	l.at = at
}

func (l *List) isCurrent(line Line) bool {
	return line.Heading == "" && line.Info.Name == l.current && !line.Info.ReadOnly
}

func (l *List) headingRow(line Line) kit.Row {
	if !line.folds {
		if h, ok := l.heads[line.key]; ok {
			return h
		}
		return column.NewBoxRow(kit.Small(line.Heading))
	}
	sign := " ›"
	if l.Lines[len(l.Lines)-1].key != line.key {
		sign = " ⌄"
	}
	return column.NewBoxRow(kit.Line(0, -1, kit.NewButton(kit.ButtonQuiet, line.Heading+sign, l.act.Archive)))
}

func (l *List) newRow(key string) *Row {
	var r *Row
	r = newSessionRow(func() {
		l.MoveTo(key)
		l.act.Open(r.Line.Info)
	}, func(at fyne.Position) {
		l.MoveTo(key)
		l.openMenu(r, at)
	})
	return r
}

func (l *List) openMenu(r *Row, at fyne.Position) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(l.Port); c != nil {
		kit.ShowMenuAt(l.act.Menu(r.Line.Info, r.Line.pinned), at, c)
	}
}

// draw shows the cursor in its row.
func (l *List) draw() {
	for key, r := range l.Rows {
		r.set(r.Line, r.Current, l.focused && key == l.Cursor)
	}
}

// MoveTo puts the cursor on the row of a key.
func (l *List) MoveTo(key string) {
	before := l.Rows[l.Cursor]
	l.Cursor = key
	for _, r := range []*Row{before, l.Rows[key]} {
		if r != nil {
			r.set(r.Line, r.Current, l.focused && r.Line.key == key)
		}
	}
}

// focus is called when the list gets or loses the focus.
func (l *List) focus(on bool) {
	l.focused = on
	if on && l.Rows[l.Cursor] == nil {
		l.Cursor = ""
		for i, line := range l.Lines {
			if line.Heading == "" && (l.Cursor == "" || i == l.at) {
				l.Cursor = line.key
			}
		}
	}
	l.draw()
	if r := l.Rows[l.Cursor]; on && r != nil {
		l.Port.RevealRow(r)
	}
}

// key handles a key of the list. It reports whether it did.
func (l *List) key(ev *fyne.KeyEvent) bool {
	switch ev.Name {
	case fyne.KeyEscape:
		l.act.Leave()
		return true
	case fyne.KeyUp:
		l.step(-1)
		return true
	case fyne.KeyDown:
		l.step(1)
		return true
	case fyne.KeyHome:
		l.step(-len(l.Lines))
		return true
	case fyne.KeyEnd:
		l.step(len(l.Lines))
		return true
	case fyne.KeyPageUp, fyne.KeyPageDown:
		by := max(1, int(l.Port.Size().Height/(rowHeight+2))-1)
		if ev.Name == fyne.KeyPageUp {
			by = -by
		}
		l.step(by)
		return true
	}
	r := l.Rows[l.Cursor]
	if r == nil {
		return false
	}
	switch ev.Name {
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace:
		kit.AfterLetter(l.Port, ev, func() { l.act.Open(r.Line.Info) })
	case fyne.KeyF2:
		l.StartRename(r.Line.key)
	case fyne.KeyDelete, fyne.KeyBackspace:
		l.act.Remove(r.Line.Info)
	case desktop.KeyMenu, fyne.KeyF10:
		at := fyne.CurrentApp().Driver().AbsolutePositionForObject(r)
		l.openMenu(r, at.AddXY(kit.Gap16, rowHeight-kit.Gap8))
	default:
		return false
	}
	return true
}

// step moves the cursor by a number of sessions, at most to the first or last.
func (l *List) step(by int) {
	at := slices.IndexFunc(l.Lines, func(line Line) bool { return line.key == l.Cursor })
	dir := 1
	if by < 0 {
		dir, by = -1, -by
	}
	to := at
	for i := at + dir; i >= 0 && i < len(l.Lines) && by > 0; i += dir {
		if l.Lines[i].Heading == "" {
			to = i
			by--
		}
	}
	if to < 0 || to >= len(l.Lines) {
		return
	}
	l.MoveTo(l.Lines[to].key)
	l.Port.RevealRow(l.Rows[l.Cursor])
}

// NextTo returns the key of the session below another one, or above it if that is the last.
func (l *List) NextTo(name string) string {
	at := slices.IndexFunc(l.Lines, func(line Line) bool { return line.Heading == "" && line.Info.Name == name })
	if at < 0 {
		return ""
	}
	order := slices.Clone(l.Lines[:at])
	slices.Reverse(order)
	for _, line := range slices.Concat(l.Lines[at+1:], order) {
		if line.Heading == "" && line.Info.Name != name {
			return line.key
		}
	}
	return ""
}

// StartRename starts editing the title of a row in place.
func (l *List) StartRename(key string) {
	r := l.Rows[key]
	c := fyne.CurrentApp().Driver().CanvasForObject(l.Port)
	if r == nil || c == nil || r.editor != nil || r.Line.Failed {
		return
	}
	l.MoveTo(key)
	l.Port.RevealRow(r)
	e := newRenameField(r.Line.Title, func(save, byKey bool, text string) {
		l.Editing = ""
		r.edit(nil)
		if save && text != r.Line.Title {
			l.act.Rename(r.Line.Info, text)
		}
		if byKey {
			c.Focus(l.Port)
		}
	})
	l.Editing = key
	r.edit(e)
	l.Port.Refresh()
	c.Focus(e)
	e.TypedShortcut(&fyne.ShortcutSelectAll{})
}

// KeyOf returns the key of the writable session of a name, or "" if there is none.
func (l *List) KeyOf(name string) string {
	for _, line := range l.Lines {
		if line.Heading == "" && line.Info.Name == name && !line.Info.ReadOnly {
			return line.key
		}
	}
	return ""
}

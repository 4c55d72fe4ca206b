package cpuwindow

import (
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"mac-stats/sessionmem"
)

// page is what the middle of the window shows.
type page string

const (
	pageChat     page = "chat"
	pageMemory   page = "memory"
	pageAgents   page = "agents"
	pageSettings page = "settings"
)

// sessionLine is one session of the list in words.
type sessionLine struct {
	name, title, meta string
	day               string // heading above it; "" where it is the same day
	failed            bool
}

// sessionLines words the list: grouped by day, newest first.
func sessionLines(infos []sessionmem.Info, agent func(name string) string, now time.Time) []sessionLine {
	var out []sessionLine
	last := ""
	for _, in := range infos {
		l := sessionLine{name: in.Name, title: orElse(in.Title, in.Name)}
		l.meta = sourceWords(in.Source) + " · " + in.Active.In(now.Location()).Format("15:04")
		if a := agent(in.Name); a != "" {
			l.meta += " · " + a
		}
		if in.Err != nil {
			l.meta, l.failed = "can't be read: "+in.Err.Error(), true
		}
		if d := dayWords(in.Active, now); d != last {
			l.day, last = d, d
		}
		out = append(out, l)
	}
	return out
}

func sourceWords(source string) string {
	switch source {
	case "cpu":
		return "window"
	case "cli":
		return "command line"
	case "discord":
		return "Discord"
	case "":
		return "file"
	}
	return source
}

// dayWords is "Today", "Yesterday", "Monday", "3 November", "March 2025".
func dayWords(t, now time.Time) string {
	if t.IsZero() {
		return "Undated"
	}
	t = t.In(now.Location())
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch {
	case !t.Before(midnight):
		return "Today"
	case !t.Before(midnight.AddDate(0, 0, -1)):
		return "Yesterday"
	case !t.Before(midnight.AddDate(0, 0, -6)):
		return t.Format("Monday")
	case t.Year() == now.Year():
		return t.Format("2 January")
	}
	return t.Format("January 2006")
}

// sidebar is the session list and the ways to the other pages.
type sidebar struct {
	list    *viewport
	object  fyne.CanvasObject
	rows    map[string]*sessionRow
	lines   []sessionLine
	current string
	at      int // of the current one in lines, -1 where it is not there
	pages   map[page]*button
	open    func(name string)
}

func newSidebar(newChat func(), open func(name string), goTo func(page), transcripts func()) *sidebar {
	s := &sidebar{list: newViewport(), rows: map[string]*sessionRow{}, pages: map[page]*button{}, open: open}
	s.list.follow, s.list.fixed = false, true
	s.list.Disable()
	s.list.pad, s.list.top = gap8, gap8
	chat := newButton(buttonPlain, "New chat", newChat)
	chat.trailing, chat.padY, chat.padX = shortcutWords("N"), 6, 10
	foot := stack(0, inset(0, gap8, 0, 0, hairline()))
	foot.Add(newButton(buttonRow, "Transcripts", transcripts))
	for _, p := range []struct {
		page page
		text string
	}{{pageMemory, "Memory"}, {pageAgents, "Agents"}, {pageSettings, "Settings"}} {
		b := newButton(buttonRow, p.text, func() { goTo(p.page) })
		s.pages[p.page] = b
		foot.Add(b)
	}
	top, bottom := inset(gap12, gap4, gap8, gap8, chat), inset(gap4, gap12, gap8, gap8, foot)
	inner := container.New(layout.NewBorderLayout(top, bottom, nil, nil), top, s.list, bottom) // in the order of Tab
	s.object = container.NewStack(newSurface(rolePanel, roleNone, 0), container.NewBorder(nil, nil, nil, hairline(), inner))
	return s
}

// show draws the list; rows that are the same stay.
func (s *sidebar) show(lines []sessionLine, current string) {
	moved := current != s.current
	s.lines, s.current = lines, current
	rows := map[string]*sessionRow{}
	var placedRows []*placed
	for _, l := range lines {
		if l.day != "" {
			placedRows = append(placedRows, &placed{row: newBoxRow(smallWords(l.day)), gap: gap12, indent: gap8})
		}
		r := s.rows[l.name]
		if r == nil {
			name := l.name
			r = newSessionRow(func() { s.open(name) }, func(by int) { s.focusBeside(name, by) })
		}
		r.set(l, l.name == current)
		rows[l.name] = r
		placedRows = append(placedRows, &placed{row: r, gap: 2})
	}
	s.rows = rows
	if len(lines) == 0 {
		placedRows = append(placedRows, &placed{row: newProse([]run{{text: "Your conversations appear here, as plain text files you can open."}}, sizeSmall, roleMuted), gap: gap12, indent: gap8})
	}
	s.list.setRows(placedRows)
	at := slices.IndexFunc(lines, func(l sessionLine) bool { return l.name == current })
	if at >= 0 && (moved || at != s.at) {
		s.list.revealRow(rows[current])
	}
	s.at = at
}

// focusBeside moves the focus to the session above or below.
func (s *sidebar) focusBeside(name string, by int) {
	at := slices.IndexFunc(s.lines, func(l sessionLine) bool { return l.name == name }) + by
	if at < 0 || at >= len(s.lines) {
		return
	}
	next := s.rows[s.lines[at].name]
	s.list.revealRow(next)
	if c := fyne.CurrentApp().Driver().CanvasForObject(s.list); c != nil {
		c.Focus(next)
	}
}

func (s *sidebar) mark(p page) {
	for name, b := range s.pages {
		b.setSelected(name == p)
	}
}

// sessionRow is a session in the list.
type sessionRow struct {
	widget.BaseWidget
	title, meta *words
	bg          *surface
	current     bool
	hovered     bool
	focused     bool
	onTap       func()
	onMove      func(by int) // Up and Down
}

func newSessionRow(onTap func(), onMove func(by int)) *sessionRow {
	r := &sessionRow{title: textWords("").squeezable(), meta: smallWords("").squeezable(), bg: newSurface(roleNone, roleNone, radiusRow), onTap: onTap, onMove: onMove}
	r.ExtendBaseWidget(r)
	return r
}

func (r *sessionRow) set(l sessionLine, current bool) {
	r.title.SetText(l.title)
	role := roleMuted
	if l.failed {
		role = roleHot
	}
	r.meta.set(l.meta, role)
	r.current = current
	r.paint()
}

func (r *sessionRow) paint() {
	fill, line := roleNone, roleNone
	if r.hovered {
		fill = roleHover
	}
	if r.current {
		fill = roleAccentSoft
	}
	if r.focused {
		line = roleAccent
	}
	r.bg.set(fill, line)
}

func (r *sessionRow) measure(float32) float32 { return 48 }

// Tapped implements fyne.Tappable.
func (r *sessionRow) Tapped(*fyne.PointEvent) { r.onTap() }

// MouseIn implements desktop.Hoverable.
func (r *sessionRow) MouseIn(*desktop.MouseEvent) { r.hovered = true; r.paint() }

// MouseMoved implements desktop.Hoverable.
func (r *sessionRow) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (r *sessionRow) MouseOut() { r.hovered = false; r.paint() }

// FocusGained implements fyne.Focusable.
func (r *sessionRow) FocusGained() { r.focused = true; r.paint(); bringIntoSight(r) }

// FocusLost implements fyne.Focusable.
func (r *sessionRow) FocusLost() { r.focused = false; r.paint() }

// TypedRune implements fyne.Focusable.
func (r *sessionRow) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (r *sessionRow) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeyUp:
		r.onMove(-1)
	case fyne.KeyDown:
		r.onMove(1)
	default:
		pressed(r, ev, r.onTap)
	}
}

// CreateRenderer implements fyne.Widget.
func (r *sessionRow) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewStack(r.bg, inset(gap4, gap4, gap8, gap8, stack(0, r.title, r.meta))))
}

package pages

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// A split view has a list on the left and the chosen item on the right. If there is no room
// for both, the list becomes a menu above.

const (
	splitList  float32 = 228 // width of the list
	splitBelow float32 = 560 // narrower pages use the menu
)

// splitItem is one row of the list.
type splitItem struct {
	key      string
	title    string
	meta     string
	role     fyne.ThemeColorName // of meta; RoleNone means muted
	fraction float64             // of the gauge; negative for no gauge
	mark     fyne.ThemeColorName // a dot before the title: unsaved edits, an error
	heading  string              // heading above it; "" for none
}

// splitView is the list, and the place for the chosen item.
type splitView struct {
	list    *column.Viewport
	picker  *kit.Button
	content fyne.CanvasObject
	object  *fyne.Container
	layout  *splitLayout
	rows    map[string]*ListRow
	items   []splitItem
	current string
	pick    func(key string)
}

func newSplitView(content fyne.CanvasObject, pick func(key string)) *splitView {
	s := &splitView{list: column.NewViewport(), content: content, rows: map[string]*ListRow{}, pick: pick}
	s.list.Follow, s.list.Fixed = false, true
	s.list.Disable()
	s.list.Pad, s.list.Top = kit.Gap12, kit.Gap12
	s.picker = kit.NewButton(kit.ButtonPill, "", s.openMenu)
	s.picker.TextSize = kit.SizeText
	bar := container.New(kit.TightLayout{}, kit.Inset(kit.Gap8, kit.Gap8, kit.Gap20, kit.Gap20, kit.Line(kit.Gap8, -1, s.picker)), kit.Hairline())
	left := kit.LineRight(s.list)
	s.layout = &splitLayout{view: s, bar: bar, left: left}
	s.object = container.New(s.layout, bar, left, content)
	return s
}

// newDetail returns the column of the chosen item. It stays next to the list, however wide
// the window is.
func newDetail() *column.Viewport {
	v := column.NewViewport()
	v.Leftward = true
	return v
}

// splitLayout places the list beside or above the item.
type splitLayout struct {
	view      *splitView
	bar, left fyne.CanvasObject
	narrow    bool
}

// MinSize implements fyne.Layout.
func (l *splitLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 120) }

// Layout implements fyne.Layout.
func (l *splitLayout) Layout(_ []fyne.CanvasObject, s fyne.Size) {
	l.narrow = s.Width < splitBelow
	l.bar.(*fyne.Container).Hidden, l.left.(*fyne.Container).Hidden = !l.narrow, l.narrow
	at, size := fyne.NewPos(splitList, 0), fyne.NewSize(max(0, s.Width-splitList), s.Height)
	if l.narrow {
		h := l.bar.MinSize().Height
		l.bar.Resize(fyne.NewSize(s.Width, h))
		at, size = fyne.NewPos(0, h), fyne.NewSize(s.Width, max(0, s.Height-h))
	} else {
		l.left.Resize(fyne.NewSize(splitList, s.Height))
	}
	l.view.content.Move(at)
	l.view.content.Resize(size)
}

// show draws the list and keeps the rows that exist.
func (s *splitView) show(items []splitItem, current string) {
	s.items, s.current = items, current
	rows := map[string]*ListRow{}
	var placedRows []*column.Placed
	for _, it := range items {
		if it.heading != "" {
			placedRows = append(placedRows, &column.Placed{Row: column.NewBoxRow(kit.Small(it.heading)), Gap: kit.Gap12, Indent: kit.Gap8})
		}
		r := s.rows[it.key]
		if r == nil {
			key := it.key
			r = newListRow(func() { s.pick(key) }, func(by int) { s.focusBeside(key, by) })
		}
		r.set(it, it.key == current)
		rows[it.key] = r
		placedRows = append(placedRows, &column.Placed{Row: r, Gap: 2, Dirty: true})
		if it.key == current {
			s.picker.SetText(it.title + "  ▾")
		}
	}
	s.rows = rows
	s.list.SetRows(placedRows)
	s.object.Refresh()
}

// openMenu opens the list of a narrow page.
func (s *splitView) openMenu() {
	m := fyne.NewMenu("")
	for _, it := range s.items {
		label := it.title
		if it.meta != "" {
			label += "  ·  " + it.meta
		}
		item := fyne.NewMenuItem(label, func() { s.pick(it.key) })
		item.Checked = it.key == s.current
		m.Items = append(m.Items, item)
	}
	if c := fyne.CurrentApp().Driver().CanvasForObject(s.picker); c != nil {
		kit.ShowMenu(m, s.picker, c)
	}
}

// focusBeside moves the focus to the row above or below.
func (s *splitView) focusBeside(key string, by int) {
	at := slices.IndexFunc(s.items, func(it splitItem) bool { return it.key == key }) + by
	if at < 0 || at >= len(s.items) {
		return
	}
	next := s.rows[s.items[at].key]
	s.list.RevealRow(next)
	if c := fyne.CurrentApp().Driver().CanvasForObject(s.list); c != nil {
		c.Focus(next)
	}
}

// ListRow is a row of the list: a title, an optional gauge, and a second line.
type ListRow struct {
	widget.BaseWidget
	title, meta *kit.Label
	bar         *kit.Gauge
	dot         *kit.Surface
	bg          *kit.Surface
	dotBox      *fyne.Container
	current     bool
	hovered     bool
	focused     bool
	OnTap       func()
	onMove      func(by int)
}

func newListRow(onTap func(), onMove func(by int)) *ListRow {
	r := &ListRow{
		title: kit.Text("").Squeezable(), meta: kit.Small("").Squeezable(), bar: kit.NewGauge(40),
		dot: kit.NewDot(kit.RoleAccent), bg: kit.NewSurface(kit.RoleNone, kit.RoleNone, kit.RadiusCard), OnTap: onTap, onMove: onMove,
	}
	r.dotBox = kit.Sized(r.dot, kit.Gap8, kit.Gap8)
	r.ExtendBaseWidget(r)
	return r
}

func (r *ListRow) set(it splitItem, current bool) {
	r.title.SetText(it.title)
	role := kit.RoleMuted
	if it.role != kit.RoleNone {
		role = it.role
	}
	r.meta.Set(it.meta, role)
	r.meta.Hidden = it.meta == ""
	r.bar.Hidden = it.fraction < 0
	barRole := kit.RoleAccent
	if it.fraction > 1 {
		barRole = kit.RoleWarn
	}
	r.bar.Set(it.fraction, barRole)
	r.dotBox.Hidden = it.mark == kit.RoleNone
	if it.mark != kit.RoleNone {
		r.dot.Set(it.mark, kit.RoleNone)
	}
	r.current = current
	r.paint()
}

func (r *ListRow) paint() {
	fill, line := kit.RoleNone, kit.RoleNone
	if r.hovered {
		fill = kit.RoleHover
	}
	if r.current {
		fill, line = kit.RoleCard, kit.RoleLine
	}
	if r.focused {
		line = kit.RoleAccent
	}
	r.bg.Set(fill, line)
}

// Measure implements kit.Row.
func (r *ListRow) Measure(float32) float32 {
	h := 2*kit.Gap8 + prose.LineHeight(kit.SizeText)
	if !r.bar.Hidden {
		h += kit.Gap8
	}
	if !r.meta.Hidden {
		h += prose.LineHeight(kit.SizeSmall)
	}
	return h
}

// Tapped implements fyne.Tappable.
func (r *ListRow) Tapped(*fyne.PointEvent) { r.OnTap() }

// MouseIn implements desktop.Hoverable.
func (r *ListRow) MouseIn(*desktop.MouseEvent) { r.hovered = true; r.paint() }

// MouseMoved implements desktop.Hoverable.
func (r *ListRow) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (r *ListRow) MouseOut() { r.hovered = false; r.paint() }

// FocusGained implements fyne.Focusable.
func (r *ListRow) FocusGained() { r.focused = true; r.paint(); kit.HostOf(r).Reveal(r) }

// FocusLost implements fyne.Focusable.
func (r *ListRow) FocusLost() { r.focused = false; r.paint() }

// TypedRune implements fyne.Focusable.
func (r *ListRow) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (r *ListRow) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeyUp:
		r.onMove(-1)
	case fyne.KeyDown:
		r.onMove(1)
	default:
		kit.HandlePress(r, ev, r.OnTap)
	}
}

// CreateRenderer implements fyne.Widget.
func (r *ListRow) CreateRenderer() fyne.WidgetRenderer {
	title := kit.Line(kit.Gap8, 1, r.dotBox, r.title)
	parts := container.New(kit.TightLayout{}, title, container.New(gaugeRoom{}, r.bar), r.meta)
	return widget.NewSimpleRenderer(container.NewStack(r.bg, kit.Inset(kit.Gap8, kit.Gap8, kit.Gap12, kit.Gap12, parts)))
}

// gaugeRoom gives a gauge the whole width of a list row, and no room if it is hidden.
type gaugeRoom struct{}

func (gaugeRoom) MinSize(o []fyne.CanvasObject) fyne.Size {
	if !o[0].Visible() {
		return fyne.Size{}
	}
	return fyne.NewSize(20, kit.Gap8)
}

func (gaugeRoom) Layout(o []fyne.CanvasObject, s fyne.Size) { o[0].Resize(s) }

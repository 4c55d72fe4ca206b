package slash

import (
	"strings"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
)

// Menu lies above a field while the field's text begins with a slash. The focus stays in
// the field, which passes its keys to the menu.
type Menu struct {
	widget.BaseWidget
	port        *column.Viewport
	field       *kit.Field
	items       func() []Item
	all         []Item            // items when the slash was typed
	setText     func(text string) // sets the field's text
	rows        []*row
	at          int  // index of the row that Enter takes; -1 for none
	closedByEsc bool // closed by Esc; stays closed until the field is empty
	box         fyne.CanvasObject
	place       fyne.CanvasObject // the area it is laid out in
}

// NewMenu returns a hidden menu for a field. It calls items when it opens, and put to
// replace the field's text.
func NewMenu(field *kit.Field, items func() []Item, put func(text string)) *Menu {
	m := &Menu{port: column.NewViewport(), field: field, items: items, setText: put, at: -1}
	m.port.Follow, m.port.Fixed = false, true
	m.port.Pad, m.port.Top, m.port.Bottom = kit.Gap4, kit.Gap4, kit.Gap4
	m.port.Disable()
	m.box = container.NewStack(kit.NewSurface(kit.RoleCard, kit.RoleLine, kit.RadiusBubble), kit.Inset(1, 1, 1, 1, m.port))
	m.ExtendBaseWidget(m)
	m.Hide()
	return m
}

// Typed updates the menu from the field's text; "" also closes it. typed is false for
// pasted text, which is never a command, whatever it begins with.
func (m *Menu) Typed(text string, typed bool) {
	name, slash := strings.CutPrefix(text, "/")
	if !slash {
		m.closedByEsc = false
	}
	if !slash || !typed || m.closedByEsc || strings.ContainsFunc(name, unicode.IsSpace) {
		m.Close()
		return
	}
	if !m.Visible() {
		m.all = m.items()
	}
	fit, named := matching(m.all, name)
	if len(fit) == 0 {
		m.Close()
		return
	}
	m.rows = nil
	placed := make([]*column.Placed, 0, len(fit))
	names := float32(0) // aligns the names, and the descriptions
	for _, it := range fit {
		names = min(max(names, nameLabel(it).MinSize().Width), maxNameWidth)
	}
	for i, it := range fit {
		r := newRow(it, names, func() { m.accept(it) }, func() { m.moveTo(i) })
		m.rows = append(m.rows, r)
		placed = append(placed, &column.Placed{Row: r})
	}
	m.at = -1
	if named { // otherwise Enter sends the text
		m.moveTo(0)
	}
	m.port.Offset = 0
	m.port.SetRows(placed)
	m.field.Tabs = true
	m.Show()
	m.place.Refresh()
}

// Close closes the menu.
func (m *Menu) Close() {
	m.field.Tabs = false
	if m.Visible() {
		m.Hide()
		m.rows = nil
		m.port.SetRows(nil)
	}
}

// Key handles a key while the menu is open; it reports whether it took the key.
func (m *Menu) Key(k *fyne.KeyEvent) bool {
	if !m.Visible() {
		return false
	}
	switch k.Name {
	case fyne.KeyUp:
		m.moveTo((max(m.at, 0) - 1 + len(m.rows)) % len(m.rows))
	case fyne.KeyDown:
		m.moveTo((m.at + 1) % len(m.rows))
	case fyne.KeyPageUp:
		m.moveTo(max(m.at-6, 0))
	case fyne.KeyPageDown:
		m.moveTo(min(m.at+6, len(m.rows)-1))
	case fyne.KeyTab:
		m.write(m.rows[max(m.at, 0)].item)
	case fyne.KeyReturn, fyne.KeyEnter:
		if m.at < 0 || m.field.Shift {
			m.Close()
			return false
		}
		m.accept(m.rows[m.at].item)
	case fyne.KeyEscape:
		m.closedByEsc = true
		m.Close()
	default:
		return false
	}
	return true
}

// accept runs a command, or writes the name of the addressee.
func (m *Menu) accept(it Item) {
	if it.Run == nil {
		m.write(it)
		return
	}
	m.setText("")
	m.focus()
	it.Run("")
}

// write completes the name, so that text can follow it.
func (m *Menu) write(it Item) {
	m.setText("/" + it.Name + " ")
	m.focus()
}

// focus returns the focus to the field after a click took it, and closes the menu.
func (m *Menu) focus() {
	m.Close()
	if c := fyne.CurrentApp().Driver().CanvasForObject(m.field); c != nil {
		c.Focus(m.field)
	}
}

func (m *Menu) moveTo(i int) {
	if m.at >= 0 && m.at < len(m.rows) {
		m.rows[m.at].choose(false)
	}
	m.at = i
	m.rows[i].choose(true)
	m.port.RevealRow(m.rows[i])
}

// Above returns the menu in its place: above the lower edge, or above what edge leaves.
func (m *Menu) Above(edge func() float32) fyne.CanvasObject {
	m.place = container.New(aboveLayout{edge}, m)
	return m.place
}

// rowsShown is the number of rows visible; half of the last one shows that there are more.
const rowsShown = 8.5

type aboveLayout struct{ edge func() float32 }

func (aboveLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }

func (l aboveLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	m := o[0].(*Menu)
	if len(m.rows) == 0 {
		return
	}
	width := max(0, min(s.Width-2*kit.Gap20, kit.ColumnMax))
	one := m.rows[0].Measure(width)
	height := min(float32(len(m.rows)), rowsShown)*one + 2*kit.Gap4 + 2
	bottom := s.Height - l.edge() - kit.Gap8
	height = max(0, min(height, bottom-kit.Gap8))
	m.Move(fyne.NewPos((s.Width-width)/2, bottom-height))
	m.Resize(fyne.NewSize(width, height))
}

// CreateRenderer implements fyne.Widget.
func (m *Menu) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(m.box) }

// row is an item: its name, description and kind.
type row struct {
	widget.BaseWidget
	item    Item
	bg      *kit.Surface
	box     fyne.CanvasObject
	onTap   func()
	onPoint func()
}

// maxNameWidth is the widest the column of names gets; a longer name takes the room it needs.
const maxNameWidth float32 = 150

func nameLabel(it Item) *kit.Label { return kit.Bold("/" + it.Name) }

func newRow(it Item, names float32, onTap, onPoint func()) *row {
	r := &row{item: it, bg: kit.NewSurface(kit.RoleNone, kit.RoleNone, kit.RadiusRow), onTap: onTap, onPoint: onPoint}
	kind := map[Kind]string{Agent: i18n.T("agent"), Skill: i18n.T("skill"), Command: i18n.T("command")}[it.Kind]
	words := strings.Join(strings.Fields(it.Words), " ")
	r.box = container.NewStack(r.bg, kit.Inset(5, 5, kit.Gap8, kit.Gap8, kit.Line(kit.Gap12, 1, kit.Sized(nameLabel(it), names, 0), kit.Muted(words).Squeezable(), kit.Small(kind))))
	r.ExtendBaseWidget(r)
	return r
}

func (r *row) choose(on bool) {
	fill := kit.RoleNone
	if on {
		fill = kit.RoleAccentSoft
	}
	r.bg.Set(fill, kit.RoleNone)
}

// Measure implements kit.Row.
func (r *row) Measure(float32) float32 { return r.box.MinSize().Height }

// Tapped implements fyne.Tappable.
func (r *row) Tapped(*fyne.PointEvent) { r.onTap() }

// MouseIn implements desktop.Hoverable.
func (r *row) MouseIn(*desktop.MouseEvent) { r.onPoint() }

// MouseMoved implements desktop.Hoverable.
func (r *row) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (r *row) MouseOut() {}

// CreateRenderer implements fyne.Widget.
func (r *row) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.box) }

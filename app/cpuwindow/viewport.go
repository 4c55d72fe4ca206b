package cpuwindow

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
)

// row is one thing in the chat column. The viewport asks for its height at a
// width and shows it only while it is in sight.
type row interface {
	fyne.CanvasObject
	measure(width float32) float32
}

// selectable rows take part in selecting text with the mouse, across rows.
type selectable interface {
	selectLen() int
	offsetAt(pos fyne.Position) int
	setSelection(from, to int)
	selectedText(from, to int) string
}

// placed is a row with its place in the column.
type placed struct {
	row    row
	gap    float32 // above it
	indent float32
	max    float32   // widest it may be; 0 = the column
	hot    *shyGroup // shown while the pointer is on the row

	top, height, width float32
	dirty              bool
}

// viewport is the scrolled chat column. Only rows in sight are objects of the
// screen, so its cost does not grow with the conversation. It follows the end
// only while the reader is at the end.
type viewport struct {
	widget.BaseWidget
	rows       []*placed
	offset     float32
	total      float32
	follow     bool
	fixed      bool     // a list or page: it never follows its end, and who is at its top stays there
	ring       *surface // shows the focus that came by Tab
	column     float32  // width of the column now
	left       float32
	shown      []fyne.CanvasObject
	bar        *thumb
	onAway     func(away bool) // the reader left, or reached, the end
	onTop      func()          // the reader reached the beginning
	onEnd      func()          // … the end
	onLink     func(url string)
	onRune     func(r rune) // typing goes to the composer
	away       bool
	placedFor  [2]float32 // text scale and density of the rows' places
	pad        float32    // beside the column
	top        float32    // above the first row
	bottom     float32    // below the last one
	leftward   bool       // the column stands at the left, not in the middle
	onEscape   func()
	onShortcut func(fyne.Shortcut) bool  // takes shortcuts in the window's place
	onKey      func(*fyne.KeyEvent) bool // keys of a list, before those that scroll; it reports whether it took one
	onFocus    func(on bool)             // a list shows the focus itself
	sel        selection
	passed     bool // by Tab
	byMouse    bool // the focus comes from a press
	hot        *shyGroup
}

// spot is a place in the text of a row.
type spot struct{ row, off int }

func (a spot) before(b spot) bool { return a.row < b.row || a.row == b.row && a.off < b.off }

type selection struct {
	anchor, head spot
	active, drag bool
}

const (
	columnPad  float32 = 20
	nearEnd    float32 = 24
	bottomRoom float32 = 20
)

func newViewport() *viewport {
	v := &viewport{follow: true, pad: columnPad, top: gap16, bottom: bottomRoom}
	v.bar = newThumb(v)
	v.ring = newSurface(roleNone, roleAccent, 0)
	v.ring.Hide()
	v.ExtendBaseWidget(v)
	return v
}

// setRows replaces the rows; those that are the same object keep their height.
// What the reader looks at stays where it is, unless they are at the end.
func (v *viewport) setRows(rows []*placed) {
	seen := v.inSight()
	v.rows = rows
	v.place(false)
	v.restore(seen)
	v.Refresh()
}

// inSight is the rows the reader sees, each with the offset's distance from its top.
func (v *viewport) inSight() map[row]float32 {
	if v.follow || v.fixed && v.offset <= 0 {
		return nil
	}
	seen := map[row]float32{}
	for i := v.firstVisible(); i < len(v.rows) && v.rows[i].top < v.offset+v.Size().Height; i++ {
		seen[v.rows[i].row] = v.offset - v.rows[i].top
	}
	return seen
}

// restore puts the first row that was in sight back where it was; who was at the
// end stays at the end.
func (v *viewport) restore(seen map[row]float32) {
	if v.follow {
		v.offset = v.maxOffset()
		return
	}
	for _, p := range v.rows {
		if delta, ok := seen[p.row]; ok {
			v.offset = min(max(p.top+delta, 0), v.maxOffset())
			return
		}
	}
}

// place computes every row's place; heights are asked for only where the row is
// dirty or the width has changed.
func (v *viewport) place(force bool) {
	size := v.Size()
	v.column = min(size.Width-2*v.pad, columnMax)
	if v.column < 40 {
		return
	}
	v.left = (size.Width - v.column) / 2
	look := [2]float32{textScale(), density()}
	force = force || v.placedFor != look
	v.placedFor = look
	if v.leftward {
		v.left = v.pad
	}
	y := v.top
	for i, p := range v.rows {
		w := v.column - p.indent
		if p.max > 0 {
			w = min(w, p.max-p.indent)
		}
		if force || p.dirty || p.width != w {
			p.width, p.dirty = w, false
			p.height = p.row.measure(w)
		}
		if i > 0 {
			y += p.gap * look[1]
		}
		p.top = y
		y += p.height
	}
	v.total = y + v.bottom
	v.offset = min(max(v.offset, 0), v.maxOffset())
}

// remeasure asks a row for its height again; what the reader looks at stays.
func (v *viewport) remeasure(r row) {
	seen := v.inSight()
	for _, p := range v.rows {
		if p.row == r {
			p.dirty = true
		}
	}
	v.place(false)
	v.restore(seen)
	v.Refresh()
}

func (v *viewport) maxOffset() float32 { return max(0, v.total-v.Size().Height) }

// arrange moves the rows in sight into place and leaves out the others.
func (v *viewport) arrange() {
	h := v.Size().Height
	v.shown = v.shown[:0]
	for i := v.firstVisible(); i < len(v.rows); i++ {
		p := v.rows[i]
		y := p.top - v.offset
		if y > h {
			break
		}
		p.row.Move(fyne.NewPos(v.left+p.indent, y))
		p.row.Resize(fyne.NewSize(p.width, p.height))
		if s, ok := p.row.(interface {
			passScroll(func(*fyne.ScrollEvent))
		}); ok {
			s.passScroll(v.Scrolled)
		}
		if l, ok := p.row.(interface{ look(from, to float32) }); ok {
			l.look(-y, h-y)
		}
		v.shown = append(v.shown, p.row)
	}
	v.bar.place()
	v.shown = append(v.shown, v.bar)
	if v.ring.Visible() {
		v.ring.Resize(v.Size())
		v.shown = append(v.shown, v.ring)
	}
}

func (v *viewport) firstVisible() int {
	lo, hi := 0, len(v.rows)
	for lo < hi {
		m := (lo + hi) / 2
		if v.rows[m].top+v.rows[m].height < v.offset {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// scrollTo shows the column from an offset on, as the reader's own doing.
func (v *viewport) scrollTo(offset float32) {
	offset = min(max(offset, 0), v.maxOffset())
	v.follow = !v.fixed && offset >= v.maxOffset()-nearEnd
	if offset != v.offset {
		v.offset = offset
		v.Refresh()
	}
	if offset < 40 && v.onTop != nil {
		v.onTop()
	}
	if offset > v.maxOffset()-40 && v.onEnd != nil {
		v.onEnd()
	}
	v.tellAway()
}

// toEnd shows the end and follows it from now on.
func (v *viewport) toEnd() {
	v.follow = !v.fixed
	v.offset = v.maxOffset()
	v.Refresh()
	v.tellAway()
}

// still changes rows while what the reader looks at stays where it is, also for one
// who is at the end: something in sight was opened or closed.
func (v *viewport) still(change func()) {
	v.follow = false
	change()
	v.follow = !v.fixed && v.offset >= v.maxOffset()-nearEnd
	v.tellAway()
}

func (v *viewport) tellAway() {
	away := !v.follow && v.total > v.Size().Height
	if away != v.away && v.onAway != nil {
		v.onAway(away)
	}
	v.away = away
}

// Scrolled implements fyne.Scrollable.
func (v *viewport) Scrolled(ev *fyne.ScrollEvent) { v.scrollTo(v.offset - ev.Scrolled.DY) }

// MouseIn implements desktop.Hoverable.
func (v *viewport) MouseIn(ev *desktop.MouseEvent) { v.MouseMoved(ev) }

// MouseMoved implements desktop.Hoverable: shows what can be done with what is
// under the pointer.
func (v *viewport) MouseMoved(ev *desktop.MouseEvent) {
	y := ev.Position.Y + v.offset
	var hot *shyGroup
	for i := v.firstVisible(); i < len(v.rows) && v.rows[i].top-v.rows[i].gap <= y; i++ {
		hot = v.rows[i].hot
	}
	v.setHot(hot)
}

// MouseOut implements desktop.Hoverable.
func (v *viewport) MouseOut() { v.setHot(nil) }

func (v *viewport) setHot(g *shyGroup) {
	if v.hot != g {
		v.hot.show(false)
		v.hot = g
		g.show(true)
	}
}

// Selecting.

func (v *viewport) spotAt(pos fyne.Position) spot {
	y := pos.Y + v.offset
	best := spot{row: -1}
	for i, p := range v.rows {
		s, ok := p.row.(selectable)
		if !ok {
			continue
		}
		if best.row >= 0 && p.top > y {
			break
		}
		at := fyne.NewPos(pos.X-v.left-p.indent, y-p.top)
		best = spot{i, s.offsetAt(at)}
		if y < p.top {
			best.off = 0
			break
		}
	}
	return best
}

// MouseDown implements desktop.Mouseable: a selection begins.
func (v *viewport) MouseDown(ev *desktop.MouseEvent) {
	if ev.Button == desktop.MouseButtonSecondary {
		return
	}
	v.clearSelection()
	v.sel.anchor = v.spotAt(ev.Position)
	v.sel.head = v.sel.anchor
	v.sel.drag = v.sel.anchor.row >= 0
	if c := fyne.CurrentApp().Driver().CanvasForObject(v); c != nil {
		v.byMouse = true
		c.Focus(v)
		v.byMouse = false
	}
}

// MouseUp implements desktop.Mouseable.
func (v *viewport) MouseUp(*desktop.MouseEvent) { v.sel.drag = false }

// Dragged implements fyne.Draggable.
func (v *viewport) Dragged(ev *fyne.DragEvent) {
	if !v.sel.drag {
		return
	}
	if ev.Position.Y < 0 {
		v.scrollTo(v.offset - 12)
	} else if ev.Position.Y > v.Size().Height {
		v.scrollTo(v.offset + 12)
	}
	v.sel.head = v.spotAt(ev.Position)
	v.sel.active = v.sel.head != v.sel.anchor
	v.showSelection()
}

// DragEnd implements fyne.Draggable.
func (v *viewport) DragEnd() { v.sel.drag = false }

// Tapped implements fyne.Tappable: links.
func (v *viewport) Tapped(ev *fyne.PointEvent) {
	if v.sel.active || v.onLink == nil {
		return
	}
	y := ev.Position.Y + v.offset
	for _, p := range v.rows {
		if y < p.top || y >= p.top+p.height {
			continue
		}
		if l, ok := p.row.(interface {
			linkAt(fyne.Position) string
		}); ok {
			if url := l.linkAt(fyne.NewPos(ev.Position.X-v.left-p.indent, y-p.top)); url != "" {
				v.onLink(url)
			}
		}
	}
}

// DoubleTapped implements fyne.DoubleTappable: a word is selected.
func (v *viewport) DoubleTapped(ev *fyne.PointEvent) {
	at := v.spotAt(ev.Position)
	if at.row < 0 {
		return
	}
	w, ok := v.rows[at.row].row.(interface{ wordAt(int) (int, int) })
	if !ok {
		return
	}
	from, to := w.wordAt(at.off)
	v.sel = selection{anchor: spot{at.row, from}, head: spot{at.row, to}, active: from < to}
	v.showSelection()
}

// TappedSecondary implements fyne.SecondaryTappable.
func (v *viewport) TappedSecondary(ev *fyne.PointEvent) {
	c := fyne.CurrentApp().Driver().CanvasForObject(v)
	if c == nil {
		return
	}
	cp := fyne.NewMenuItem(i18n.T("Copy"), v.copySelection)
	cp.Disabled = !v.sel.active
	showMenuAt(fyne.NewMenu("", cp, fyne.NewMenuItem(i18n.T("Select all"), v.selectAll)), ev.AbsolutePosition, c)
}

func (v *viewport) ordered() (from, to spot) {
	if v.sel.head.before(v.sel.anchor) {
		return v.sel.head, v.sel.anchor
	}
	return v.sel.anchor, v.sel.head
}

func (v *viewport) eachSelected(f func(s selectable, from, to int)) {
	if !v.sel.active {
		return
	}
	a, b := v.ordered()
	for i := max(0, a.row); i <= b.row && i < len(v.rows); i++ {
		s, ok := v.rows[i].row.(selectable)
		if !ok {
			continue
		}
		from, to := 0, s.selectLen()
		if i == a.row {
			from = a.off
		}
		if i == b.row {
			to = b.off
		}
		f(s, from, to)
	}
}

func (v *viewport) showSelection() {
	v.dropSelection()
	v.eachSelected(func(s selectable, from, to int) { s.setSelection(from, to) })
}

func (v *viewport) dropSelection() {
	for _, p := range v.rows {
		if s, ok := p.row.(selectable); ok {
			s.setSelection(0, 0)
		}
	}
}

func (v *viewport) clearSelection() {
	if v.sel.active {
		v.dropSelection()
	}
	v.sel = selection{anchor: spot{row: -1}, head: spot{row: -1}}
}

func (v *viewport) selectAll() {
	v.sel = selection{anchor: spot{0, 0}, head: spot{len(v.rows), 0}, active: len(v.rows) > 0}
	v.showSelection()
}

// selectedText is what Copy takes: a line a row.
func (v *viewport) selectedText() string {
	var parts []string
	v.eachSelected(func(s selectable, from, to int) {
		if t := s.selectedText(from, to); t != "" {
			parts = append(parts, t)
		}
	})
	return strings.Join(parts, "\n")
}

func (v *viewport) copySelection() {
	if t := v.selectedText(); t != "" {
		fyne.CurrentApp().Clipboard().SetContent(t)
	}
}

// FocusGained implements fyne.Focusable.
func (v *viewport) FocusGained() {
	if v.onFocus != nil {
		v.onFocus(true)
		return
	}
	if !v.byMouse {
		v.ring.Show()
		v.Refresh()
	}
}

// FocusLost implements fyne.Focusable.
func (v *viewport) FocusLost() {
	if v.onFocus != nil {
		v.onFocus(false)
		return
	}
	v.ring.Hide()
	v.Refresh()
}

// Disabled implements fyne.Disableable: Tab passes over the session list, whose
// rows have the focus.
func (v *viewport) Disabled() bool { return v.passed }

// Enable implements fyne.Disableable.
func (v *viewport) Enable() { v.passed = false }

// Disable implements fyne.Disableable.
func (v *viewport) Disable() { v.passed = true }

// TypedRune implements fyne.Focusable: who types means the composer.
func (v *viewport) TypedRune(r rune) {
	if v.onRune != nil {
		v.onRune(r)
	}
}

// TypedKey implements fyne.Focusable: the keys that move in a page.
func (v *viewport) TypedKey(ev *fyne.KeyEvent) {
	if v.onKey != nil && v.onKey(ev) || boundKey(v, ev) {
		return
	}
	page := v.Size().Height - 2*gap20
	switch ev.Name {
	case fyne.KeyPageUp:
		v.scrollTo(v.offset - page)
	case fyne.KeyPageDown, fyne.KeySpace:
		v.scrollTo(v.offset + page)
	case fyne.KeyUp:
		v.scrollTo(v.offset - 40)
	case fyne.KeyDown:
		v.scrollTo(v.offset + 40)
	case fyne.KeyHome:
		v.scrollTo(0)
	case fyne.KeyEnd:
		v.toEnd()
	case fyne.KeyEscape:
		if v.onEscape != nil {
			v.onEscape()
		}
	}
}

// TypedShortcut implements fyne.Shortcutable: copy and select all; any other one is
// its window's.
func (v *viewport) TypedShortcut(s fyne.Shortcut) {
	switch s.(type) {
	case *fyne.ShortcutCopy:
		v.copySelection()
	case *fyne.ShortcutSelectAll:
		v.selectAll()
	default:
		boundShortcut(v, s, v.onShortcut)
	}
}

// CreateRenderer implements fyne.Widget.
func (v *viewport) CreateRenderer() fyne.WidgetRenderer { return &viewportRenderer{v} }

type viewportRenderer struct{ v *viewport }

func (r *viewportRenderer) Layout(fyne.Size) {
	seen := r.v.inSight()
	r.v.place(false)
	r.v.restore(seen)
	r.v.arrange()
}

func (r *viewportRenderer) MinSize() fyne.Size { return fyne.NewSize(120, 80) }

func (r *viewportRenderer) Refresh() {
	if r.v.placedFor != [2]float32{textScale(), density()} {
		r.v.place(false)
	}
	r.v.arrange()
	canvas.Refresh(r.v)
}

func (r *viewportRenderer) Objects() []fyne.CanvasObject { return r.v.shown }
func (r *viewportRenderer) Destroy()                     {}

// thumb is the scroll bar: the part of the column in sight.
type thumb struct {
	widget.BaseWidget
	v *viewport
	s *surface
}

func newThumb(v *viewport) *thumb {
	t := &thumb{v: v, s: newSurface(roleLine, roleNone, 3)}
	t.ExtendBaseWidget(t)
	return t
}

func (t *thumb) place() {
	h := t.v.Size().Height
	if t.v.total <= h+1 || h < 40 {
		t.Resize(fyne.NewSize(0, 0))
		return
	}
	size := max(28, h*h/t.v.total)
	y := (h - size) * t.v.offset / t.v.maxOffset()
	t.Move(fyne.NewPos(t.v.Size().Width-10, y))
	t.Resize(fyne.NewSize(8, size))
}

// Dragged implements fyne.Draggable.
func (t *thumb) Dragged(ev *fyne.DragEvent) {
	room := t.v.Size().Height - t.Size().Height
	if room > 0 {
		t.v.scrollTo(t.v.offset + ev.Dragged.DY*t.v.maxOffset()/room)
	}
}

// DragEnd implements fyne.Draggable.
func (t *thumb) DragEnd() {}

// MouseIn implements desktop.Hoverable.
func (t *thumb) MouseIn(*desktop.MouseEvent) { t.s.set(roleFaint, roleNone) }

// MouseMoved implements desktop.Hoverable.
func (t *thumb) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (t *thumb) MouseOut() { t.s.set(roleLine, roleNone) }

// CreateRenderer implements fyne.Widget.
func (t *thumb) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.New(&thumbLayout{}, t.s))
}

type thumbLayout struct{}

func (thumbLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }
func (thumbLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Move(fyne.NewPos(2, 2))
	objects[0].Resize(fyne.NewSize(max(0, size.Width-4), max(0, size.Height-4)))
}

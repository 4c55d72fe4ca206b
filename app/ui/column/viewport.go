package column

import (
	"runtime"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// Placed is a row with its place in the column.
type Placed struct {
	Row    kit.Row
	Gap    float32 // above it
	Indent float32
	Max    float32         // widest it may be; 0 = the column
	Hot    *kit.HoverGroup // shown while the pointer is on the row

	Top, Height, Width float32
	Dirty              bool
}

// Viewport is the scrolled chat column. Only rows in sight are objects of the
// screen, so its cost does not grow with the conversation. It follows the end
// only while the reader is at the end.
type Viewport struct {
	widget.BaseWidget
	Rows       []*Placed
	Offset     float32
	Total      float32
	Follow     bool
	Fixed      bool         // a list or page: it never follows its end, and who is at its top stays there
	ring       *kit.Surface // shows the focus that came by Tab
	column     float32      // width of the column now
	Left       float32
	Shown      []fyne.CanvasObject
	bar        *thumb
	OnAway     func(away bool) // the reader left, or reached, the end
	OnTop      func()          // the reader reached the beginning
	OnEnd      func()          // … the end
	OnLink     func(url string)
	OnRune     func(r rune) // typing goes to the composer
	Away       bool
	placedFor  [2]float32                                            // text scale and density of the rows' places
	Pad        float32                                               // beside the column
	Top        float32                                               // above the first row
	Bottom     float32                                               // below the last one
	Leftward   bool                                                  // the column stands at the left, not in the middle
	OnMenu     func(selected string, under kit.Row) []*fyne.MenuItem // more for the menu of a click with the other button; optional
	OnEscape   func()
	OnShortcut func(fyne.Shortcut) bool  // takes shortcuts in the window's place
	OnKey      func(*fyne.KeyEvent) bool // keys of a list, before those that scroll; it reports whether it took one
	OnFocus    func(on bool)             // a list shows the focus itself
	sel        selection
	passed     bool // by Tab
	byMouse    bool // the focus comes from a press
	hot        *kit.HoverGroup
}

const (
	columnPad  float32 = 20
	nearEnd    float32 = 24
	bottomRoom float32 = 20
)

// NewViewport is a column that follows its end.
func NewViewport() *Viewport {
	v := &Viewport{Follow: true, Pad: columnPad, Top: kit.Gap16, Bottom: bottomRoom}
	v.bar = newThumb(v)
	v.ring = kit.NewSurface(kit.RoleNone, kit.RoleAccent, 0)
	v.ring.Hide()
	v.ExtendBaseWidget(v)
	return v
}

// SetRows replaces the rows; those that are the same object keep their height.
// What the reader looks at stays where it is, unless they are at the end.
func (v *Viewport) SetRows(rows []*Placed) {
	seen := v.inSight()
	v.Rows = rows
	v.place(false)
	v.restore(seen)
	v.Refresh()
}

// inSight is the rows the reader sees, each with the offset's distance from its top.
func (v *Viewport) inSight() map[kit.Row]float32 {
	if v.Follow || v.Fixed && v.Offset <= 0 {
		return nil
	}
	seen := map[kit.Row]float32{}
	for i := v.FirstInSight(); i < len(v.Rows) && v.Rows[i].Top < v.Offset+v.Size().Height; i++ {
		seen[v.Rows[i].Row] = v.Offset - v.Rows[i].Top
	}
	return seen
}

// restore puts the first row that was in sight back where it was; who was at the
// end stays at the end.
func (v *Viewport) restore(seen map[kit.Row]float32) {
	if v.Follow {
		v.Offset = v.MaxOffset()
		return
	}
	for _, p := range v.Rows {
		if delta, ok := seen[p.Row]; ok {
			v.Offset = min(max(p.Top+delta, 0), v.MaxOffset())
			return
		}
	}
}

// place computes every row's place; heights are asked for only where the row is
// dirty or the width has changed.
func (v *Viewport) place(force bool) {
	size := v.Size()
	v.column = min(size.Width-2*v.Pad, kit.ColumnMax)
	if v.column < 40 {
		return
	}
	v.Left = (size.Width - v.column) / 2
	look := [2]float32{kit.TextScale(), kit.Density()}
	force = force || v.placedFor != look
	v.placedFor = look
	if v.Leftward {
		v.Left = v.Pad
	}
	y := v.Top
	for i, p := range v.Rows {
		w := v.column - p.Indent
		if p.Max > 0 {
			w = min(w, p.Max-p.Indent)
		}
		if force || p.Dirty || p.Width != w {
			p.Width, p.Dirty = w, false
			p.Height = p.Row.Measure(w)
		}
		if i > 0 {
			y += p.Gap * look[1]
		}
		p.Top = y
		y += p.Height
	}
	v.Total = y + v.Bottom
	v.Offset = min(max(v.Offset, 0), v.MaxOffset())
}

// Holds reports whether a row is one of the column's.
func (v *Viewport) Holds(r kit.Row) bool {
	return slices.ContainsFunc(v.Rows, func(p *Placed) bool { return p.Row == r })
}

// Remeasure asks a row for its height again; what the reader looks at stays.
func (v *Viewport) Remeasure(r kit.Row) {
	seen := v.inSight()
	for _, p := range v.Rows {
		if p.Row == r {
			p.Dirty = true
		}
	}
	v.place(false)
	v.restore(seen)
	v.Refresh()
}

// MaxOffset is the offset of the end.
func (v *Viewport) MaxOffset() float32 { return max(0, v.Total-v.Size().Height) }

// arrange moves the rows in sight into place and leaves out the others.
func (v *Viewport) arrange() {
	h := v.Size().Height
	v.Shown = v.Shown[:0]
	for i := v.FirstInSight(); i < len(v.Rows); i++ {
		p := v.Rows[i]
		y := p.Top - v.Offset
		if y > h {
			break
		}
		p.Row.Move(fyne.NewPos(v.Left+p.Indent, y))
		p.Row.Resize(fyne.NewSize(p.Width, p.Height))
		if s, ok := p.Row.(interface {
			PassScroll(func(*fyne.ScrollEvent))
		}); ok {
			s.PassScroll(v.Scrolled)
		}
		if l, ok := p.Row.(interface{ SetSeen(from, to float32) }); ok {
			l.SetSeen(-y, h-y)
		}
		v.Shown = append(v.Shown, p.Row)
	}
	v.bar.place()
	v.Shown = append(v.Shown, v.bar)
	if v.ring.Visible() {
		v.ring.Resize(v.Size())
		v.Shown = append(v.Shown, v.ring)
	}
}

// FirstInSight is the place of the first row in sight, the number of rows for none.
func (v *Viewport) FirstInSight() int {
	lo, hi := 0, len(v.Rows)
	for lo < hi {
		m := (lo + hi) / 2
		if v.Rows[m].Top+v.Rows[m].Height < v.Offset {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// ScrollTo shows the column from an offset on, as the reader's own doing.
func (v *Viewport) ScrollTo(offset float32) {
	offset = min(max(offset, 0), v.MaxOffset())
	v.Follow = !v.Fixed && offset >= v.MaxOffset()-nearEnd
	if offset != v.Offset {
		v.Offset = offset
		v.Refresh()
	}
	if offset < 40 && v.OnTop != nil {
		v.OnTop()
	}
	if offset > v.MaxOffset()-40 && v.OnEnd != nil {
		v.OnEnd()
	}
	v.TellAway()
}

// ToEnd shows the end and follows it from now on.
func (v *Viewport) ToEnd() {
	v.Follow = !v.Fixed
	v.Offset = v.MaxOffset()
	v.Refresh()
	v.TellAway()
}

// Still changes rows while what the reader looks at stays where it is, also for one
// who is at the end: something in sight was opened or closed.
func (v *Viewport) Still(change func()) {
	v.Follow = false
	change()
	v.Follow = !v.Fixed && v.Offset >= v.MaxOffset()-nearEnd
	v.TellAway()
}

// TellAway tells whether the reader is away from the end, where that changed.
func (v *Viewport) TellAway() {
	away := !v.Follow && v.Total > v.Size().Height
	if away != v.Away && v.OnAway != nil {
		v.OnAway(away)
	}
	v.Away = away
}

// Scrolled implements fyne.Scrollable.
func (v *Viewport) Scrolled(ev *fyne.ScrollEvent) { v.ScrollTo(v.Offset - wheelStep(ev.Scrolled.DY)) }

const (
	notch      = 25 // what the toolkit makes of a notch of a wheel, but on macOS
	threeLines = 60 // three lines of an answer
)

// wheelStep is how far to scroll: three lines for a notch of a wheel. A touchpad, which
// tells parts of notches, scrolls as far as it says.
func wheelStep(dy float32) float32 {
	if notches := dy / notch; runtime.GOOS != "darwin" && notches == float32(int(notches)) {
		return notches * threeLines
	}
	return dy
}

// MouseIn implements desktop.Hoverable.
func (v *Viewport) MouseIn(ev *desktop.MouseEvent) { v.MouseMoved(ev) }

// MouseMoved implements desktop.Hoverable: shows what can be done with what is
// under the pointer.
func (v *Viewport) MouseMoved(ev *desktop.MouseEvent) {
	y := ev.Position.Y + v.Offset
	var hot *kit.HoverGroup
	for i := v.FirstInSight(); i < len(v.Rows) && v.Rows[i].Top-v.Rows[i].Gap <= y; i++ {
		hot = v.Rows[i].Hot
	}
	v.setHot(hot)
}

// MouseOut implements desktop.Hoverable.
func (v *Viewport) MouseOut() { v.setHot(nil) }

func (v *Viewport) setHot(g *kit.HoverGroup) {
	if v.hot != g {
		v.hot.Show(false)
		v.hot = g
		g.Show(true)
	}
}

// Selecting.

// Tapped implements fyne.Tappable: links.
func (v *Viewport) Tapped(ev *fyne.PointEvent) {
	if v.sel.active || v.OnLink == nil {
		return
	}
	y := ev.Position.Y + v.Offset
	for _, p := range v.Rows {
		if y < p.Top || y >= p.Top+p.Height {
			continue
		}
		if l, ok := p.Row.(interface {
			LinkAt(fyne.Position) string
		}); ok {
			if url := l.LinkAt(fyne.NewPos(ev.Position.X-v.Left-p.Indent, y-p.Top)); url != "" {
				v.OnLink(url)
			}
		}
	}
}

// FocusGained implements fyne.Focusable.
func (v *Viewport) FocusGained() {
	if v.OnFocus != nil {
		v.OnFocus(true)
		return
	}
	if !v.byMouse {
		v.ring.Show()
		v.Refresh()
	}
}

// FocusLost implements fyne.Focusable.
func (v *Viewport) FocusLost() {
	if v.OnFocus != nil {
		v.OnFocus(false)
		return
	}
	v.ring.Hide()
	v.Refresh()
}

// Disabled implements fyne.Disableable: Tab passes over the session list, whose
// rows have the focus.
func (v *Viewport) Disabled() bool { return v.passed }

// Enable implements fyne.Disableable.
func (v *Viewport) Enable() { v.passed = false }

// Disable implements fyne.Disableable.
func (v *Viewport) Disable() { v.passed = true }

// TypedRune implements fyne.Focusable: who types means the composer.
func (v *Viewport) TypedRune(r rune) {
	if v.OnRune != nil {
		v.OnRune(r)
	}
}

// TypedKey implements fyne.Focusable: the keys that move in a page.
func (v *Viewport) TypedKey(ev *fyne.KeyEvent) {
	if v.OnKey != nil && v.OnKey(ev) || kit.HostOf(v).RunKey(ev) {
		return
	}
	page := v.Size().Height - 2*kit.Gap20
	switch ev.Name {
	case fyne.KeyPageUp:
		v.ScrollTo(v.Offset - page)
	case fyne.KeyPageDown, fyne.KeySpace:
		v.ScrollTo(v.Offset + page)
	case fyne.KeyUp:
		v.ScrollTo(v.Offset - 40)
	case fyne.KeyDown:
		v.ScrollTo(v.Offset + 40)
	case fyne.KeyHome:
		v.ScrollTo(0)
	case fyne.KeyEnd:
		v.ToEnd()
	case fyne.KeyEscape:
		if v.OnEscape != nil {
			v.OnEscape()
		}
	}
}

// TypedShortcut implements fyne.Shortcutable: copy and select all; any other one is
// its window's.
func (v *Viewport) TypedShortcut(s fyne.Shortcut) {
	switch s.(type) {
	case *fyne.ShortcutCopy:
		v.copySelection()
	case *fyne.ShortcutSelectAll:
		v.selectAll()
	default:
		if v.OnShortcut == nil || !v.OnShortcut(s) {
			kit.HostOf(v).RunShortcut(s)
		}
	}
}

// CreateRenderer implements fyne.Widget.
func (v *Viewport) CreateRenderer() fyne.WidgetRenderer { return &viewportRenderer{v} }

type viewportRenderer struct{ v *Viewport }

func (r *viewportRenderer) Layout(fyne.Size) {
	seen := r.v.inSight()
	r.v.place(false)
	r.v.restore(seen)
	r.v.arrange()
}

func (r *viewportRenderer) MinSize() fyne.Size { return fyne.NewSize(120, 80) }

func (r *viewportRenderer) Refresh() {
	if r.v.placedFor != [2]float32{kit.TextScale(), kit.Density()} {
		r.v.place(false)
	}
	r.v.arrange()
	canvas.Refresh(r.v)
}

func (r *viewportRenderer) Objects() []fyne.CanvasObject { return r.v.Shown }
func (r *viewportRenderer) Destroy()                     {}

// FocusMargin is how much of its surroundings is shown with what has the focus: a
// row of the session list, so that Tab finds the next one.
const FocusMargin float32 = 56

// Reveal scrolls as little as shows the column between two heights.
func (v *Viewport) Reveal(top, bottom float32) {
	h := v.Size().Height
	margin := min(FocusMargin, max(0, (h-(bottom-top))/2))
	switch {
	case h <= 0:
	case top-margin < v.Offset:
		v.ScrollTo(top - margin)
	case bottom+margin > v.Offset+h:
		v.ScrollTo(bottom + margin - h)
	}
}

// RevealFocus is Reveal for what has the focus. The edges of the rows before and after it
// that are more than words come into sight, too, where there is room: Tab finds only what
// is in sight.
func (v *Viewport) RevealFocus(top, bottom float32) {
	from, to := top, bottom
	for _, p := range v.Rows {
		switch p.Row.(type) {
		case *prose.Text, *Framed:
			continue
		}
		if p.Top+p.Height <= top {
			from = p.Top + p.Height - kit.Gap8
		}
		if p.Top >= bottom {
			to = p.Top + kit.Gap8
			break
		}
	}
	if to-from <= v.Size().Height {
		top, bottom = from, to
	}
	v.Reveal(top, bottom)
}

// RevealRow brings a row into sight.
func (v *Viewport) RevealRow(r kit.Row) {
	for _, p := range v.Rows {
		if p.Row == r {
			v.Reveal(p.Top, p.Top+p.Height)
		}
	}
}

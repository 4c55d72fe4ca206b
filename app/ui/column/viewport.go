package column

import (
	"runtime"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// Viewport is a scrolling column of rows. Only visible rows are canvas objects, so its cost
// doesn't grow with the number of rows. It follows the end only while the reader is at the
// end.
type Viewport struct {
	widget.DisableableWidget // if disabled, Tab skips it: for a list whose rows take the focus
	places
	selection
	Shown      []fyne.CanvasObject
	Away       bool            // the reader is away from the end
	OnAway     func(away bool) // called when the reader leaves or reaches the end
	OnTop      func()          // called when the reader reaches the beginning
	OnEnd      func()          // called when the reader reaches the end
	OnLink     func(url string)
	OnRune     func(r rune)                                          // called for typed characters, which go to the composer
	OnMenu     func(selected string, under kit.Row) []*fyne.MenuItem // returns more items for the context menu; optional
	OnEscape   func()
	OnShortcut func(fyne.Shortcut) bool  // handles shortcuts instead of the window; reports whether it took one
	OnKey      func(*fyne.KeyEvent) bool // handles keys of a list before those that scroll; reports whether it took one
	OnFocus    func(on bool)             // called on a change of focus by a list that shows it itself
	Outer      fyne.Scrollable           // scrolls instead where there is no more to scroll; optional
	bar        *thumb
	ring       *kit.Surface // shows the focus if it came by Tab
	byMouse    bool         // the focus comes from a click
	hovered    *kit.HoverGroup
}

const (
	columnPad  float32 = 20
	nearEnd    float32 = 24
	bottomRoom float32 = 20
)

// NewViewport returns a column that follows its end.
func NewViewport() *Viewport {
	v := &Viewport{places: places{Follow: true, Pad: columnPad, Top: kit.Gap16, Bottom: bottomRoom}}
	v.in = &v.places
	v.bar = newThumb(v)
	v.ring = kit.NewSurface(kit.RoleNone, kit.RoleAccent, 0)
	v.ring.Hide()
	v.ExtendBaseWidget(v)
	return v
}

// SetRows replaces the rows; rows that are the same object keep their height. What the
// reader looks at stays in place, unless they are at the end.
func (v *Viewport) SetRows(rows []*Placed) {
	v.keepPosition(func() { v.Rows = rows })
	v.Refresh()
}

// Remeasure asks a row for its height again; what the reader looks at stays in place.
func (v *Viewport) Remeasure(r kit.Row) {
	v.keepPosition(func() {
		for _, p := range v.Rows {
			if p.Row == r {
				p.Dirty = true
			}
		}
	})
	v.Refresh()
}

// arrange moves the visible rows into place and drops the others from the canvas.
func (v *Viewport) arrange() {
	h := v.Size().Height
	v.Shown = v.Shown[:0]
	for i := v.FirstVisible(); i < len(v.Rows); i++ {
		p := v.Rows[i]
		y := p.Top - v.Offset
		if y > h {
			break
		}
		p.Row.Move(fyne.NewPos(v.Left+p.Indent, y))
		p.Row.Resize(fyne.NewSize(p.Width, p.Height))
		if s, ok := p.Row.(interface {
			SetScroll(func(*fyne.ScrollEvent))
		}); ok {
			s.SetScroll(v.Scrolled)
		}
		if l, ok := p.Row.(interface{ SetVisiblePart(from, to float32) }); ok {
			l.SetVisiblePart(-y, h-y)
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

// ScrollTo scrolls to an offset on behalf of the reader.
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
	v.ReportAway()
}

// ToEnd scrolls to the end and follows it from then on.
func (v *Viewport) ToEnd() {
	v.Follow = !v.Fixed
	v.Offset = v.MaxOffset()
	v.Refresh()
	v.ReportAway()
}

// ChangeInPlace changes rows while what the reader looks at stays in place, even at the
// end: use it when something visible is opened or closed.
func (v *Viewport) ChangeInPlace(change func()) {
	v.Follow = false
	change()
	v.Follow = !v.Fixed && v.Offset >= v.MaxOffset()-nearEnd
	v.ReportAway()
}

// ReportAway calls OnAway if the reader has left or reached the end.
func (v *Viewport) ReportAway() {
	away := !v.Follow && !v.Fixed && v.Total > v.Size().Height
	if away != v.Away && v.OnAway != nil {
		v.OnAway(away)
	}
	v.Away = away
}

// Scrolled implements fyne.Scrollable.
func (v *Viewport) Scrolled(ev *fyne.ScrollEvent) {
	before := v.Offset
	if v.ScrollTo(v.Offset - wheelStep(ev.Scrolled.DY)); v.Outer != nil && v.Offset == before {
		v.Outer.Scrolled(ev)
	}
}

const (
	notch      = 25 // what the toolkit reports for a notch of a wheel, except on macOS
	threeLines = 60 // three lines of an answer
)

// wheelStep returns how far to scroll: three lines for a notch of a wheel. A touchpad
// reports parts of notches and scrolls exactly as far as it reports.
func wheelStep(dy float32) float32 {
	if notches := dy / notch; runtime.GOOS != "darwin" && notches == float32(int(notches)) {
		return notches * threeLines
	}
	return dy
}

// MouseIn implements desktop.Hoverable.
func (v *Viewport) MouseIn(ev *desktop.MouseEvent) { v.MouseMoved(ev) }

// MouseMoved implements desktop.Hoverable. It shows the actions of the row under the
// pointer.
func (v *Viewport) MouseMoved(ev *desktop.MouseEvent) {
	y := ev.Position.Y + v.Offset
	var hot *kit.HoverGroup
	for i := v.FirstVisible(); i < len(v.Rows) && v.Rows[i].Top-v.Rows[i].Gap <= y; i++ {
		hot = v.Rows[i].Hover
	}
	v.setHovered(hot)
}

// MouseOut implements desktop.Hoverable.
func (v *Viewport) MouseOut() { v.setHovered(nil) }

func (v *Viewport) setHovered(g *kit.HoverGroup) {
	if v.hovered != g {
		v.hovered.Show(false)
		v.hovered = g
		g.Show(true)
	}
}

// Tapped implements fyne.Tappable. It opens links.
func (v *Viewport) Tapped(ev *fyne.PointEvent) {
	if v.active || v.OnLink == nil {
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
	if v.Outer != nil {
		kit.HostOf(v).Reveal(v)
	}
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

// TypedRune implements fyne.Focusable. What is typed goes to the composer.
func (v *Viewport) TypedRune(r rune) {
	if v.OnRune != nil {
		v.OnRune(r)
	}
}

// TypedKey implements fyne.Focusable. It handles the keys that scroll.
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

// TypedShortcut implements fyne.Shortcutable: copy and select all. All others go to the
// window.
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

func (r *viewportRenderer) Layout(s fyne.Size) {
	r.v.size = s
	r.v.keepPosition(func() {})
	r.v.arrange()
}

func (r *viewportRenderer) MinSize() fyne.Size { return fyne.NewSize(120, 80) }

func (r *viewportRenderer) Refresh() {
	if r.v.placedFor != [2]float32{kit.TextScale(), kit.Density()} {
		r.v.place()
	}
	r.v.arrange()
	canvas.Refresh(r.v)
}

func (r *viewportRenderer) Objects() []fyne.CanvasObject { return r.v.Shown }
func (r *viewportRenderer) Destroy()                     {}

// FocusMargin is how much is shown around the focused object, so that Tab finds the next
// one: a row of the session list.
const FocusMargin float32 = 56

// Reveal scrolls as little as possible to show the part of the column between two heights.
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

// RevealFocus is Reveal for the focused object. If there is room, it also shows the edges
// of the controls above and below, because Tab finds only visible objects.
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

// RevealRow scrolls a row into view.
func (v *Viewport) RevealRow(r kit.Row) {
	for _, p := range v.Rows {
		if p.Row == r {
			v.Reveal(p.Top, p.Top+p.Height)
		}
	}
}

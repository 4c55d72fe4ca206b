package sessions

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/kit"
)

const (
	rowHeight float32 = 48
	moreWidth float32 = 28 // width of the area at the right end that opens the menu
)

// Row is a session in the list. It has no canvas objects until it is visible, so that ten
// thousand rows cost little.
type Row struct {
	widget.BaseWidget
	Line    Line
	Current bool // its conversation is shown
	Cursor  bool // it has the cursor of the list
	hovered bool
	onMore  bool              // the pointer is over the menu area
	editor  fyne.CanvasObject // edits the title; nil if it isn't being edited
	onTap   func()
	onMenu  func(at fyne.Position) // absolute
}

func newSessionRow(onTap func(), onMenu func(at fyne.Position)) *Row {
	r := &Row{onTap: onTap, onMenu: onMenu}
	r.ExtendBaseWidget(r)
	return r
}

// set shows a line. It redraws the row only if it looks different.
func (r *Row) set(l Line, current, cursor bool) {
	was := r.Line
	same := was.Title == l.Title && was.Meta == l.Meta && was.Unread == l.Unread && was.Failed == l.Failed && r.Current == current && r.Cursor == cursor
	r.Line, r.Current, r.Cursor = l, current, cursor
	if !same {
		r.Refresh()
	}
}

// edit replaces the title by a text field; nil removes the field.
func (r *Row) edit(e *kit.Field) {
	r.editor = nil
	if e != nil {
		r.editor = kit.WithoutBar(e)
	}
	r.Refresh()
}

// Measure implements kit.Row.
func (r *Row) Measure(float32) float32 { return rowHeight }

// Tapped implements fyne.Tappable.
func (r *Row) Tapped(ev *fyne.PointEvent) {
	if ev != nil && r.atMore(ev.Position) {
		r.onMenu(ev.AbsolutePosition)
		return
	}
	r.onTap()
}

// TappedSecondary implements fyne.SecondaryTappable.
func (r *Row) TappedSecondary(ev *fyne.PointEvent) { r.onMenu(ev.AbsolutePosition) }

func (r *Row) atMore(p fyne.Position) bool { return p.X >= r.Size().Width-moreWidth }

// MouseIn implements desktop.Hoverable.
func (r *Row) MouseIn(ev *desktop.MouseEvent) {
	r.hovered, r.onMore = true, r.atMore(ev.Position)
	r.Refresh()
}

// MouseMoved implements desktop.Hoverable.
func (r *Row) MouseMoved(ev *desktop.MouseEvent) {
	if on := r.atMore(ev.Position); on != r.onMore {
		r.onMore = on
		r.Refresh()
	}
}

// MouseOut implements desktop.Hoverable.
func (r *Row) MouseOut() { r.hovered, r.onMore = false, false; r.Refresh() }

// CreateRenderer implements fyne.Widget.
func (r *Row) CreateRenderer() fyne.WidgetRenderer {
	x := &rowRenderer{
		r: r, bg: kit.NewSurface(kit.RoleNone, kit.RoleNone, kit.RadiusRow), title: kit.Text("").Squeezable(), meta: kit.Small("").Squeezable(),
		more: kit.Bold("⋯"), moreBg: kit.NewSurface(kit.RoleNone, kit.RoleNone, kit.Gap4), dot: kit.NewDot(kit.RoleAccent),
	}
	x.apply()
	return x
}

type rowRenderer struct {
	r           *Row
	bg, moreBg  *kit.Surface
	dot         *kit.Surface
	title, meta *kit.Label
	more        *kit.Label
}

func (x *rowRenderer) apply() {
	r := x.r
	fill, line := kit.RoleNone, kit.RoleNone
	if r.hovered {
		fill = kit.RoleHover
	}
	if r.Current {
		fill = kit.RoleAccentSoft
	}
	if r.Cursor {
		line = kit.RoleAccent
	}
	if r.editor != nil {
		fill, line = kit.RoleCard, kit.RoleAccent
	}
	x.bg.Set(fill, line)
	x.title.Style.Bold = r.Line.Unread > 0
	x.title.SetText(r.Line.Title)
	role := kit.RoleMuted
	dot := kit.RoleAccent
	switch {
	case r.Line.Failed:
		role = kit.RoleHot
	case r.Line.asks:
		role, dot = kit.RoleWarn, kit.RoleWarn
	}
	x.dot.Set(dot, kit.RoleNone)
	x.meta.Set(r.Line.Meta, role)
	more := (r.hovered || r.Cursor) && r.editor == nil
	x.more.Hidden, x.moreBg.Hidden = !more, !r.onMore
	x.moreBg.Set(kit.RoleHover, kit.RoleNone)
	x.dot.Hidden = more || r.Line.Unread == 0 && !r.Line.asks || r.editor != nil
	x.title.Hidden, x.meta.Hidden = r.editor != nil, r.editor != nil
}

func (x *rowRenderer) Layout(s fyne.Size) {
	x.bg.Resize(s)
	right := kit.Gap8
	if !x.more.Hidden || !x.dot.Hidden {
		right = moreWidth
	}
	w := max(0, s.Width-kit.Gap8-right)
	x.title.Move(fyne.NewPos(kit.Gap8, 6))
	x.title.Resize(fyne.NewSize(w, 20))
	x.meta.Move(fyne.NewPos(kit.Gap8, 26))
	x.meta.Resize(fyne.NewSize(w, 16))
	m := x.more.MinSize()
	x.more.Move(fyne.NewPos(s.Width-moreWidth+(moreWidth-kit.Gap4-m.Width)/2, (s.Height-m.Height)/2))
	x.more.Resize(m)
	x.moreBg.Move(fyne.NewPos(s.Width-moreWidth, (s.Height-24)/2))
	x.moreBg.Resize(fyne.NewSize(24, 24))
	x.dot.Move(fyne.NewPos(s.Width-kit.Gap16-3, (s.Height-7)/2))
	x.dot.Resize(fyne.NewSize(7, 7))
	if e := x.r.editor; e != nil {
		h := e.MinSize().Height
		e.Move(fyne.NewPos(0, (s.Height-h)/2))
		e.Resize(fyne.NewSize(s.Width, h))
	}
}

func (x *rowRenderer) MinSize() fyne.Size { return fyne.NewSize(0, rowHeight) }

func (x *rowRenderer) Refresh() {
	x.apply()
	x.Layout(x.r.Size())
	for _, o := range x.Objects() {
		o.Refresh()
	}
}

func (x *rowRenderer) Objects() []fyne.CanvasObject {
	out := []fyne.CanvasObject{x.bg, x.title, x.meta, x.moreBg, x.more, x.dot}
	if x.r.editor != nil {
		out = append(out, x.r.editor)
	}
	return out
}

func (x *rowRenderer) Destroy() {}

// newRenameField returns a field to edit a title. Enter saves; Esc and leaving the field discard
// the change.
func newRenameField(title string, onEnd func(save, byKey bool, text string)) *kit.Field {
	f, ended := kit.NewField(), false
	end := func(save, byKey bool) {
		if !ended {
			ended = true
			onEnd(save, byKey, f.Text)
		}
	}
	f.OnKey = func(k *fyne.KeyEvent) bool {
		switch k.Name {
		case fyne.KeyReturn, fyne.KeyEnter:
			end(true, true)
		case fyne.KeyEscape:
			end(false, true)
		default:
			return false
		}
		return true
	}
	f.OnFocus = func(on bool) {
		if !on {
			end(false, false)
		}
	}
	f.SetText(title)
	return f
}

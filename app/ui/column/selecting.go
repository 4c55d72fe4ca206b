package column

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/kit"
)

// selectable rows take part in selecting text with the mouse, across rows.
type selectable interface {
	SelectLen() int
	OffsetAt(pos fyne.Position) int
	SetSelection(from, to int)
	SelectedText(from, to int) string
}

// spot is a place in the text of a row.
type spot struct{ row, off int }

func (a spot) before(b spot) bool { return a.row < b.row || a.row == b.row && a.off < b.off }

type selection struct {
	anchor, head spot
	active, drag bool
}

func (v *Viewport) spotAt(pos fyne.Position) spot {
	y := pos.Y + v.Offset
	best := spot{row: -1}
	for i, p := range v.Rows {
		s, ok := p.Row.(selectable)
		if !ok {
			continue
		}
		if best.row >= 0 && p.Top > y {
			break
		}
		at := fyne.NewPos(pos.X-v.Left-p.Indent, y-p.Top)
		best = spot{i, s.OffsetAt(at)}
		if y < p.Top {
			best.off = 0
			break
		}
	}
	return best
}

// MouseDown implements desktop.Mouseable: a selection begins.
func (v *Viewport) MouseDown(ev *desktop.MouseEvent) {
	if ev.Button == desktop.MouseButtonSecondary {
		return
	}
	v.ClearSelection()
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
func (v *Viewport) MouseUp(*desktop.MouseEvent) { v.sel.drag = false }

// Dragged implements fyne.Draggable.
func (v *Viewport) Dragged(ev *fyne.DragEvent) {
	if !v.sel.drag {
		return
	}
	if ev.Position.Y < 0 {
		v.ScrollTo(v.Offset - 12)
	} else if ev.Position.Y > v.Size().Height {
		v.ScrollTo(v.Offset + 12)
	}
	v.sel.head = v.spotAt(ev.Position)
	v.sel.active = v.sel.head != v.sel.anchor
	v.showSelection()
}

// DragEnd implements fyne.Draggable.
func (v *Viewport) DragEnd() { v.sel.drag = false }

// DoubleTapped implements fyne.DoubleTappable: a word is selected.
func (v *Viewport) DoubleTapped(ev *fyne.PointEvent) {
	at := v.spotAt(ev.Position)
	if at.row < 0 {
		return
	}
	w, ok := v.Rows[at.row].Row.(interface{ WordAt(int) (int, int) })
	if !ok {
		return
	}
	from, to := w.WordAt(at.off)
	v.sel = selection{anchor: spot{at.row, from}, head: spot{at.row, to}, active: from < to}
	v.showSelection()
}

// TappedSecondary implements fyne.SecondaryTappable.
func (v *Viewport) TappedSecondary(ev *fyne.PointEvent) {
	c := fyne.CurrentApp().Driver().CanvasForObject(v)
	if c == nil || v.OnMenu == nil && !slices.ContainsFunc(v.Rows, func(p *Placed) bool { _, ok := p.Row.(selectable); return ok }) {
		return // in a list of buttons there is no text to copy
	}
	cp := fyne.NewMenuItem(i18n.T("Copy"), v.copySelection)
	cp.Disabled = !v.sel.active
	items := []*fyne.MenuItem{cp, fyne.NewMenuItem(i18n.T("Select all"), v.selectAll)}
	if v.OnMenu != nil {
		items = append(items, v.OnMenu(v.SelectedText(), v.rowUnder(ev.Position))...)
	}
	kit.ShowMenuAt(fyne.NewMenu("", items...), ev.AbsolutePosition, c)
}

// rowUnder is the row at a place of the view; nil between rows.
func (v *Viewport) rowUnder(pos fyne.Position) kit.Row {
	y := pos.Y + v.Offset
	for _, p := range v.Rows {
		if p.Top <= y && y < p.Top+p.Height {
			return p.Row
		}
	}
	return nil
}

func (v *Viewport) ordered() (from, to spot) {
	if v.sel.head.before(v.sel.anchor) {
		return v.sel.head, v.sel.anchor
	}
	return v.sel.anchor, v.sel.head
}

func (v *Viewport) eachSelected(f func(s selectable, from, to int)) {
	if !v.sel.active {
		return
	}
	a, b := v.ordered()
	for i := max(0, a.row); i <= b.row && i < len(v.Rows); i++ {
		s, ok := v.Rows[i].Row.(selectable)
		if !ok {
			continue
		}
		from, to := 0, s.SelectLen()
		if i == a.row {
			from = a.off
		}
		if i == b.row {
			to = b.off
		}
		f(s, from, to)
	}
}

func (v *Viewport) showSelection() {
	v.dropSelection()
	v.eachSelected(func(s selectable, from, to int) { s.SetSelection(from, to) })
}

func (v *Viewport) dropSelection() {
	for _, p := range v.Rows {
		if s, ok := p.Row.(selectable); ok {
			s.SetSelection(0, 0)
		}
	}
}

// ClearSelection selects nothing.
func (v *Viewport) ClearSelection() {
	if v.sel.active {
		v.dropSelection()
	}
	v.sel = selection{anchor: spot{row: -1}, head: spot{row: -1}}
}

func (v *Viewport) selectAll() {
	v.sel = selection{anchor: spot{0, 0}, head: spot{len(v.Rows), 0}, active: len(v.Rows) > 0}
	v.showSelection()
}

// SelectedText is what Copy takes: a line a row.
func (v *Viewport) SelectedText() string {
	var parts []string
	v.eachSelected(func(s selectable, from, to int) {
		if t := s.SelectedText(from, to); t != "" {
			parts = append(parts, t)
		}
	})
	return strings.Join(parts, "\n")
}

func (v *Viewport) copySelection() {
	if t := v.SelectedText(); t != "" {
		fyne.CurrentApp().Clipboard().SetContent(t)
	}
}

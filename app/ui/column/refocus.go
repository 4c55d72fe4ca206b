package column

import (
	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
)

// ReplaceRows is SetRows for rows with new buttons and switches: if one of the old ones has
// the keyboard focus, the one in its place gets it.
//
// c is the canvas of the window: before the window is first painted, the toolkit doesn't
// know which canvas a widget is on.
func (v *Viewport) ReplaceRows(c fyne.Canvas, rows []*Placed) {
	focused := c.Focused()
	at, nth := -1, 0
	before := RowControls(v.Rows)
	for i, o := range before {
		if o == focused {
			at = i
		}
	}
	for i, o := range before {
		if i < at && label(o) == label(focused) {
			nth++
		}
	}
	v.SetRows(rows)
	if at < 0 {
		return
	}
	now := RowControls(rows)
	for _, o := range now {
		if o == focused {
			return
		}
	}
	if len(now) == 0 {
		c.Focus(v)
		return
	}
	next := now[min(at, len(now)-1)]
	for _, o := range now {
		if label(o) == label(focused) {
			if nth == 0 {
				next = o
				break
			}
			nth--
		}
	}
	c.Focus(next)
}

// label returns the text of a control; switches have none.
func label(o fyne.Focusable) string {
	if b, ok := o.(*kit.Button); ok {
		return b.Text
	}
	return ""
}

// RowControls returns the buttons and switches of rows, in order.
func RowControls(rows []*Placed) []fyne.Focusable {
	var out []fyne.Focusable
	for _, p := range rows {
		eachControl(p.Row, func(o fyne.Focusable) { out = append(out, o) })
	}
	return out
}

// RowButtons returns the buttons of rows, in order.
func RowButtons(rows []*Placed) []*kit.Button {
	var out []*kit.Button
	for _, o := range RowControls(rows) {
		if b, ok := o.(*kit.Button); ok {
			out = append(out, b)
		}
	}
	return out
}

func eachControl(o fyne.CanvasObject, visit func(fyne.Focusable)) {
	if !o.Visible() {
		return
	}
	var inner []fyne.CanvasObject
	switch x := o.(type) {
	case *kit.Button:
		if !x.Disabled() {
			visit(x)
		}
	case *kit.Switch:
		if !x.Disabled() {
			visit(x)
		}
	case *ChoiceRow:
		inner = []fyne.CanvasObject{x.sign}
	case *fyne.Container:
		inner = x.Objects
	case *BoxRow:
		inner = []fyne.CanvasObject{x.Content}
	case *CardRow:
		inner = x.Parts
	case *kit.FlowRow:
		inner = x.Objects
	case *kit.LineField:
		inner = []fyne.CanvasObject{x.Button}
	}
	for _, i := range inner {
		eachControl(i, visit)
	}
}

package kit

import "fyne.io/fyne/v2"

// ReplaceRows is SetRows for rows whose buttons are new ones: who had the focus on one
// by keyboard has it on the button in its place.
//
// c is the canvas of the window: before the window is painted first, the toolkit doesn't
// know whose canvas a widget is on.
func (v *Viewport) ReplaceRows(c fyne.Canvas, rows []*Placed) {
	focused, _ := c.Focused().(*Button)
	at, text, nth := -1, "", 0
	for i, b := range RowButtons(v.Rows) {
		if b == focused {
			at, text = i, b.Text
		}
	}
	for i, b := range RowButtons(v.Rows) {
		if i < at && b.Text == text {
			nth++
		}
	}
	v.SetRows(rows)
	if at < 0 {
		return
	}
	buttons := RowButtons(rows)
	for _, b := range buttons {
		if b == focused {
			return
		}
	}
	if len(buttons) == 0 {
		c.Focus(v)
		return
	}
	next := buttons[min(at, len(buttons)-1)]
	for _, b := range buttons {
		if b.Text == text {
			if nth == 0 {
				next = b
				break
			}
			nth--
		}
	}
	c.Focus(next)
}

// RowButtons are the buttons of rows, in their order.
func RowButtons(rows []*Placed) []*Button {
	var out []*Button
	for _, p := range rows {
		eachButton(p.Row, func(b *Button) { out = append(out, b) })
	}
	return out
}

func eachButton(o fyne.CanvasObject, visit func(*Button)) {
	if !o.Visible() {
		return
	}
	var inner []fyne.CanvasObject
	switch x := o.(type) {
	case *Button:
		if !x.Disabled() {
			visit(x)
		}
	case *fyne.Container:
		inner = x.Objects
	case *BoxRow:
		inner = []fyne.CanvasObject{x.Content}
	case *CardRow:
		inner = x.Parts
	case *FlowRow:
		inner = x.Objects
	case *LineField:
		inner = []fyne.CanvasObject{x.Button}
	}
	for _, i := range inner {
		eachButton(i, visit)
	}
}

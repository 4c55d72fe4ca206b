package cpuwindow

import "fyne.io/fyne/v2"

// setPageRows replaces a page's rows. Their buttons are new ones: who had the focus
// on one by keyboard has it on the button in its place.
func (w *Window) setPageRows(v *viewport, rows []*placed) {
	focused, _ := w.win.Canvas().Focused().(*button)
	at, text, nth := -1, "", 0
	for i, b := range rowButtons(v.rows) {
		if b == focused {
			at, text = i, b.text
		}
	}
	for i, b := range rowButtons(v.rows) {
		if i < at && b.text == text {
			nth++
		}
	}
	v.setRows(rows)
	if at < 0 {
		return
	}
	buttons := rowButtons(rows)
	for _, b := range buttons {
		if b == focused {
			return
		}
	}
	if len(buttons) == 0 {
		w.win.Canvas().Focus(v)
		return
	}
	next := buttons[min(at, len(buttons)-1)]
	for _, b := range buttons {
		if b.text == text {
			if nth == 0 {
				next = b
				break
			}
			nth--
		}
	}
	w.win.Canvas().Focus(next)
}

// rowButtons are the buttons of rows, in their order.
func rowButtons(rows []*placed) []*button {
	var out []*button
	for _, p := range rows {
		eachButton(p.row, func(b *button) { out = append(out, b) })
	}
	return out
}

func eachButton(o fyne.CanvasObject, visit func(*button)) {
	if !o.Visible() {
		return
	}
	var inner []fyne.CanvasObject
	switch x := o.(type) {
	case *button:
		if !x.Disabled() {
			visit(x)
		}
	case *fyne.Container:
		inner = x.Objects
	case *boxRow:
		inner = []fyne.CanvasObject{x.content}
	case *cardRow:
		inner = x.parts
	case *flowRow:
		inner = x.objects
	case *lineField:
		inner = []fyne.CanvasObject{x.button}
	}
	for _, i := range inner {
		eachButton(i, visit)
	}
}

package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// listBox is a list within a card that scrolls where it is longer than its room.
type listBox struct {
	widget.BaseWidget
	port *viewport
	rows []*placed
	most float32 // its height
}

func newListBox(rows []*placed, most float32) *listBox {
	b := &listBox{port: newViewport(), rows: rows, most: most}
	b.port.pad, b.port.top, b.port.bottom, b.port.follow, b.port.fixed, b.port.leftward = listGutter, 0, gap4, false, true, true
	b.port.setRows(rows)
	b.ExtendBaseWidget(b)
	return b
}

// measure implements row.
func (b *listBox) measure(width float32) float32 {
	h := b.port.top + b.port.bottom
	for i, p := range b.rows {
		w := min(width-listGutter, columnMax) - p.indent
		if p.max > 0 {
			w = min(w, p.max-p.indent)
		}
		h += p.row.measure(w)
		if i > 0 {
			h += p.gap * density()
		}
	}
	return min(h, b.most)
}

// listGutter is the room for the scroll bar beside the rows.
const listGutter = gap8

// CreateRenderer implements fyne.Widget.
func (b *listBox) CreateRenderer() fyne.WidgetRenderer { return &listRenderer{b} }

// listRenderer lets the rows begin at the card's edge, and the bar stand beside them.
type listRenderer struct{ b *listBox }

func (r *listRenderer) Layout(s fyne.Size) {
	r.b.port.Move(fyne.NewPos(-listGutter, 0))
	r.b.port.Resize(fyne.NewSize(s.Width+listGutter, s.Height))
}
func (r *listRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *listRenderer) Refresh()                     { r.b.port.Refresh() }
func (r *listRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.b.port} }
func (r *listRenderer) Destroy()                     {}

// choiceRow is a switch with what it chooses beside it.
type choiceRow struct {
	widget.BaseWidget
	sign *toggle
	text *prose
	meta *prose // nil without
}

// newChoiceRow begins unchosen; choose is told of each change.
func newChoiceRow(text, meta string, choose func(on bool)) *choiceRow {
	r := &choiceRow{text: newProse([]run{{text: text}}, sizeText, roleText)}
	if meta != "" {
		r.meta = newProse([]run{{text: meta}}, sizeSmall, roleMuted)
	}
	r.sign = newSwitch(func(value string) {
		choose(value == "true")
		r.sign.show(value, false)
	})
	r.ExtendBaseWidget(r)
	return r
}

const choiceIndent = switchWidth + gap12

// measure implements row.
func (r *choiceRow) measure(width float32) float32 {
	h := r.text.measure(width - choiceIndent)
	if r.meta != nil {
		h += r.meta.measure(width - choiceIndent)
	}
	return max(h, switchHeight)
}

// Tapped implements fyne.Tappable: the words choose, too.
func (r *choiceRow) Tapped(ev *fyne.PointEvent) { r.sign.Tapped(ev) }

// CreateRenderer implements fyne.Widget.
func (r *choiceRow) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{r.sign, r.text}
	if r.meta != nil {
		objects = append(objects, r.meta)
	}
	return &choiceRenderer{r, objects}
}

type choiceRenderer struct {
	r       *choiceRow
	objects []fyne.CanvasObject
}

func (c *choiceRenderer) Layout(s fyne.Size) {
	r, w := c.r, max(0, s.Width-choiceIndent)
	r.sign.Resize(fyne.NewSize(switchWidth, switchHeight))
	h := r.text.measure(w)
	r.text.Move(fyne.NewPos(choiceIndent, 0))
	r.text.Resize(fyne.NewSize(w, h))
	if r.meta != nil {
		r.meta.Move(fyne.NewPos(choiceIndent, h))
		r.meta.Resize(fyne.NewSize(w, r.meta.measure(w)))
	}
}
func (c *choiceRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (c *choiceRenderer) Objects() []fyne.CanvasObject { return c.objects }
func (c *choiceRenderer) Destroy()                     {}
func (c *choiceRenderer) Refresh() {
	for _, o := range c.objects {
		o.Refresh()
	}
}

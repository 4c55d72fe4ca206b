package column

import (
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// ListBox is a list within a card that scrolls if it is longer than its room.
type ListBox struct {
	widget.BaseWidget
	Port      *Viewport
	rows      []*Placed
	maxHeight float32 // maximum height
}

// NewListBox returns a list of rows with a maximum height.
func NewListBox(rows []*Placed, maxHeight float32) *ListBox {
	b := &ListBox{Port: NewViewport(), rows: rows, maxHeight: maxHeight}
	b.Port.Pad, b.Port.Top, b.Port.Bottom, b.Port.Follow, b.Port.Fixed, b.Port.Leftward = listGutter, 0, kit.Gap4, false, true, true
	b.Port.SetRows(rows)
	b.ExtendBaseWidget(b)
	return b
}

// Measure implements kit.Row.
func (b *ListBox) Measure(width float32) float32 {
	h := b.Port.Top + b.Port.Bottom
	for i, p := range b.rows {
		h += p.Row.Measure(p.widthIn(min(width-listGutter, kit.ColumnMax), width-listGutter))
		if i > 0 {
			h += p.Gap * kit.Density()
		}
	}
	return min(h, b.maxHeight)
}

// listGutter is the width of the scroll bar beside the rows.
const listGutter = kit.Gap8

// CreateRenderer implements fyne.Widget.
func (b *ListBox) CreateRenderer() fyne.WidgetRenderer { return kit.NewRenderer(b, b.layOut, b.Port) }

// layOut aligns the rows with the card's edge, with the scroll bar beside them.
func (b *ListBox) layOut(s fyne.Size) {
	b.Port.Move(fyne.NewPos(-listGutter, 0))
	b.Port.Resize(fyne.NewSize(s.Width+listGutter, s.Height))
}

// ChoiceRow is a switch with a label and an optional note.
type ChoiceRow struct {
	widget.BaseWidget
	sign *kit.Switch
	text *prose.Text
	meta *prose.Text // nil if there is none
}

// NewChoiceRow returns a row that isn't chosen; it calls choose on each change.
func NewChoiceRow(text, meta string, choose func(on bool)) *ChoiceRow {
	r := &ChoiceRow{text: prose.New([]prose.Run{{Text: text}}, kit.SizeText, kit.RoleText)}
	if meta != "" {
		r.meta = prose.New([]prose.Run{{Text: meta}}, kit.SizeSmall, kit.RoleMuted)
	}
	r.sign = kit.NewSwitch(func(value string) {
		choose(value == "true")
		r.sign.SetValue(value, false)
	})
	r.ExtendBaseWidget(r)
	return r
}

// Set sets whether the row is chosen.
func (r *ChoiceRow) Set(on bool) { r.sign.SetValue(strconv.FormatBool(on), false) }

// beside returns the width and the x of the text beside the switch.
func (r *ChoiceRow) beside(width float32) (words, x float32) {
	x = r.sign.MinSize().Width + kit.Gap12
	return max(0, width-x), x
}

// Measure implements kit.Row.
func (r *ChoiceRow) Measure(width float32) float32 {
	w, _ := r.beside(width)
	h := r.text.Measure(w)
	if r.meta != nil {
		h += r.meta.Measure(w)
	}
	return max(h, r.sign.MinSize().Height)
}

// Tapped implements fyne.Tappable: a tap on the text chooses, too.
func (r *ChoiceRow) Tapped(ev *fyne.PointEvent) { r.sign.Tapped(ev) }

// CreateRenderer implements fyne.Widget.
func (r *ChoiceRow) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{r.sign, r.text}
	if r.meta != nil {
		objects = append(objects, r.meta)
	}
	return kit.NewRenderer(r, r.layOut, objects...)
}

// layOut places the parts for a size.
func (r *ChoiceRow) layOut(s fyne.Size) {
	w, x := r.beside(s.Width)
	r.sign.Resize(r.sign.MinSize())
	h := r.text.Measure(w)
	r.text.Move(fyne.NewPos(x, 0))
	r.text.Resize(fyne.NewSize(w, h))
	if r.meta != nil {
		r.meta.Move(fyne.NewPos(x, h))
		r.meta.Resize(fyne.NewSize(w, r.meta.Measure(w)))
	}
}

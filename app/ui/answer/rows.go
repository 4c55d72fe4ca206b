package answer

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/prose"
)

// Style depends on where leaves are shown: in an answer, or below a call.
type Style struct {
	Indent float32
	Muted  bool
}

// Rows are the rows of a document's leaves. Rows of finished leaves are never touched
// again; those of the tail are changed in place.
type Rows struct {
	Rows   []*column.Placed
	leaves []markdown.Leaf // of the rows from fixed on
	fixed  int
	remade int // the document's Rebuilt when the rows were built
}

// Update shows a document's current leaves. onCopy receives the code that Copy copies.
func (l *Rows) Update(e markdown.View, onCopy func(string), st Style) {
	total := len(e.Leaves) + len(e.Tail)
	if l.remade != e.Rebuilt {
		*l = Rows{remade: e.Rebuilt}
	}
	kept := l.leaves
	start := l.fixed
	l.leaves = nil
	for i := start; i < total; i++ {
		var lf markdown.Leaf
		if i < len(e.Leaves) {
			lf = e.Leaves[i]
		} else {
			lf = e.Tail[i-len(e.Leaves)]
			l.leaves = append(l.leaves, lf)
		}
		if i < len(l.Rows) && i-start < len(kept) && reuse(l.Rows[i], kept[i-start], lf) {
			continue
		}
		p := newLeaf(lf, i == 0, onCopy, st)
		if i < len(l.Rows) {
			l.Rows[i] = p
		} else {
			l.Rows = append(l.Rows, p)
		}
	}
	l.Rows = l.Rows[:total]
	l.fixed = len(e.Leaves)
}

// reuse changes a row in place if the new leaf has the same kind.
func reuse(p *column.Placed, old, now markdown.Leaf) bool {
	if old.Kind != now.Kind || old.Level != now.Level || old.Indent != now.Indent || old.Quote != now.Quote || old.Marker != now.Marker || old.Footnote != now.Footnote {
		return false
	}
	switch r := p.Row.(type) {
	case *itemRow:
		if r.text.SetRuns(Runs(now.Runs)) {
			p.Dirty = true
			r.text.Measure(p.Width - r.lead)
			r.text.Refresh()
		}
		return true
	case *prose.Text:
		if r.SetRuns(Runs(now.Runs)) {
			p.Dirty = true
			r.Measure(p.Width)
			r.Refresh()
		}
		return true
	case *tableRow:
		if !r.update(old, now) {
			return false
		}
		p.Dirty = true
		r.Measure(p.Width)
		r.Refresh()
		return true
	case *CodeRow:
		p.Dirty = old.Code != now.Code
		return r.update(now)
	}
	return now.Kind == markdown.Rule
}

func newLeaf(l markdown.Leaf, first bool, onCopy func(string), st Style) *column.Placed {
	p := &column.Placed{Gap: kit.Gap8, Max: kit.ProseMax, Indent: st.Indent}
	switch l.Kind {
	case markdown.Code:
		p.Row, p.Max = newCodeRow(l, onCopy), kit.ColumnMax // its lines aren't wrapped
		p.Indent += float32(l.Indent)*indentStep + float32(l.Quote)*quoteStep
	case markdown.Table:
		p.Row = newTableRow(l)
	case markdown.Rule:
		p.Row = column.NewBoxRow(kit.Hairline())
		p.Gap = kit.Gap12
	case markdown.Heading:
		p.Row = newItemRow(l)
		p.Gap = kit.Gap16
		if first {
			p.Gap = kit.Gap8
		}
	default:
		p.Row = newPara(l, st)
		if l.Tight {
			p.Gap = kit.Gap4
		}
	}
	return p
}

func newPara(l markdown.Leaf, st Style) kit.Row {
	if l.Indent == 0 && l.Quote == 0 && l.Marker == "" {
		role := kit.RoleText
		if st.Muted {
			role = kit.RoleMuted
		}
		return prose.New(Runs(l.Runs), kit.SizeText, role)
	}
	r := newItemRow(l)
	if st.Muted {
		r.text.Role = kit.RoleMuted
	}
	return r
}

func (r *itemRow) FlatText() string { return r.text.Flat }

func (r *itemRow) SetMarks(marks []prose.Mark, now int) { r.text.SetMarks(marks, now) }

func (r *itemRow) LineOf(off int) float32 { return r.text.LineOf(off) }

// itemRow is prose with a marker before it, or with quote lines beside it.
type itemRow struct {
	widget.BaseWidget
	text   *prose.Text
	marker *kit.Label
	box    *kit.Surface // of a task, filled when done
	tick   []*canvas.Line
	quote  int
	bars   []*kit.Surface
	lead   float32 // x of the text
}

const (
	indentStep float32 = 20
	quoteStep  float32 = 14
)

func newItemRow(l markdown.Leaf) *itemRow {
	r := &itemRow{quote: l.Quote}
	r.text = prose.New(Runs(l.Runs), kit.SizeText, kit.RoleText)
	if l.Footnote {
		r.text = prose.New(Runs(l.Runs), kit.SizeSmall, kit.RoleMuted)
	}
	if l.Kind == markdown.Heading {
		r.text = headingProse(l)
	}
	if l.Quote > 0 {
		r.text.Role = kit.RoleMuted
	}
	for range l.Quote {
		r.bars = append(r.bars, kit.NewSurface(kit.RoleLine, kit.RoleNone, 1))
	}
	r.lead = float32(l.Quote) * quoteStep
	if l.Indent > 0 {
		r.lead += float32(l.Indent) * indentStep
	}
	r.marker = kit.Muted(l.Marker)
	if l.Marker == markdown.TaskOpen || l.Marker == markdown.TaskDone {
		r.box = kit.NewSurface(kit.RoleNone, kit.RoleFaint, 3)
		r.marker.Hide()
	}
	if l.Marker == markdown.TaskDone {
		r.box.Fill, r.box.Stroke = kit.RoleAccent, kit.RoleAccent
		r.tick = []*canvas.Line{canvas.NewLine(nil), canvas.NewLine(nil)}
	}
	r.ExtendBaseWidget(r)
	return r
}

func headingProse(l markdown.Leaf) *prose.Text {
	size := kit.SizeText
	switch l.Level {
	case 1:
		size = kit.SizeNumber - 2
	case 2:
		size = kit.SizeLarge
	}
	return prose.NewBold(Runs(l.Runs), size, kit.RoleText)
}

func (r *itemRow) Measure(width float32) float32 { return r.text.Measure(width - r.lead) }

func (r *itemRow) SetVisiblePart(from, to float32) { r.text.SetVisiblePart(from, to) }

func (r *itemRow) SelectLen() int { return r.text.SelectLen() }

func (r *itemRow) SetSelection(from, to int) { r.text.SetSelection(from, to) }

func (r *itemRow) WordAt(off int) (int, int) { return r.text.WordAt(off) }

func (r *itemRow) OffsetAt(p fyne.Position) int { return r.text.OffsetAt(p.SubtractXY(r.lead, 0)) }

func (r *itemRow) LinkAt(p fyne.Position) string { return r.text.LinkAt(p.SubtractXY(r.lead, 0)) }

func (r *itemRow) SelectedText(from, to int) string {
	t := r.text.SelectedText(from, to)
	if from == 0 && to > 0 && r.marker.Text != "" {
		return r.marker.Text + " " + t
	}
	return t
}

// CreateRenderer implements fyne.Widget.
func (r *itemRow) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{r.text, r.marker}
	if r.box != nil {
		objects = append(objects, r.box)
	}
	for _, t := range r.tick {
		t.StrokeWidth = 1.5
		objects = append(objects, t)
	}
	for _, b := range r.bars {
		objects = append(objects, b)
	}
	return kit.NewRenderer(r, r.layOut, objects...)
}

// layOut places the parts for a size.
func (r *itemRow) layOut(s fyne.Size) {
	for i, b := range r.bars {
		b.Move(fyne.NewPos(float32(i)*quoteStep, 0))
		b.Resize(fyne.NewSize(2, s.Height))
	}
	m := r.marker.MinSize()
	r.marker.Move(fyne.NewPos(r.lead-m.Width-6, 0))
	r.marker.Resize(fyne.NewSize(m.Width, r.text.Leading))
	if r.box != nil {
		at := fyne.NewPos(r.lead-18, (r.text.Leading-kit.Gap12)/2)
		r.box.Move(at)
		r.box.Resize(fyne.NewSize(kit.Gap12, kit.Gap12))
		if len(r.tick) > 0 { // a check mark: down to its lowest point, then up to the right
			low := at.AddXY(5, 9)
			r.tick[0].Position1, r.tick[0].Position2 = at.AddXY(2.5, 6.5), low
			r.tick[1].Position1, r.tick[1].Position2 = low, at.AddXY(9.5, 3.5)
			r.tick[0].StrokeColor, r.tick[1].StrokeColor = kit.Color(kit.RoleOnAccent), kit.Color(kit.RoleOnAccent)
		}
	}
	r.text.Move(fyne.NewPos(r.lead, 0))
	r.text.Measure(s.Width - r.lead)
	r.text.Resize(fyne.NewSize(s.Width-r.lead, s.Height))
}

// Runs returns the text of an answer as runs of prose.
func Runs(runs []markdown.Run) []prose.Run {
	if runs == nil {
		return nil
	}
	out := make([]prose.Run, len(runs))
	for i, r := range runs {
		out[i] = prose.Run{Text: r.Text, Bold: r.Bold, Italic: r.Italic, Strike: r.Strike, Mono: r.Mono, Key: r.Key, Lift: r.Lift, Link: r.Link}
	}
	return out
}

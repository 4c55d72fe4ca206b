package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/markdown"
	"mac-stats/sessionmem"
)

// leafStyle is where leaves are shown: in an answer, or below a call.
type leafStyle struct {
	indent float32
	muted  bool
}

// leafRows is the rows of a document's leaves. Rows of finished leaves are never
// touched again; those of the tail are changed in place.
type leafRows struct {
	rows   []*placed
	leaves []markdown.Leaf // of the rows from fixed on
	fixed  int
	remade int // of the document, when the rows were made
}

func (l *leafRows) update(e markdown.View, onCopy func(string), st leafStyle) {
	total := len(e.Leaves) + len(e.Tail)
	if l.remade != e.Remade {
		*l = leafRows{remade: e.Remade}
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
		if i < len(l.rows) && i-start < len(kept) && reuse(l.rows[i], kept[i-start], lf) {
			continue
		}
		p := newLeaf(lf, i == 0, onCopy, st)
		if i < len(l.rows) {
			l.rows[i] = p
		} else {
			l.rows = append(l.rows, p)
		}
	}
	l.rows = l.rows[:total]
	l.fixed = len(e.Leaves)
}

// reuse changes a row in place where the new leaf has the same shape.
func reuse(p *placed, old, now markdown.Leaf) bool {
	if old.Kind != now.Kind || old.Level != now.Level || old.Indent != now.Indent || old.Quote != now.Quote || old.Marker != now.Marker {
		return false
	}
	switch r := p.row.(type) {
	case *itemRow:
		if r.text.setRuns(styledRuns(now.Runs)) {
			p.dirty = true
			r.text.measure(p.width - r.lead)
			r.text.Refresh()
		}
		return true
	case *prose:
		if r.setRuns(styledRuns(now.Runs)) {
			p.dirty = true
			r.measure(p.width)
			r.Refresh()
		}
		return true
	case *tableRow:
		if !r.update(old, now) {
			return false
		}
		p.dirty = true
		r.measure(p.width)
		r.Refresh()
		return true
	case *codeRow:
		p.dirty = old.Code != now.Code
		return r.update(now)
	}
	return now.Kind == markdown.Rule
}

func newLeaf(l markdown.Leaf, first bool, onCopy func(string), st leafStyle) *placed {
	p := &placed{gap: gap8, max: proseMax, indent: st.indent}
	switch l.Kind {
	case markdown.Code:
		p.row = newCodeRow(l, onCopy)
		p.indent += float32(l.Indent)*indentStep + float32(l.Quote)*quoteStep
	case markdown.Table:
		p.row = newTableRow(l)
	case markdown.Rule:
		p.row = newBoxRow(hairline())
		p.gap = gap12
	case markdown.Heading:
		p.row = newItemRow(l)
		p.gap = gap16
		if first {
			p.gap = gap8
		}
	default:
		p.row = newPara(l, st)
		if l.Tight {
			p.gap = gap4
		}
	}
	return p
}

func newPara(l markdown.Leaf, st leafStyle) row {
	if l.Indent == 0 && l.Quote == 0 && l.Marker == "" {
		role := roleText
		if st.muted {
			role = roleMuted
		}
		return newProse(styledRuns(l.Runs), sizeText, role)
	}
	r := newItemRow(l)
	if st.muted {
		r.text.role = roleMuted
	}
	return r
}

func (r *itemRow) flatText() string { return r.text.flat }

func (r *itemRow) setMarks(marks []sessionmem.Mark, now int) { r.text.setMarks(marks, now) }

func (r *itemRow) lineOf(off int) float32 { return r.text.lineOf(off) }

// itemRow is prose with a marker before it or quote lines beside it.
type itemRow struct {
	widget.BaseWidget
	text   *prose
	marker *words
	box    *surface // of a task, filled when done
	tick   []*canvas.Line
	quote  int
	bars   []*surface
	lead   float32 // where the text begins
}

const (
	indentStep float32 = 20
	quoteStep  float32 = 14
)

func newItemRow(l markdown.Leaf) *itemRow {
	r := &itemRow{quote: l.Quote}
	r.text = newProse(styledRuns(l.Runs), sizeText, roleText)
	if l.Kind == markdown.Heading {
		r.text = headingProse(l)
	}
	if l.Quote > 0 {
		r.text.role = roleMuted
	}
	for range l.Quote {
		r.bars = append(r.bars, newSurface(roleLine, roleNone, 1))
	}
	r.lead = float32(l.Quote) * quoteStep
	if l.Indent > 0 {
		r.lead += float32(l.Indent) * indentStep
	}
	r.marker = mutedWords(l.Marker)
	if l.Marker == markdown.TaskOpen || l.Marker == markdown.TaskDone {
		r.box = newSurface(roleNone, roleFaint, 3)
		r.marker.Hide()
	}
	if l.Marker == markdown.TaskDone {
		r.box.fill, r.box.stroke = roleAccent, roleAccent
		r.tick = []*canvas.Line{canvas.NewLine(nil), canvas.NewLine(nil)}
	}
	r.ExtendBaseWidget(r)
	return r
}

func headingProse(l markdown.Leaf) *prose {
	size := sizeText
	switch l.Level {
	case 1:
		size = sizeNumber - 2
	case 2:
		size = sizeLarge
	}
	p := newProse(nil, size, roleText)
	p.bold = true
	p.words = nil
	p.setRuns(styledRuns(l.Runs))
	return p
}

func (r *itemRow) measure(width float32) float32 { return r.text.measure(width - r.lead) }

func (r *itemRow) look(from, to float32) { r.text.look(from, to) }

func (r *itemRow) selectLen() int { return r.text.selectLen() }

func (r *itemRow) setSelection(from, to int) { r.text.setSelection(from, to) }

func (r *itemRow) wordAt(off int) (int, int) { return r.text.wordAt(off) }

func (r *itemRow) offsetAt(p fyne.Position) int { return r.text.offsetAt(p.SubtractXY(r.lead, 0)) }

func (r *itemRow) linkAt(p fyne.Position) string { return r.text.linkAt(p.SubtractXY(r.lead, 0)) }

func (r *itemRow) selectedText(from, to int) string {
	t := r.text.selectedText(from, to)
	if from == 0 && to > 0 && r.marker.text != "" {
		return r.marker.text + " " + t
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
		t.StrokeWidth, t.StrokeColor = 1.5, ink(roleOnAccent)
		objects = append(objects, t)
	}
	for _, b := range r.bars {
		objects = append(objects, b)
	}
	return &itemRenderer{r, objects}
}

type itemRenderer struct {
	r       *itemRow
	objects []fyne.CanvasObject
}

func (x *itemRenderer) Layout(s fyne.Size) {
	r := x.r
	for i, b := range r.bars {
		b.Move(fyne.NewPos(float32(i)*quoteStep, 0))
		b.Resize(fyne.NewSize(2, s.Height))
	}
	m := r.marker.MinSize()
	r.marker.Move(fyne.NewPos(r.lead-m.Width-6, 0))
	r.marker.Resize(fyne.NewSize(m.Width, r.text.leading))
	if r.box != nil {
		at := fyne.NewPos(r.lead-18, (r.text.leading-gap12)/2)
		r.box.Move(at)
		r.box.Resize(fyne.NewSize(gap12, gap12))
		if len(r.tick) > 0 { // a hook: down to its low point, up to the right
			low := at.AddXY(5, 9)
			r.tick[0].Position1, r.tick[0].Position2 = at.AddXY(2.5, 6.5), low
			r.tick[1].Position1, r.tick[1].Position2 = low, at.AddXY(9.5, 3.5)
		}
	}
	r.text.Move(fyne.NewPos(r.lead, 0))
	r.text.measure(s.Width - r.lead)
	r.text.Resize(fyne.NewSize(s.Width-r.lead, s.Height))
}

func (x *itemRenderer) MinSize() fyne.Size { return fyne.Size{} }

func (x *itemRenderer) Objects() []fyne.CanvasObject { return x.objects }

func (x *itemRenderer) Destroy() {}

func (x *itemRenderer) Refresh() {
	x.Layout(x.r.Size())
	for _, t := range x.r.tick {
		t.StrokeColor = ink(roleOnAccent)
	}
	for _, o := range x.objects {
		o.Refresh()
	}
}

// styledRuns is text of an answer as the screen draws it.
func styledRuns(runs []markdown.Run) []run {
	if runs == nil {
		return nil
	}
	out := make([]run, len(runs))
	for i, r := range runs {
		out[i] = run{text: r.Text, bold: r.Bold, italic: r.Italic, strike: r.Strike, mono: r.Mono, link: r.Link}
	}
	return out
}

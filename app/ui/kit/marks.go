package kit

// Mark is a part of a row's text that find found, in bytes.
type Mark struct{ From, To int }

// markable rows can show what find found in them.
type markable interface {
	FlatText() string
	SetMarks(marks []Mark, now int)
	LineOf(off int) float32 // where the line of a place in the text begins, in own coordinates
}

// FlatText implements Markable.
func (f *Framed) FlatText() string { return f.Text.Flat }

// SetMarks implements Markable.
func (f *Framed) SetMarks(marks []Mark, now int) { f.Text.SetMarks(marks, now) }

// LineOf implements Markable.
func (f *Framed) LineOf(off int) float32 { return f.padTop + f.Text.LineOf(off) }

// MarkRows shows a phrase in all rows. Of the places in the rows from…to, the nth is the one
// that is looked at (the last where there are fewer); it is brought into sight where
// that is asked for.
func (v *Viewport) MarkRows(find func(text string) []Mark, from, to, nth int, reveal bool) {
	var last struct {
		row   *Placed
		in    markable
		marks []Mark
		i     int
	}
	seen := 0
	for i, p := range v.Rows {
		m, ok := p.Row.(markable)
		if !ok {
			continue
		}
		marks := find(m.FlatText())
		m.SetMarks(marks, -1)
		if i < from || i >= to || len(marks) == 0 || seen > nth {
			continue
		}
		last.row, last.in, last.marks, last.i = p, m, marks, min(nth-seen, len(marks)-1)
		seen += len(marks)
	}
	if last.row == nil {
		return
	}
	last.in.SetMarks(last.marks, last.i)
	if !reveal {
		return
	}
	y := last.row.Top + last.in.LineOf(last.marks[last.i].From)
	v.Reveal(y, y+20)
}

package cpuwindow

import (
	"mac-stats/sessionmem"
)

// markable rows can show what find found in them.
type markable interface {
	flatText() string
	setMarks(marks []sessionmem.Mark, now int)
	lineOf(off int) float32 // where the line of a place in the text begins, in own coordinates
}

func (f *framed) flatText() string { return f.text.flat }

func (f *framed) setMarks(marks []sessionmem.Mark, now int) { f.text.setMarks(marks, now) }

func (f *framed) lineOf(off int) float32 { return f.padTop + f.text.lineOf(off) }

func (r *codeRow) flatText() string { return r.text.code }

func (r *codeRow) setMarks(marks []sessionmem.Mark, now int) {
	t := r.text
	if len(t.marks) == 0 && len(marks) == 0 {
		return
	}
	t.marks, t.markNow = marks, now
	t.Refresh()
}

func (r *codeRow) lineOf(off int) float32 {
	for i, l := range r.text.lines {
		if off <= l.to {
			return r.padTop + float32(i)*codeLeading()
		}
	}
	return 0
}

func (t *tableRow) flatText() string {
	text := ""
	t.eachCell(func(p *prose, _ int) { text += p.flat + "\n" })
	return text
}

// eachCell gives the cells with where each begins in the table's text.
func (t *tableRow) eachCell(f func(p *prose, at int)) {
	at := 0
	for _, cells := range t.cells {
		for _, p := range cells {
			f(p, at)
			at += len(p.flat) + 1
		}
	}
}

func (t *tableRow) setMarks(marks []sessionmem.Mark, now int) {
	t.eachCell(func(p *prose, at int) {
		var own []sessionmem.Mark
		ownNow := -1
		for i, m := range marks {
			if m.From < at || m.To > at+len(p.flat) {
				continue
			}
			if i == now {
				ownNow = len(own)
			}
			own = append(own, sessionmem.Mark{From: m.From - at, To: m.To - at})
		}
		p.setMarks(own, ownNow)
	})
}

func (t *tableRow) lineOf(off int) float32 {
	y, at := float32(0), 0
	for i, cells := range t.cells {
		for _, p := range cells {
			if at += len(p.flat) + 1; off < at {
				return y
			}
		}
		if i < len(t.heights) {
			y += t.heights[i]
		}
	}
	return 0
}

// markRows shows a phrase in all rows. Of those of a spread, the nth place is the one
// that is looked at (the last where there are fewer); it is brought into sight where
// that is asked for.
func (v *viewport) markRows(find func(text string) []sessionmem.Mark, of spread, nth int, reveal bool) {
	var last struct {
		row   *placed
		in    markable
		marks []sessionmem.Mark
		i     int
	}
	seen := 0
	for i, p := range v.rows {
		m, ok := p.row.(markable)
		if !ok {
			continue
		}
		marks := find(m.flatText())
		m.setMarks(marks, -1)
		if i < of.from || i >= of.to || len(marks) == 0 || seen > nth {
			continue
		}
		last.row, last.in, last.marks, last.i = p, m, marks, min(nth-seen, len(marks)-1)
		seen += len(marks)
	}
	if last.row == nil {
		return
	}
	last.in.setMarks(last.marks, last.i)
	if !reveal {
		return
	}
	y := last.row.top + last.in.lineOf(last.marks[last.i].From)
	v.reveal(y, y+20)
}

package column

import (
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// markable rows can show the matches of a search.
type markable interface {
	FlatText() string
	SetMarks(marks []prose.Mark, now int)
	LineOf(off int) float32 // y of the line at an offset in the text, relative to the row
}

// FlatText implements Markable.
func (f *Framed) FlatText() string { return f.Text.Flat }

// SetMarks implements Markable.
func (f *Framed) SetMarks(marks []prose.Mark, now int) {
	f.Text.SetMarks(marks, now)
	if n := len(marks); f.OnFind != nil && n > 0 && f.Text.Hides(marks[n-1].From) {
		f.OnFind()
	}
}

// LineOf implements Markable.
func (f *Framed) LineOf(off int) float32 { return f.padTop + f.Text.LineOf(off) }

// MarkRows marks what find finds in all rows, and returns the number of matches in
// rows[from:to]. The nth of those becomes the current match: the last one if there are
// fewer, none if nth is negative. If reveal is set, it is scrolled into view.
func (v *Viewport) MarkRows(find func(text string) []prose.Mark, from, to, nth int, reveal bool) (places int) {
	type found struct {
		row   *Placed
		in    markable
		marks []prose.Mark
		now   int
	}
	var last, looked *found
	for i, p := range v.Rows {
		m, ok := p.Row.(markable)
		if !ok {
			continue
		}
		f := &found{p, m, find(m.FlatText()), -1}
		if i >= from && i < to && len(f.marks) > 0 {
			if last = f; nth >= places && nth < places+len(f.marks) {
				f.now = nth - places
				looked = f
			}
			places += len(f.marks)
		}
		m.SetMarks(f.marks, f.now)
	}
	if looked == nil && last != nil && nth >= places {
		looked = last
		looked.now = len(last.marks) - 1
		looked.in.SetMarks(looked.marks, looked.now)
	}
	if looked != nil && reveal {
		y := looked.row.Top + looked.in.LineOf(looked.marks[looked.now].From)
		v.Reveal(y, y+20)
	}
	return places
}

// Unmark removes the marks.
func (v *Viewport) Unmark() { v.MarkRows(func(string) []prose.Mark { return nil }, 0, 0, -1, false) }

// SavePosition returns a function that scrolls back to what the reader sees now.
func (v *Viewport) SavePosition() (back func()) {
	follow, first, delta := v.Follow, kit.Row(nil), float32(0)
	if i := v.FirstVisible(); i < len(v.Rows) {
		first, delta = v.Rows[i].Row, v.Offset-v.Rows[i].Top
	}
	return func() {
		if follow {
			v.ToEnd()
			return
		}
		for _, p := range v.Rows {
			if p.Row == first {
				v.ScrollTo(p.Top + delta)
			}
		}
	}
}

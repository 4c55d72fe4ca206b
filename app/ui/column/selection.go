package column

import (
	"strings"

	"fyne.io/fyne/v2"
)

// selectable rows take part in selecting text with the mouse, across rows.
type selectable interface {
	SelectLen() int
	OffsetAt(pos fyne.Position) int
	SetSelection(from, to int)
	SelectedText(from, to int) string
}

// spot is a position in the text of a row.
type spot struct{ row, off int }

func (a spot) before(b spot) bool { return a.row < b.row || a.row == b.row && a.off < b.off }

// selection is the selected text in the rows of a column.
type selection struct {
	in           *places
	anchor, head spot
	active, drag bool
}

// spotAt returns the position in the text nearest to a point of the view.
func (s *selection) spotAt(pos fyne.Position) spot {
	y := pos.Y + s.in.Offset
	best := spot{row: -1}
	for i, p := range s.in.Rows {
		row, ok := p.Row.(selectable)
		if !ok {
			continue
		}
		if best.row >= 0 && p.Top > y {
			break
		}
		at := fyne.NewPos(pos.X-s.in.Left-p.Indent, y-p.Top)
		best = spot{i, row.OffsetAt(at)}
		if y < p.Top {
			best.off = 0
			break
		}
	}
	return best
}

// begin begins a selection at a point of the view.
func (s *selection) begin(pos fyne.Position) {
	s.ClearSelection()
	s.anchor = s.spotAt(pos)
	s.head = s.anchor
	s.drag = s.anchor.row >= 0
}

// selectTo extends the selection to a point of the view.
func (s *selection) selectTo(pos fyne.Position) {
	s.head = s.spotAt(pos)
	s.active = s.head != s.anchor
	s.show()
}

// selectWord selects the word at a point of the view.
func (s *selection) selectWord(pos fyne.Position) {
	at := s.spotAt(pos)
	if at.row < 0 {
		return
	}
	if w, ok := s.in.Rows[at.row].Row.(interface{ WordAt(int) (int, int) }); ok {
		from, to := w.WordAt(at.off)
		s.anchor, s.head, s.active, s.drag = spot{at.row, from}, spot{at.row, to}, from < to, false
		s.show()
	}
}

func (s *selection) selectAll() {
	s.anchor, s.head, s.active, s.drag = spot{}, spot{len(s.in.Rows), 0}, len(s.in.Rows) > 0, false
	s.show()
}

// ClearSelection clears the selection.
func (s *selection) ClearSelection() {
	if s.active {
		s.drop()
	}
	s.anchor, s.head, s.active, s.drag = spot{row: -1}, spot{row: -1}, false, false
}

// SelectedText returns the selected text as Copy copies it: one line per row.
func (s *selection) SelectedText() string {
	var parts []string
	s.each(func(row selectable, from, to int) {
		if t := row.SelectedText(from, to); t != "" {
			parts = append(parts, t)
		}
	})
	return strings.Join(parts, "\n")
}

func (s *selection) copySelection() {
	if t := s.SelectedText(); t != "" {
		fyne.CurrentApp().Clipboard().SetContent(t)
	}
}

func (s *selection) show() {
	s.drop()
	s.each(func(row selectable, from, to int) { row.SetSelection(from, to) })
}

func (s *selection) drop() {
	for _, p := range s.in.Rows {
		if row, ok := p.Row.(selectable); ok {
			row.SetSelection(0, 0)
		}
	}
}

func (s *selection) each(f func(row selectable, from, to int)) {
	if !s.active {
		return
	}
	a, b := s.anchor, s.head
	if b.before(a) {
		a, b = b, a
	}
	for i := max(0, a.row); i <= b.row && i < len(s.in.Rows); i++ {
		row, ok := s.in.Rows[i].Row.(selectable)
		if !ok {
			continue
		}
		from, to := 0, row.SelectLen()
		if i == a.row {
			from = a.off
		}
		if i == b.row {
			to = b.off
		}
		f(row, from, to)
	}
}

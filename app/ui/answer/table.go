package answer

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/prose"
)

// tableRow is a table: columns as wide as they need, squeezed if necessary. If words would
// have to be cut, each row of the table becomes a list of its cells, beside the names of
// their columns.
type tableRow struct {
	widget.BaseWidget
	cells   [][]*prose.Text
	names   []*prose.Text // names of the columns, repeated for each row of a list
	right   []bool
	natural []float32 // width each column needs
	longest []float32 // width of each column's longest word
	widths  []float32
	heights []float32 // of rows, or of a list's lines
	listed  bool      // too narrow for columns: shown as a list

	visibleFrom, visibleTo    float32 // the visible part
	firstVisible, lastVisible int     // its visible rows, as drawn
	frame                     *kit.Surface
	lines                     []*kit.Surface
	objects                   []fyne.CanvasObject // of the visible rows
}

func newTableRow(l markdown.Leaf) *tableRow {
	t := &tableRow{right: l.Right, frame: kit.NewSurface(kit.RoleCard, kit.RoleLine, kit.RadiusCard), visibleTo: 1e9}
	t.ExtendBaseWidget(t)
	for _, cells := range l.Table {
		t.addRow(l.Table[0], cells)
	}
	return t
}

// addRow builds a row's cells; names are the columns' names.
func (t *tableRow) addRow(names, cells [][]markdown.Run) {
	header := len(t.cells) == 0
	var ps []*prose.Text
	for c, runs := range cells {
		p := prose.New(Runs(runs), kit.SizeText, kit.RoleText)
		if header {
			p = prose.New(Runs(runs), kit.SizeSmall, kit.RoleMuted)
		} else if len(names) > c {
			t.names = append(t.names, prose.New(Runs(names[c]), kit.SizeSmall, kit.RoleMuted))
		}
		ps = append(ps, p)
		t.measureCell(c, p)
	}
	t.cells = append(t.cells, ps)
	if !header {
		t.lines = append(t.lines, kit.NewSurface(kit.RoleLine, kit.RoleNone, 0))
	}
}

// measureCell records the width that a cell needs.
func (t *tableRow) measureCell(c int, p *prose.Text) {
	p.Measure(1e6)
	for len(t.natural) <= c {
		t.natural, t.longest = append(t.natural, 0), append(t.longest, 0)
	}
	t.natural[c] = max(t.natural[c], p.Widest)
	t.longest[c] = max(t.longest[c], p.LongestWord())
}

// update changes the table to one with the same beginning: when a table grows, its last row
// may change and rows may be added. It reports whether it could.
func (t *tableRow) update(old, now markdown.Leaf) bool {
	n := len(old.Table)
	if n < 2 || len(now.Table) < n || len(t.cells) != n || len(now.Table[0]) != len(old.Table[0]) {
		return false
	}
	last := n - 1
	for i := range n {
		for c := range old.Table[i] {
			same := c < len(now.Table[i]) && slices.Equal(old.Table[i][c], now.Table[i][c])
			if !same && (i < last || c >= len(now.Table[i])) {
				return false
			}
		}
	}
	for c, p := range t.cells[last] {
		if p.SetRuns(Runs(now.Table[last][c])) {
			t.measureCell(c, p)
		}
	}
	for _, cells := range now.Table[n:] {
		t.addRow(now.Table[0], cells)
	}
	return true
}

// SetVisiblePart sets the visible part: only its rows are canvas objects.
func (t *tableRow) SetVisiblePart(from, to float32) {
	t.visibleFrom, t.visibleTo = from, to
	if f, l := t.visibleRows(); f != t.firstVisible || l != t.lastVisible {
		t.Refresh()
	}
}

// visibleRows returns the visible rows, or all rows of a list, which only narrow windows
// show.
func (t *tableRow) visibleRows() (first, last int) {
	last = len(t.cells)
	if t.listed || len(t.heights) != last {
		return 0, last
	}
	y := float32(0)
	for i, h := range t.heights {
		if y+h < t.visibleFrom {
			first = i + 1
		}
		if y > t.visibleTo {
			return first, i
		}
		y += h
	}
	return first, last
}

const (
	wordMax float32 = 160 // longer words are cut anyway: an address, a hash
	nameMax float32 = 110 // maximum width of the names beside a list's values
)

// NaturalWidth returns the width that shows each cell on one line.
func (t *tableRow) NaturalWidth() float32 {
	all := t.pads()
	for _, w := range t.natural {
		all += w + 1
	}
	return all
}

// pads returns the width of the space around the cells of a row.
func (t *tableRow) pads() float32 { return 2 * kit.Gap12 * float32(len(t.natural)) }

// Measure implements kit.Row.
func (t *tableRow) Measure(width float32) float32 {
	pads := t.pads()
	var least float32
	for _, w := range t.longest {
		least += min(w+1, wordMax)
	}
	t.heights = t.heights[:0]
	t.listed = t.NaturalWidth() > width && least+pads > width && len(t.cells) > 1 && len(t.natural) > 1
	if t.listed {
		return t.measureList(width)
	}
	t.widths = squeeze(t.natural, t.longest, width-pads)
	total, scale := float32(0), kit.TextScale()
	for _, cells := range t.cells {
		var h float32
		for c, p := range cells {
			h = max(h, p.MeasureAt(t.widths[c], scale))
		}
		h += kit.Gap8
		t.heights = append(t.heights, h)
		total += h
	}
	return total
}

// nameWidth returns the width of the column names in a list.
func (t *tableRow) nameWidth(width float32) float32 {
	var w float32
	for _, p := range t.cells[0] {
		w = max(w, p.Widest)
	}
	return min(w+1, nameMax, width*0.4)
}

// measureList measures the lines of a list, one for each cell.
func (t *tableRow) measureList(width float32) float32 {
	name, scale := t.nameWidth(width), kit.TextScale()
	total, n := kit.Gap8, 0
	for i, cells := range t.cells[1:] {
		if i > 0 {
			total += kit.Gap16
		}
		for _, value := range t.namedCells(cells) {
			h := max(t.names[n].MeasureAt(name, scale)+kit.Gap4, value.MeasureAt(width-name-3*kit.Gap12, scale))
			t.heights = append(t.heights, h)
			total += h + kit.Gap4
			n++
		}
	}
	return total + kit.Gap4
}

// namedCells returns the cells of a row that have a name; the names in t.names are in the same
// order.
func (t *tableRow) namedCells(cells []*prose.Text) []*prose.Text {
	return cells[:min(len(cells), len(t.cells[0]))]
}

// squeeze divides a width among columns: narrow columns keep what they need, wide ones
// share the rest, and no column gets less than its longest word if there is room.
func squeeze(natural, longest []float32, width float32) []float32 {
	out := make([]float32, len(natural))
	left, open := width, len(natural)
	done := make([]bool, len(natural))
	settle := func(i int, w float32) {
		out[i], done[i] = w, true
		left -= w
		open--
	}
	for open > 0 {
		share, again := left/float32(open), false
		for i, n := range natural {
			if !done[i] && n+1 <= share {
				settle(i, n+1)
				again = true
			}
		}
		for i, w := range longest {
			if w = min(w+1, wordMax); !again && !done[i] && w > share && open > 1 {
				settle(i, w)
				again = true
			}
		}
		if again {
			continue
		}
		for i := range natural {
			if !done[i] {
				out[i] = max(24, share)
			}
		}
		break
	}
	return out
}

func (t *tableRow) SelectLen() int { return 1 }
func (t *tableRow) OffsetAt(p fyne.Position) int {
	if p.Y > t.Size().Height/2 {
		return 1
	}
	return 0
}

// LinkAt returns the address at a point, or "".
func (t *tableRow) LinkAt(pos fyne.Position) string {
	for _, cells := range t.cells {
		for _, p := range cells {
			at, size := p.Position(), p.Size()
			if p.Visible() && pos.X >= at.X && pos.X < at.X+size.Width && pos.Y >= at.Y && pos.Y < at.Y+size.Height {
				return p.LinkAt(pos.Subtract(at))
			}
		}
	}
	return ""
}

func (t *tableRow) SetSelection(from, to int) {
	if from < to {
		t.frame.Set(kit.RoleAccentSoft, kit.RoleLine)
	} else {
		t.frame.Set(kit.RoleCard, kit.RoleLine)
	}
}

func (t *tableRow) SelectedText(from, to int) string {
	if from >= to {
		return ""
	}
	var rows []string
	for _, cells := range t.cells {
		var texts []string
		for _, p := range cells {
			texts = append(texts, p.Flat)
		}
		rows = append(rows, strings.Join(texts, "\t"))
	}
	return strings.Join(rows, "\n")
}

// CreateRenderer implements fyne.Widget.
func (t *tableRow) CreateRenderer() fyne.WidgetRenderer {
	t.gather()
	return &kit.Renderer{Widget: t, LayOut: t.layOut, Parts: func() []fyne.CanvasObject { return t.objects }}
}

func (t *tableRow) FlatText() string {
	text := ""
	t.eachCell(func(p *prose.Text, _ int) { text += p.Flat + "\n" })
	return text
}

// eachCell calls f for each cell, with its offset in the table's text.
func (t *tableRow) eachCell(f func(p *prose.Text, at int)) {
	at := 0
	for _, cells := range t.cells {
		for _, p := range cells {
			f(p, at)
			at += len(p.Flat) + 1
		}
	}
}

func (t *tableRow) SetMarks(marks []prose.Mark, now int) {
	t.eachCell(func(p *prose.Text, at int) {
		var own []prose.Mark
		ownNow := -1
		for i, m := range marks {
			if m.From < at || m.To > at+len(p.Flat) {
				continue
			}
			if i == now {
				ownNow = len(own)
			}
			own = append(own, prose.Mark{From: m.From - at, To: m.To - at})
		}
		p.SetMarks(own, ownNow)
	})
}

func (t *tableRow) LineOf(off int) float32 {
	y, at := float32(0), 0
	for i, cells := range t.cells {
		for _, p := range cells {
			if at += len(p.Flat) + 1; off < at {
				return y
			}
		}
		if i < len(t.heights) {
			y += t.heights[i]
		}
	}
	return 0
}

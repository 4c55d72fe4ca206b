package column

import (
	"slices"
	"sort"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
)

// Placed is a row with its place in the column.
type Placed struct {
	Row    kit.Row
	Gap    float32 // space above it
	Indent float32
	Max    float32         // maximum width; 0 means the column's
	Hover  *kit.HoverGroup // buttons shown while the pointer is on the row

	Top, Height, Width float32
	Dirty              bool
}

// wide is a row whose content doesn't wrap well: a table, code. It may be wider than the column
// if there is room to the right.
type wide interface{ NaturalWidth() float32 }

// widthIn returns the width of the row in a column, with room from the column's left edge on.
func (p *Placed) widthIn(column, room float32) float32 {
	w := column - p.Indent
	if p.Max > 0 {
		w = min(w, p.Max-p.Indent)
	}
	if r, ok := p.Row.(wide); ok {
		w = max(w, min(r.NaturalWidth(), room-p.Indent))
	}
	return w
}

// places holds rows below each other, their places in the column, and the visible part of
// the column. It is independent of any screen.
type places struct {
	Rows      []*Placed
	Offset    float32 // of the visible part
	Total     float32 // height of all rows
	Follow    bool    // the end is visible, and stays so
	Fixed     bool    // for a list or page: it never follows its end, and a reader at its top stays there
	Left      float32 // x of the column in the view
	Pad       float32 // space beside the column
	Top       float32 // space above the first row
	Bottom    float32 // space below the last row
	Leftward  bool    // the column is left-aligned instead of centred
	size      fyne.Size
	column    float32    // current width of the column
	placedFor [2]float32 // text scale and density used for the rows' places
}

// keepPosition changes rows while what the reader looks at stays in place.
func (c *places) keepPosition(change func()) {
	visible := c.visibleRows()
	change()
	c.place()
	c.restore(visible)
}

// visibleRows returns the visible rows, each with the offset relative to its top.
func (c *places) visibleRows() map[kit.Row]float32 {
	if c.Follow || c.Fixed && c.Offset <= 0 {
		return nil
	}
	visible := map[kit.Row]float32{}
	for i := c.FirstVisible(); i < len(c.Rows) && c.Rows[i].Top < c.Offset+c.size.Height; i++ {
		visible[c.Rows[i].Row] = c.Offset - c.Rows[i].Top
	}
	return visible
}

// restore moves the first row that was visible back to where it was; a reader at the end
// stays at the end.
func (c *places) restore(visible map[kit.Row]float32) {
	if c.Follow {
		c.Offset = c.MaxOffset()
		return
	}
	for _, p := range c.Rows {
		if delta, ok := visible[p.Row]; ok {
			c.Offset = min(max(p.Top+delta, 0), c.MaxOffset())
			return
		}
	}
}

// place computes every row's place. It asks a row for its height only if the row is dirty,
// or if the width or the look has changed.
func (c *places) place() {
	c.column = min(c.size.Width-2*c.Pad, kit.ColumnMax)
	if c.column < 40 {
		return
	}
	c.Left = (c.size.Width - c.column) / 2
	look := [2]float32{kit.TextScale(), kit.Density()}
	force := c.placedFor != look
	c.placedFor = look
	if c.Leftward {
		c.Left = c.Pad
	}
	y := c.Top
	for i, p := range c.Rows {
		w := p.widthIn(c.column, c.size.Width-c.Left-c.Pad)
		if force || p.Dirty || p.Width != w {
			p.Width, p.Dirty = w, false
			p.Height = p.Row.Measure(w)
		}
		if i > 0 {
			y += p.Gap * look[1]
		}
		p.Top = y
		y += p.Height
	}
	c.Total = y + c.Bottom
	c.Offset = min(max(c.Offset, 0), c.MaxOffset())
}

// Holds reports whether a row is in the column.
func (c *places) Holds(r kit.Row) bool {
	return slices.ContainsFunc(c.Rows, func(p *Placed) bool { return p.Row == r })
}

// MaxOffset returns the offset of the end.
func (c *places) MaxOffset() float32 { return max(0, c.Total-c.size.Height) }

// FirstVisible returns the index of the first visible row, or the number of rows if there
// is none.
func (c *places) FirstVisible() int {
	return sort.Search(len(c.Rows), func(i int) bool { return c.Rows[i].Top+c.Rows[i].Height >= c.Offset })
}

// rowUnder returns the row at a position in the view, or nil between rows.
func (c *places) rowUnder(pos fyne.Position) kit.Row {
	y := pos.Y + c.Offset
	for _, p := range c.Rows {
		if p.Top <= y && y < p.Top+p.Height {
			return p.Row
		}
	}
	return nil
}

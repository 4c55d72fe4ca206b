package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

const findTop float32 = 72 // from the window's upper edge, at most

// findCard lies over the window until Esc or a press beside it: a field, below it
// what was found, and a line of words.
type findCard struct {
	widget.BaseWidget
	entry *switcherEntry
	port  *viewport
	hint  *words
	card  *surface
	scrim *scrim
	rule  fyne.CanvasObject
	most  fyne.Size // width, and height of what was found; the window may have less
}

func newFindCard(hint string, most fyne.Size, leave func()) *findCard {
	c := &findCard{
		port: newViewport(), hint: smallWords(hint).squeezable(), card: newSurface(roleCard, roleLine, radiusBubble),
		scrim: newScrim(leave), rule: hairline(), most: most,
	}
	c.port.follow, c.port.fixed = false, true
	c.port.Disable()
	c.entry = &switcherEntry{onLeave: leave}
	c.entry.ExtendBaseWidget(c.entry)
	c.ExtendBaseWidget(c)
	return c
}

// open lays the card over a window, with the focus in its field.
func (c *findCard) open(over fyne.Canvas) {
	c.Resize(over.Size())
	over.Overlays().Add(c)
	over.Focus(c.entry)
}

// fill replaces what was found.
func (c *findCard) fill(rows []*placed) {
	c.port.offset = 0
	c.port.setRows(rows)
	c.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (c *findCard) CreateRenderer() fyne.WidgetRenderer { return &findCardRenderer{c} }

type findCardRenderer struct{ c *findCard }

func (r *findCardRenderer) Layout(s fyne.Size) {
	c := r.c
	c.scrim.Resize(s)
	w := min(c.most.Width, s.Width-2*gap16)
	x, top := (s.Width-w)/2, min(findTop, s.Height/8)
	field := c.entry.MinSize().Height
	c.entry.Move(fyne.NewPos(x+gap8, top+gap4))
	c.entry.Resize(fyne.NewSize(w-gap16, field))
	y := top + field + gap8
	c.rule.Move(fyne.NewPos(x, y))
	c.rule.Resize(fyne.NewSize(w, 1))
	y++
	foot := c.hint.MinSize().Height + gap16
	c.port.Resize(fyne.NewSize(w, 100)) // so that the rows know their width
	rows := max(0, min(c.port.total, c.most.Height, s.Height-y-foot-gap20))
	if len(c.port.rows) == 0 {
		rows = 0
	}
	c.port.Move(fyne.NewPos(x, y))
	c.port.Resize(fyne.NewSize(w, rows))
	y += rows
	c.hint.Move(fyne.NewPos(x+gap16, y+gap8))
	c.hint.Resize(fyne.NewSize(w-2*gap16, foot-gap16))
	c.card.Move(fyne.NewPos(x, top))
	c.card.Resize(fyne.NewSize(w, y+foot-top))
}

func (r *findCardRenderer) MinSize() fyne.Size { return fyne.Size{} }
func (r *findCardRenderer) Destroy()           {}
func (r *findCardRenderer) Refresh() {
	r.Layout(r.c.Size())
	for _, o := range r.Objects() {
		o.Refresh()
	}
}

func (r *findCardRenderer) Objects() []fyne.CanvasObject {
	c := r.c
	return []fyne.CanvasObject{c.scrim, c.card, c.entry, c.rule, c.port, c.hint}
}

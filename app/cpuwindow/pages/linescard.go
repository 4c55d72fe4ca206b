package pages

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/linediff"
)

// cardLine is a line of a text file as a card shows it.
type cardLine struct {
	text  string
	op    linediff.Op
	faint bool   // drawn faint: not in the next prompt
	from  string // where it was learnt, in words; "" if unknown
	open  func() // shows that place; nil if there is none
}

// linesCard shows a text line by line: added lines are marked +, removed ones −, and lines
// that don't fit into a prompt are faint. Only visible lines are canvas objects.
type linesCard struct {
	widget.BaseWidget
	bg      *kit.Surface
	lines   []cardLine
	tops    []float32 // of each line, and of the end
	width   float32
	from    float32
	to      float32
	shown   map[int]*lineRow
	objects []fyne.CanvasObject
}

const (
	cardLead  float32 = 18 // height of a line
	cardSign  float32 = 16 // where the text begins, after + or −
	asideRoom float32 = 420
)

func newLinesCard(lines []cardLine) *linesCard {
	c := &linesCard{bg: kit.NewSurface(kit.RoleCode, kit.RoleLine, kit.RadiusCard), lines: lines, shown: map[int]*lineRow{}, to: 1e9}
	c.ExtendBaseWidget(c)
	return c
}

// lineProse returns the text of a line.
func lineProse(l cardLine) *prose.Text {
	role := kit.RoleText
	if l.faint {
		role = kit.RoleFaint
	}
	if l.op == linediff.Removed {
		role = kit.RoleMuted
	}
	p := prose.New([]prose.Run{{Text: l.text, Mono: true, Strike: l.op == linediff.Removed}}, kit.SizeMono, role)
	p.Bare, p.Leading = true, cardLead*kit.TextScale()
	return p
}

// originWidth returns the width reserved for the button with a line's origin, or 0 if that
// stands below.
func (l cardLine) originWidth(width float32) float32 {
	if l.from == "" || width < asideRoom {
		return 0
	}
	return kit.MeasureText(l.from, kit.SizeSmall, fyne.TextStyle{}).Width + kit.Gap12
}

func (c *linesCard) Measure(width float32) float32 {
	if width == c.width && c.tops != nil {
		return c.tops[len(c.lines)] + kit.Gap12
	}
	c.width = width
	c.tops = make([]float32, len(c.lines)+1)
	y := kit.Gap12
	inner := width - 2*kit.Gap12 - cardSign
	letter := kit.MeasureText("m", kit.SizeMono, fyne.TextStyle{Monospace: true}).Width
	for i, l := range c.lines {
		c.tops[i] = y
		y += lineSpan(l, inner-l.originWidth(width), letter)
		if l.from != "" && l.originWidth(width) == 0 {
			y += cardLead
		}
	}
	c.tops[len(c.lines)] = y
	return y + kit.Gap12
}

// lineSpan returns a line's height. A line that is short enough isn't measured, because a
// file has many.
func lineSpan(l cardLine, width, letter float32) float32 {
	if float32(len(l.text))*letter < width && isASCII(l.text) {
		return cardLead
	}
	return max(cardLead, lineProse(l).Measure(width))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// SetVisiblePart sets the visible part, in the card's own coordinates.
func (c *linesCard) SetVisiblePart(from, to float32) {
	if from == c.from && to == c.to {
		return
	}
	c.from, c.to = from, to
	c.Refresh()
}

// showVisible creates the objects of the visible lines and keeps those that exist.
func (c *linesCard) showVisible() {
	shown := map[int]*lineRow{}
	c.objects = append(c.objects[:0], c.bg)
	for i := range c.lines {
		if c.tops == nil || c.tops[i+1] < c.from-column.FocusMargin || c.tops[i] > c.to+column.FocusMargin {
			continue
		}
		r := c.shown[i]
		if r == nil {
			r = newLineRow(c.lines[i], c.width)
		}
		r.Move(fyne.NewPos(1, c.tops[i]))
		r.Resize(fyne.NewSize(max(0, c.width-2), c.tops[i+1]-c.tops[i]))
		shown[i] = r
		c.objects = append(c.objects, r)
	}
	c.shown = shown
}

// CreateRenderer implements fyne.Widget.
func (c *linesCard) CreateRenderer() fyne.WidgetRenderer {
	return &kit.Renderer{Widget: c, LayOut: c.layOut, Parts: func() []fyne.CanvasObject { return c.objects }}
}

func (c *linesCard) layOut(s fyne.Size) {
	if c.width != s.Width {
		c.shown = map[int]*lineRow{}
		c.Measure(s.Width)
	}
	c.bg.Resize(s)
	c.showVisible()
}

// lineRow is a visible line.
type lineRow struct {
	widget.BaseWidget
	line  cardLine
	bg    *kit.Surface
	sign  *kit.Label
	text  *prose.Text
	from  fyne.CanvasObject // a button if it opens something
	aside float32
}

func newLineRow(l cardLine, width float32) *lineRow {
	r := &lineRow{line: l, bg: kit.NewSurface(kit.RoleNone, kit.RoleNone, 0), sign: kit.NewLabel("", kit.RoleFaint, kit.SizeMono), text: lineProse(l), aside: l.originWidth(width)}
	r.sign.Style.Monospace = true
	switch {
	case l.op == linediff.Added:
		r.bg.Fill = kit.RoleAccentSoft
		r.sign.Set("+", kit.RoleAccent)
	case l.op == linediff.Removed:
		r.sign.Set("−", kit.RoleHot)
	case l.faint:
		r.sign.Set("·", kit.RoleWarn)
	}
	switch {
	case l.open != nil:
		r.from = kit.NewButton(kit.ButtonQuiet, l.from, l.open)
	case l.from != "":
		r.from = kit.NewLabel(l.from, kit.RoleFaint, kit.SizeSmall)
	}
	r.ExtendBaseWidget(r)
	return r
}

// CreateRenderer implements fyne.Widget.
func (r *lineRow) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{r.bg, r.sign, r.text}
	if r.from != nil {
		objects = append(objects, r.from)
	}
	return kit.NewRenderer(r, r.layOut, objects...)
}

// layOut places the parts for a size.
func (r *lineRow) layOut(s fyne.Size) {
	r.bg.Resize(s)
	r.sign.Move(fyne.NewPos(kit.Gap8, 0))
	r.sign.Resize(fyne.NewSize(cardSign, cardLead))
	w := s.Width + 2 - 2*kit.Gap12 - cardSign - r.aside
	h := r.text.Measure(w)
	r.text.Move(fyne.NewPos(kit.Gap12+cardSign-1, 0))
	r.text.Resize(fyne.NewSize(max(0, w), h))
	if r.from == nil {
		return
	}
	m := r.from.MinSize()
	r.from.Resize(fyne.NewSize(min(m.Width, s.Width-2*kit.Gap12-cardSign), cardLead))
	if r.aside > 0 {
		r.from.Move(fyne.NewPos(s.Width-kit.Gap12-m.Width, 0))
	} else {
		r.from.Move(fyne.NewPos(kit.Gap12+cardSign-1, h))
	}
}

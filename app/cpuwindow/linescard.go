package cpuwindow

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"mac-stats/sessionmem"
)

// cardLine is a line of a text file as a card shows it.
type cardLine struct {
	text  string
	op    sessionmem.LineOp
	faint bool   // not in the next prompt
	from  string // where it was learnt, in words; "" for nothing
	open  func() // shows that place; nil where there is none
}

// linesCard is a text in lines: what came is marked +, what went −, what does not
// fit into a prompt is faint. Only the lines in sight are objects of the screen.
type linesCard struct {
	widget.BaseWidget
	bg      *surface
	lines   []cardLine
	tops    []float32 // of each line, and the end
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
	c := &linesCard{bg: newSurface(roleCode, roleLine, radiusCard), lines: lines, shown: map[int]*lineRow{}, to: 1e9}
	c.ExtendBaseWidget(c)
	return c
}

// lineProse is a line's words.
func lineProse(l cardLine) *prose {
	role := roleText
	if l.faint {
		role = roleFaint
	}
	if l.op == sessionmem.LineRemoved {
		role = roleMuted
	}
	p := newProse([]run{{text: l.text, mono: true, strike: l.op == sessionmem.LineRemoved}}, sizeMono, role)
	p.bare, p.leading = true, cardLead*textScale()
	return p
}

// aside is the room of the button with a line's origin; 0 where that is below.
func (l cardLine) aside(width float32) float32 {
	if l.from == "" || width < asideRoom {
		return 0
	}
	return measureText(l.from, sizeSmall, fyne.TextStyle{}).Width + gap12
}

func (c *linesCard) measure(width float32) float32 {
	if width == c.width && c.tops != nil {
		return c.tops[len(c.lines)] + gap12
	}
	c.width = width
	c.tops = make([]float32, len(c.lines)+1)
	y := gap12
	inner := width - 2*gap12 - cardSign
	letter := measureText("m", sizeMono, fyne.TextStyle{Monospace: true}).Width
	for i, l := range c.lines {
		c.tops[i] = y
		y += lineSpan(l, inner-l.aside(width), letter)
		if l.from != "" && l.aside(width) == 0 {
			y += cardLead
		}
	}
	c.tops[len(c.lines)] = y
	return y + gap12
}

// lineSpan is a line's height; what surely fits is not measured: a file has many.
func lineSpan(l cardLine, width, letter float32) float32 {
	if float32(len(l.text))*letter < width && isASCII(l.text) {
		return cardLead
	}
	return max(cardLead, lineProse(l).measure(width))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// look says which part is in sight, in the card's own coordinates.
func (c *linesCard) look(from, to float32) {
	if from == c.from && to == c.to {
		return
	}
	c.from, c.to = from, to
	c.Refresh()
}

// inSight makes the objects of the lines in sight; those that were there stay.
func (c *linesCard) inSight() {
	shown := map[int]*lineRow{}
	c.objects = append(c.objects[:0], c.bg)
	for i := range c.lines {
		if c.tops == nil || c.tops[i+1] < c.from-focusMargin || c.tops[i] > c.to+focusMargin {
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
func (c *linesCard) CreateRenderer() fyne.WidgetRenderer { return &linesRenderer{c} }

type linesRenderer struct{ c *linesCard }

func (r *linesRenderer) Layout(s fyne.Size) {
	if r.c.width != s.Width {
		r.c.shown = map[int]*lineRow{}
		r.c.measure(s.Width)
	}
	r.c.bg.Resize(s)
	r.c.inSight()
}
func (r *linesRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *linesRenderer) Objects() []fyne.CanvasObject { return r.c.objects }
func (r *linesRenderer) Destroy()                     {}
func (r *linesRenderer) Refresh() {
	r.Layout(r.c.Size())
	for _, o := range r.c.objects {
		o.Refresh()
	}
}

// lineRow is one line on the screen.
type lineRow struct {
	widget.BaseWidget
	line  cardLine
	bg    *surface
	sign  *words
	text  *prose
	from  fyne.CanvasObject // a button where it opens something
	aside float32
}

func newLineRow(l cardLine, width float32) *lineRow {
	r := &lineRow{line: l, bg: newSurface(roleNone, roleNone, 0), sign: newWords("", roleFaint, sizeMono), text: lineProse(l), aside: l.aside(width)}
	r.sign.style.Monospace = true
	switch {
	case l.op == sessionmem.LineAdded:
		r.bg.fill = roleAccentSoft
		r.sign.set("+", roleAccent)
	case l.op == sessionmem.LineRemoved:
		r.sign.set("−", roleHot)
	case l.faint:
		r.sign.set("·", roleWarn)
	}
	switch {
	case l.open != nil:
		r.from = newButton(buttonQuiet, l.from, l.open)
	case l.from != "":
		r.from = newWords(l.from, roleFaint, sizeSmall)
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
	return &lineRowRenderer{r, objects}
}

type lineRowRenderer struct {
	r       *lineRow
	objects []fyne.CanvasObject
}

func (x *lineRowRenderer) Layout(s fyne.Size) {
	r := x.r
	r.bg.Resize(s)
	r.sign.Move(fyne.NewPos(gap8, 0))
	r.sign.Resize(fyne.NewSize(cardSign, cardLead))
	w := s.Width + 2 - 2*gap12 - cardSign - r.aside
	h := r.text.measure(w)
	r.text.Move(fyne.NewPos(gap12+cardSign-1, 0))
	r.text.Resize(fyne.NewSize(max(0, w), h))
	if r.from == nil {
		return
	}
	m := r.from.MinSize()
	r.from.Resize(fyne.NewSize(min(m.Width, s.Width-2*gap12-cardSign), cardLead))
	if r.aside > 0 {
		r.from.Move(fyne.NewPos(s.Width-gap12-m.Width, 0))
	} else {
		r.from.Move(fyne.NewPos(gap12+cardSign-1, h))
	}
}
func (x *lineRowRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (x *lineRowRenderer) Objects() []fyne.CanvasObject { return x.objects }
func (x *lineRowRenderer) Destroy()                     {}
func (x *lineRowRenderer) Refresh() {
	x.Layout(x.r.Size())
	for _, o := range x.objects {
		o.Refresh()
	}
}

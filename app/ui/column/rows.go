package column

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// The rows of the chat column, which show the entries of a conversation.

// BoxRow is a row made of ordinary objects, as high as their minimum size.
type BoxRow struct {
	widget.BaseWidget
	Content fyne.CanvasObject
}

// NewBoxRow returns a row that shows an object.
func NewBoxRow(o fyne.CanvasObject) *BoxRow {
	r := &BoxRow{Content: o}
	r.ExtendBaseWidget(r)
	return r
}

// Measure implements Row.
func (r *BoxRow) Measure(float32) float32 { return r.Content.MinSize().Height }

// CreateRenderer implements fyne.Widget.
func (r *BoxRow) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.Content) }

// Framed is prose on a surface with padding: bubbles, code cards, expanded calls.
type Framed struct {
	widget.BaseWidget
	Bg     *kit.Surface
	Text   *prose.Text
	padX   float32
	padTop float32
	padEnd float32
	Right  bool    // as wide as its text, at the right edge
	Share  float32 // of the width, which it may take if Right is set
	OnFind func()  // called if a match is below the lines that are shown
	aside  float32 // width kept free to the right of the text
	Header fyne.CanvasObject
	inner  fyne.Position // position of the text
}

// NewFramed returns prose on a surface.
func NewFramed(text *prose.Text, fill, stroke fyne.ThemeColorName, radius, padX, padY float32) *Framed {
	f := &Framed{Bg: kit.NewSurface(fill, stroke, radius), Text: text, padX: padX, padTop: padY, padEnd: padY, Share: 1}
	f.ExtendBaseWidget(f)
	return f
}

func (f *Framed) textWidth(width float32) float32 {
	maxWidth := width * f.Share
	if f.Right && f.Header != nil { // the header stands beside the text
		maxWidth = max(width/2, min(maxWidth, width-f.Header.MinSize().Width-kit.Gap8))
	}
	return maxWidth - 2*f.padX - f.aside
}

// Measure implements Row.
func (f *Framed) Measure(width float32) float32 {
	return f.Text.Measure(f.textWidth(width)) + f.padTop + f.padEnd
}

// SetVisiblePart sets the visible part, in the row's own coordinates.
func (f *Framed) SetVisiblePart(from, to float32) {
	f.Text.SetVisiblePart(from-f.inner.Y, to-f.inner.Y)
}

// SelectLen implements Selectable.
func (f *Framed) SelectLen() int { return f.Text.SelectLen() }

// OffsetAt implements Selectable.
func (f *Framed) OffsetAt(p fyne.Position) int { return f.Text.OffsetAt(p.Subtract(f.inner)) }

// SetSelection implements Selectable.
func (f *Framed) SetSelection(from, to int) { f.Text.SetSelection(from, to) }

// SelectedText implements Selectable.
func (f *Framed) SelectedText(from, to int) string { return f.Text.SelectedText(from, to) }

// WordAt returns the word around an offset, for a double click.
func (f *Framed) WordAt(off int) (int, int) { return f.Text.WordAt(off) }

// LinkAt returns the address at a point, or "".
func (f *Framed) LinkAt(p fyne.Position) string { return f.Text.LinkAt(p.Subtract(f.inner)) }

// CreateRenderer implements fyne.Widget.
func (f *Framed) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{f.Bg, f.Text}
	if f.Header != nil {
		objects = append(objects, f.Header)
	}
	return kit.NewRenderer(f, f.layOut, objects...)
}

// layOut places the parts for a size.
func (f *Framed) layOut(s fyne.Size) {
	f.Text.Measure(f.textWidth(s.Width))
	x, w := float32(0), s.Width
	if f.Right {
		w = f.Text.Widest + 2*f.padX
		x = s.Width - w
	}
	f.Bg.Move(fyne.NewPos(x, 0))
	f.Bg.Resize(fyne.NewSize(w, s.Height))
	f.inner = fyne.NewPos(x+f.padX, f.padTop)
	f.Text.Move(f.inner)
	f.Text.Resize(fyne.NewSize(max(0, w-2*f.padX), s.Height-f.padTop-f.padEnd))
	if f.Header != nil {
		h := f.Header.MinSize()
		if f.Right { // beside the bubble
			f.Header.Move(fyne.NewPos(max(0, x-h.Width-kit.Gap8), (s.Height-h.Height)/2))
			f.Header.Resize(h)
		} else {
			f.Header.Move(fyne.NewPos(f.padX, kit.Gap4))
			f.Header.Resize(fyne.NewSize(s.Width-f.padX-kit.Gap8, h.Height))
		}
	}
}

// NewDivider returns text between two lines.
func NewDivider(text string, onTap func()) *BoxRow {
	b := kit.NewButton(kit.ButtonQuiet, text, onTap)
	return NewBoxRow(container.New(&dividerLayout{}, kit.Hairline(), b, kit.Hairline()))
}

type dividerLayout struct{}

func (dividerLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return o[1].MinSize() }
func (dividerLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	m := o[1].MinSize()
	side := max(0, (s.Width-m.Width)/2-kit.Gap12)
	o[0].Move(fyne.NewPos(0, s.Height/2))
	o[0].Resize(fyne.NewSize(side, 1))
	o[1].Move(fyne.NewPos((s.Width-m.Width)/2, 0))
	o[1].Resize(fyne.NewSize(m.Width, s.Height))
	o[2].Move(fyne.NewPos(s.Width-side, s.Height/2))
	o[2].Resize(fyne.NewSize(side, 1))
}

// CardRow is a card of objects below each other. Objects that wrap get their height for the
// card's width. The text can be selected.
type CardRow struct {
	widget.BaseWidget
	Bg    *kit.Surface
	mark  *kit.Surface // coloured edge; nil if there is none
	Parts []fyne.CanvasObject
	Pad   float32
	Gap   float32
}

// NewCardRow returns a card; mark is the colour of its edge, RoleNone for none.
func NewCardRow(mark fyne.ThemeColorName, parts ...fyne.CanvasObject) *CardRow {
	c := &CardRow{Bg: kit.NewSurface(kit.RoleCard, kit.RoleLine, kit.RadiusCard), Parts: parts, Pad: kit.Gap12, Gap: kit.Gap4}
	if mark != kit.RoleNone {
		c.mark = kit.NewSurface(mark, kit.RoleNone, 2)
	}
	c.ExtendBaseWidget(c)
	return c
}

func heightOf(o fyne.CanvasObject, width float32) float32 {
	if r, ok := o.(kit.Row); ok {
		return r.Measure(width)
	}
	return o.MinSize().Height
}

// Measure implements Row.
func (c *CardRow) Measure(width float32) float32 {
	h := 2*c.Pad - c.Gap
	for _, o := range c.Parts {
		if o.Visible() {
			h += heightOf(o, width-2*c.Pad) + c.Gap
		}
	}
	return h
}

// CreateRenderer implements fyne.Widget.
func (c *CardRow) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{c.Bg}
	if c.mark != nil {
		objects = append(objects, c.mark)
	}
	return kit.NewRenderer(c, c.layOut, append(objects, c.Parts...)...)
}

// layOut places the parts for a size.
func (c *CardRow) layOut(s fyne.Size) {
	c.Bg.Resize(s)
	if c.mark != nil {
		c.mark.Move(fyne.NewPos(0, kit.Gap8))
		c.mark.Resize(fyne.NewSize(3, max(0, s.Height-2*kit.Gap8)))
	}
	y, w := c.Pad, max(0, s.Width-2*c.Pad)
	for _, o := range c.Parts {
		if !o.Visible() {
			continue
		}
		h := heightOf(o, w)
		o.Move(fyne.NewPos(c.Pad, y))
		o.Resize(fyne.NewSize(w, h))
		y += h + c.Gap
	}
}

// Spacer returns empty space.
func Spacer(h float32) fyne.CanvasObject {
	return kit.Sized(kit.NewSurface(kit.RoleNone, kit.RoleNone, 0), 1, h)
}

// TextRow returns a paragraph as a row.
func TextRow(text string, role fyne.ThemeColorName, gap float32) *Placed {
	return &Placed{Row: prose.NewParagraph(text, role), Gap: gap, Max: kit.ProseMax}
}

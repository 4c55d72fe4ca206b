package cpuwindow

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/i18n"
)

// The rows of the chat column: what an entry of a conversation becomes.

// boxRow is a row made of ordinary objects; its height is their minimum.
type boxRow struct {
	widget.BaseWidget
	content fyne.CanvasObject
}

func newBoxRow(o fyne.CanvasObject) *boxRow {
	r := &boxRow{content: o}
	r.ExtendBaseWidget(r)
	return r
}

func (r *boxRow) measure(float32) float32 { return r.content.MinSize().Height }

// CreateRenderer implements fyne.Widget.
func (r *boxRow) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(r.content) }

// framed is prose on a surface with padding: bubbles, code cards, expanded calls.
type framed struct {
	widget.BaseWidget
	bg     *surface
	text   *prose
	padX   float32
	padTop float32
	padEnd float32
	right  bool    // hugs its text at the right edge
	share  float32 // of the width it may take, where it hugs
	aside  float32 // kept free right of the text
	header fyne.CanvasObject
	inner  fyne.Position // where the text is
}

func newFramed(text *prose, fill, stroke fyne.ThemeColorName, radius, padX, padY float32) *framed {
	f := &framed{bg: newSurface(fill, stroke, radius), text: text, padX: padX, padTop: padY, padEnd: padY, share: 1}
	f.ExtendBaseWidget(f)
	return f
}

func (f *framed) textWidth(width float32) float32 {
	most := width * f.share
	if f.right && f.header != nil { // which stands beside it
		most = max(width/2, min(most, width-f.header.MinSize().Width-gap8))
	}
	return most - 2*f.padX - f.aside
}

func (f *framed) measure(width float32) float32 {
	return f.text.measure(f.textWidth(width)) + f.padTop + f.padEnd
}

func (f *framed) look(from, to float32) {
	f.text.look(from-f.inner.Y, to-f.inner.Y)
}

func (f *framed) selectLen() int                   { return f.text.selectLen() }
func (f *framed) offsetAt(p fyne.Position) int     { return f.text.offsetAt(p.Subtract(f.inner)) }
func (f *framed) setSelection(from, to int)        { f.text.setSelection(from, to) }
func (f *framed) selectedText(from, to int) string { return f.text.selectedText(from, to) }
func (f *framed) wordAt(off int) (int, int)        { return f.text.wordAt(off) }
func (f *framed) linkAt(p fyne.Position) string    { return f.text.linkAt(p.Subtract(f.inner)) }

// CreateRenderer implements fyne.Widget.
func (f *framed) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{f.bg, f.text}
	if f.header != nil {
		objects = append(objects, f.header)
	}
	return &framedRenderer{f, objects}
}

type framedRenderer struct {
	f       *framed
	objects []fyne.CanvasObject
}

func (r *framedRenderer) Layout(s fyne.Size) {
	f := r.f
	f.text.measure(f.textWidth(s.Width))
	x, w := float32(0), s.Width
	if f.right {
		w = f.text.widest + 2*f.padX
		x = s.Width - w
	}
	f.bg.Move(fyne.NewPos(x, 0))
	f.bg.Resize(fyne.NewSize(w, s.Height))
	f.inner = fyne.NewPos(x+f.padX, f.padTop)
	f.text.Move(f.inner)
	f.text.Resize(fyne.NewSize(max(0, w-2*f.padX), s.Height-f.padTop-f.padEnd))
	if f.header != nil {
		h := f.header.MinSize()
		if f.right { // beside the bubble
			f.header.Move(fyne.NewPos(max(0, x-h.Width-gap8), (s.Height-h.Height)/2))
			f.header.Resize(h)
		} else {
			f.header.Move(fyne.NewPos(f.padX, gap4))
			f.header.Resize(fyne.NewSize(s.Width-f.padX-gap8, h.Height))
		}
	}
}

func (r *framedRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *framedRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *framedRenderer) Destroy()                     {}
func (r *framedRenderer) Refresh() {
	r.Layout(r.f.Size())
	for _, o := range r.objects {
		o.Refresh()
	}
	canvas.Refresh(r.f)
}

// newBubble is the user's message.
func newBubble(text string, actions fyne.CanvasObject) *framed {
	f := newFramed(newProse([]run{{text: text}}, sizeText, roleText), roleBubble, roleNone, radiusBubble, gap12, gap8)
	f.right, f.share = true, 0.8
	f.header = actions
	return f
}

// newDivider is words between two lines.
func newDivider(text string, onTap func()) *boxRow {
	b := newButton(buttonQuiet, text, onTap)
	return newBoxRow(container.New(&dividerLayout{}, hairline(), b, hairline()))
}

type dividerLayout struct{}

func (dividerLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return o[1].MinSize() }
func (dividerLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	m := o[1].MinSize()
	side := max(0, (s.Width-m.Width)/2-gap12)
	o[0].Move(fyne.NewPos(0, s.Height/2))
	o[0].Resize(fyne.NewSize(side, 1))
	o[1].Move(fyne.NewPos((s.Width-m.Width)/2, 0))
	o[1].Resize(fyne.NewSize(m.Width, s.Height))
	o[2].Move(fyne.NewPos(s.Width-side, s.Height/2))
	o[2].Resize(fyne.NewSize(side, 1))
}

// speedWords is "41 tokens/s".
func speedWords(v float64) string {
	switch {
	case v <= 0:
		return ""
	case v < 10:
		return i18n.With("{{.V}} tokens/s", i18n.Places{"V": fmt.Sprintf("%.1f", v)})
	}
	return i18n.With("{{.V}} tokens/s", i18n.Places{"V": fmt.Sprintf("%.0f", v)})
}

// newParagraph is wrapping text for cards.
func newParagraph(text string, role fyne.ThemeColorName) *prose {
	return newProse(codeSpans(text, roleNone), sizeText, role)
}

// cardRow is a card of objects below each other; those that wrap are given their
// height for the card's width. Its words can be selected.
type cardRow struct {
	widget.BaseWidget
	bg    *surface
	mark  *surface // coloured edge, nil without
	parts []fyne.CanvasObject
	pad   float32
	gap   float32
}

func newCardRow(mark fyne.ThemeColorName, parts ...fyne.CanvasObject) *cardRow {
	c := &cardRow{bg: newSurface(roleCard, roleLine, radiusCard), parts: parts, pad: gap12, gap: gap4}
	if mark != roleNone {
		c.mark = newSurface(mark, roleNone, 2)
	}
	c.ExtendBaseWidget(c)
	return c
}

func heightOf(o fyne.CanvasObject, width float32) float32 {
	if r, ok := o.(row); ok {
		return r.measure(width)
	}
	return o.MinSize().Height
}

func (c *cardRow) measure(width float32) float32 {
	h := 2*c.pad - c.gap
	for _, o := range c.parts {
		if o.Visible() {
			h += heightOf(o, width-2*c.pad) + c.gap
		}
	}
	return h
}

// CreateRenderer implements fyne.Widget.
func (c *cardRow) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{c.bg}
	if c.mark != nil {
		objects = append(objects, c.mark)
	}
	return &cardRenderer{c, append(objects, c.parts...)}
}

type cardRenderer struct {
	c       *cardRow
	objects []fyne.CanvasObject
}

func (r *cardRenderer) Layout(s fyne.Size) {
	c := r.c
	c.bg.Resize(s)
	if c.mark != nil {
		c.mark.Move(fyne.NewPos(0, gap8))
		c.mark.Resize(fyne.NewSize(3, max(0, s.Height-2*gap8)))
	}
	y, w := c.pad, max(0, s.Width-2*c.pad)
	for _, o := range c.parts {
		if !o.Visible() {
			continue
		}
		h := heightOf(o, w)
		o.Move(fyne.NewPos(c.pad, y))
		o.Resize(fyne.NewSize(w, h))
		y += h + c.gap
	}
}
func (r *cardRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *cardRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *cardRenderer) Destroy()                     {}
func (r *cardRenderer) Refresh() {
	r.Layout(r.c.Size())
	for _, o := range r.objects {
		o.Refresh()
	}
}

// spacer is empty room.
func spacer(h float32) fyne.CanvasObject { return sized(newSurface(roleNone, roleNone, 0), 1, h) }

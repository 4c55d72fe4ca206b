package prose

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"mac-stats/app/ui/kit"
)

// LinePaint draws lines of text: rectangles below, texts above. Objects are reused between
// drawings, and a text is drawn again only if it changed.
type LinePaint struct {
	rects  []*canvas.Rectangle
	texts  []*canvas.Text
	Drawn  []fyne.CanvasObject
	nr, nt int // objects used since Begin
}

// Begin begins a drawing.
func (l *LinePaint) Begin() { l.nr, l.nt = 0, 0 }

// End collects the objects drawn since Begin and releases the others.
func (l *LinePaint) End() {
	clear(l.rects[l.nr:])
	clear(l.texts[l.nt:])
	l.rects, l.texts = l.rects[:l.nr], l.texts[:l.nt]
	l.Drawn = l.Drawn[:0]
	for _, o := range l.rects {
		l.Drawn = append(l.Drawn, o)
	}
	for _, o := range l.texts {
		l.Drawn = append(l.Drawn, o)
	}
}

// Rect draws a rectangle.
func (l *LinePaint) Rect(role fyne.ThemeColorName, pos fyne.Position, size fyne.Size, radius float32) {
	if l.nr == len(l.rects) {
		l.rects = append(l.rects, canvas.NewRectangle(color.Transparent))
	}
	o := l.rects[l.nr]
	l.nr++
	o.FillColor, o.CornerRadius = kit.Color(role), radius
	o.Move(pos)
	o.Resize(size)
	o.Refresh()
}

// Text draws a text in one style, vertically centred in a line that begins at pos.
func (l *LinePaint) Text(s string, role fyne.ThemeColorName, pos fyne.Position, width, leading, size float32, style fyne.TextStyle) {
	if l.nt == len(l.texts) {
		l.texts = append(l.texts, canvas.NewText("", color.Transparent))
	}
	o := l.texts[l.nt]
	l.nt++
	h := kit.MeasureText("M", size, style).Height
	o.Move(pos.AddXY(0, (leading-h)/2))
	style, font := kit.FontOf(s, style)
	if c := kit.Color(role); o.Text != s || o.Color != c || o.TextSize != size || o.TextStyle != style || o.FontSource != font {
		o.Text, o.Color, o.TextSize, o.TextStyle, o.FontSource = s, c, size, style, font
		o.Resize(fyne.NewSize(width, h))
		o.Refresh()
	}
}

// EachMark calls draw for each marked part of the range from…to, with its colour.
func EachMark(marks []Mark, now, from, to int, draw func(role fyne.ThemeColorName, from, to int)) {
	for i, m := range marks {
		a, b := max(from, m.From), min(to, m.To)
		switch {
		case a >= b:
		case i == now:
			draw(kit.RoleMarkNow, a, b)
		default:
			draw(kit.RoleMark, a, b)
		}
	}
}

// Mark is a match in a row's text, in bytes.
type Mark struct{ From, To int }

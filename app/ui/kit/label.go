package kit

import (
	"image/color"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"
)

// Label is one line of text in a role's colour, shortened with … to fit.
type Label struct {
	widget.BaseWidget
	Text     string
	Role     fyne.ThemeColorName
	TextSize float32
	Style    fyne.TextStyle
	Align    fyne.TextAlign
	// elastic text may be squeezed to nothing; other text asks for its whole width.
	elastic bool
}

// stripBidi removes the characters that override the direction of text. In a single line they
// would reverse text they don't belong to, for example after a file name that somebody else
// chose.
var stripBidi = strings.NewReplacer("\u202a", "", "\u202b", "", "\u202c", "", "\u202d", "", "\u202e", "", "\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "")

// NewLabel returns a line of text in a role and a size.
func NewLabel(text string, role fyne.ThemeColorName, size float32) *Label {
	w := &Label{Text: stripBidi.Replace(text), Role: role, TextSize: size}
	w.ExtendBaseWidget(w)
	return w
}

// Text returns a label of the usual size.
func Text(s string) *Label { return NewLabel(s, RoleText, SizeText) }

// Muted returns a label in the muted colour.
func Muted(s string) *Label { return NewLabel(s, RoleMuted, SizeText) }

// Small returns a small label in the muted colour.
func Small(s string) *Label { return NewLabel(s, RoleMuted, SizeSmall) }

// Bold returns a bold label.
func Bold(s string) *Label {
	w := NewLabel(s, RoleText, SizeText)
	w.Style.Bold = true
	return w
}

// Squeezable lets the label have less room than its text needs.
func (w *Label) Squeezable() *Label { w.elastic = true; return w }

// Set changes the text and the role.
func (w *Label) Set(text string, r fyne.ThemeColorName) {
	text = stripBidi.Replace(text)
	if w.Text == text && w.Role == r {
		return
	}
	w.Text, w.Role = text, r
	w.Refresh()
}

// SetText changes the text. It redraws nothing if the text is the same.
func (w *Label) SetText(text string) { w.Set(text, w.Role) }

// CreateRenderer implements fyne.Widget.
func (w *Label) CreateRenderer() fyne.WidgetRenderer {
	r := &labelRenderer{w: w}
	r.apply()
	return r
}

type labelRenderer struct {
	w       *Label
	parts   []*canvas.Text // side by side; each is drawn with one font
	size    fyne.Size
	laidOut bool // the size is known: a width of 0 then means that there is no room
}

// apply shows the text of the label as far as it fits, in as many parts as it needs fonts.
func (r *labelRenderer) apply() {
	text, size, style := r.w.Text, r.w.TextSize, r.w.Style
	if r.laidOut {
		text = Ellipsize(text, r.size.Width, size, style)
	}
	whole, n := text, 0
	for ; n == 0 || text != ""; n++ {
		end := len(text)
		if style != (fyne.TextStyle{}) {
			end = SameFont(text)
		}
		if n == len(r.parts) {
			r.parts = append(r.parts, canvas.NewText("", color.Transparent))
		}
		t := r.parts[n]
		t.TextSize, t.Color, t.Alignment = size, Color(r.w.Role), r.w.Align
		setText(t, text[:end], style)
		text = text[end:]
	}
	r.parts = r.parts[:n]
	h := MeasureText("M", size, style).Height
	x, y := float32(0), (r.size.Height-h)/2
	if n == 1 {
		r.parts[0].Move(fyne.NewPos(0, y))
		r.parts[0].Resize(fyne.NewSize(r.size.Width, h))
		return
	}
	switch left := r.size.Width - MeasureText(whole, size, style).Width; r.w.Align {
	case fyne.TextAlignCenter:
		x = left / 2
	case fyne.TextAlignTrailing:
		x = left
	}
	for _, t := range r.parts {
		width := MeasureText(t.Text, size, style).Width
		t.Alignment = fyne.TextAlignLeading
		t.Move(fyne.NewPos(x, y))
		t.Resize(fyne.NewSize(width, h))
		x += width
	}
}

func (r *labelRenderer) Layout(s fyne.Size) {
	r.size, r.laidOut = s, true
	before := r.shown()
	if r.apply(); r.shown() != before {
		r.redraw()
	}
}

// shown returns the text as it is drawn.
func (r *labelRenderer) shown() string {
	var b strings.Builder
	for _, t := range r.parts {
		b.WriteString(t.Text)
	}
	return b.String()
}

func (r *labelRenderer) redraw() {
	for _, t := range r.parts {
		t.Refresh()
	}
}

// setText sets the text and the style of a canvas text.
func setText(t *canvas.Text, text string, style fyne.TextStyle) {
	t.Text = text
	t.TextStyle, t.FontSource = FontOf(text, style)
}

func (r *labelRenderer) MinSize() fyne.Size {
	s := MeasureText(r.w.Text, r.w.TextSize, r.w.Style)
	if r.w.elastic {
		s.Width = 0
	}
	return s
}

func (r *labelRenderer) Refresh() { r.apply(); r.redraw() }

func (r *labelRenderer) Objects() []fyne.CanvasObject {
	objects := make([]fyne.CanvasObject, len(r.parts))
	for i, t := range r.parts {
		objects[i] = t
	}
	return objects
}

func (r *labelRenderer) Destroy() {}

// Ellipsize shortens text to a width, ending in …; it never cuts inside a rune.
func Ellipsize(text string, width, size float32, style fyne.TextStyle) string {
	fits := func(s string) bool { return MeasureText(s, size, style).Width <= width+0.5 }
	if text == "" || fits(text) {
		return text
	}
	lo, hi := 0, len(text)
	if hi > 400 {
		hi = 400
	}
	for lo < hi {
		mid := (lo + hi + 1) / 2
		for mid < len(text) && !utf8.RuneStart(text[mid]) {
			mid++
		}
		if mid <= hi && fits(text[:mid]+"…") {
			lo = mid
			continue
		}
		hi = (lo + hi + 1) / 2
		hi--
	}
	for lo > 0 && lo < len(text) && !utf8.RuneStart(text[lo]) {
		lo--
	}
	if lo == 0 && !fits("…") {
		return "" // an ellipsis alone is noise
	}
	return text[:lo] + "…"
}

// Title returns the label above a page or card.
func Title(s string) *Label {
	w := NewLabel(s, RoleText, SizeLarge)
	w.Style.Bold = true
	return w.Squeezable()
}

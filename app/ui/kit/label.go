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
	r := &labelRenderer{w: w, t: canvas.NewText("", color.Transparent)}
	r.apply()
	return r
}

type labelRenderer struct {
	w       *Label
	t       *canvas.Text
	size    fyne.Size
	laidOut bool // the size is known: a width of 0 then means that there is no room
}

func (r *labelRenderer) apply() {
	r.t.TextSize, r.t.Alignment = r.w.TextSize, r.w.Align
	r.t.Color = Color(r.w.Role)
	text := r.w.Text
	if r.laidOut {
		text = Ellipsize(text, r.size.Width, r.w.TextSize, r.w.Style)
	}
	setText(r.t, text, r.w.Style)
}

func (r *labelRenderer) Layout(s fyne.Size) {
	r.size, r.laidOut = s, true
	h := MeasureText("M", r.w.TextSize, r.w.Style).Height
	r.t.Move(fyne.NewPos(0, (s.Height-h)/2))
	r.t.Resize(fyne.NewSize(s.Width, h))
	if t := Ellipsize(r.w.Text, s.Width, r.w.TextSize, r.w.Style); t != r.t.Text {
		setText(r.t, t, r.w.Style)
		r.t.Refresh()
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

func (r *labelRenderer) Refresh() { r.apply(); r.t.Refresh() }

func (r *labelRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.t} }

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

package cpuwindow

import (
	"image/color"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"
)

// The small design system every view is made of: words, surfaces, buttons,
// gauges. Each resolves its colours from roles when refreshed, so a change of the
// system's variant reaches all of them.

// words is one line of text in a role's colour; it ends in … where it does not fit.
type words struct {
	widget.BaseWidget
	text  string
	role  fyne.ThemeColorName
	size  float32
	style fyne.TextStyle
	align fyne.TextAlign
	// elastic words may be squeezed to nothing; others ask for their whole width.
	elastic bool
}

func newWords(text string, role fyne.ThemeColorName, size float32) *words {
	w := &words{text: text, role: role, size: size}
	w.ExtendBaseWidget(w)
	return w
}

func textWords(s string) *words  { return newWords(s, roleText, sizeText) }
func mutedWords(s string) *words { return newWords(s, roleMuted, sizeText) }
func smallWords(s string) *words { return newWords(s, roleMuted, sizeSmall) }

func boldWords(s string) *words {
	w := newWords(s, roleText, sizeText)
	w.style.Bold = true
	return w
}

func (w *words) squeezable() *words { w.elastic = true; return w }
func (w *words) set(text string, r fyne.ThemeColorName) {
	if w.text == text && w.role == r {
		return
	}
	w.text, w.role = text, r
	w.Refresh()
}

// SetText changes the text; nothing is redrawn where it is the same.
func (w *words) SetText(text string) { w.set(text, w.role) }

// CreateRenderer implements fyne.Widget.
func (w *words) CreateRenderer() fyne.WidgetRenderer {
	r := &wordsRenderer{w: w, t: canvas.NewText("", color.Transparent)}
	r.apply()
	return r
}

type wordsRenderer struct {
	w    *words
	t    *canvas.Text
	size fyne.Size
	laid bool // size is known: no width then means that there is no room
}

func (r *wordsRenderer) apply() {
	r.t.TextSize, r.t.Alignment = r.w.size, r.w.align
	r.t.Color = ink(r.w.role)
	text := r.w.text
	if r.laid {
		text = ellipsize(text, r.size.Width, r.w.size, r.w.style)
	}
	setText(r.t, text, r.w.style)
}

func (r *wordsRenderer) Layout(s fyne.Size) {
	r.size, r.laid = s, true
	h := measureText("M", r.w.size, r.w.style).Height
	r.t.Move(fyne.NewPos(0, (s.Height-h)/2))
	r.t.Resize(fyne.NewSize(s.Width, h))
	if t := ellipsize(r.w.text, s.Width, r.w.size, r.w.style); t != r.t.Text {
		setText(r.t, t, r.w.style)
		r.t.Refresh()
	}
}

// setText puts text of a style into an object of the screen.
func setText(t *canvas.Text, text string, style fyne.TextStyle) {
	t.Text = text
	t.TextStyle, t.FontSource = fontOf(text, style)
}

func (r *wordsRenderer) MinSize() fyne.Size {
	s := measureText(r.w.text, r.w.size, r.w.style)
	if r.w.elastic {
		s.Width = 0
	}
	return s
}

func (r *wordsRenderer) Refresh()                     { r.apply(); r.t.Refresh() }
func (r *wordsRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.t} }
func (r *wordsRenderer) Destroy()                     {}

// ellipsize shortens text to a width, ending in …; it never cuts inside a rune.
func ellipsize(text string, width, size float32, style fyne.TextStyle) string {
	fits := func(s string) bool { return measureText(s, size, style).Width <= width+0.5 }
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
		return "" // a sign that something is cut, and nothing else, is noise
	}
	return text[:lo] + "…"
}

// surface is a rectangle in a role's colour with an optional hairline.
type surface struct {
	widget.BaseWidget
	fill, stroke fyne.ThemeColorName
	radius       float32
}

func newSurface(fill, stroke fyne.ThemeColorName, radius float32) *surface {
	s := &surface{fill: fill, stroke: stroke, radius: radius}
	s.ExtendBaseWidget(s)
	return s
}

func (s *surface) set(fill, stroke fyne.ThemeColorName) {
	if s.fill == fill && s.stroke == stroke {
		return
	}
	s.fill, s.stroke = fill, stroke
	s.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (s *surface) CreateRenderer() fyne.WidgetRenderer {
	r := &surfaceRenderer{s: s, rect: canvas.NewRectangle(color.Transparent)}
	r.apply()
	return r
}

type surfaceRenderer struct {
	s    *surface
	rect *canvas.Rectangle
}

func (r *surfaceRenderer) apply() {
	r.rect.FillColor = ink(r.s.fill)
	r.rect.CornerRadius = r.s.radius
	r.rect.StrokeWidth = 0
	if r.s.stroke != roleNone {
		r.rect.StrokeWidth, r.rect.StrokeColor = 1, ink(r.s.stroke)
	}
}

func (r *surfaceRenderer) Layout(s fyne.Size)           { r.rect.Resize(s) }
func (r *surfaceRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *surfaceRenderer) Refresh()                     { r.apply(); r.rect.Refresh() }
func (r *surfaceRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.rect} }
func (r *surfaceRenderer) Destroy()                     {}

// hairline is a one-pixel line; it takes whatever length its container gives.
func hairline() fyne.CanvasObject { return sized(newSurface(roleLine, roleNone, 0), 1, 1) }

// dot is the live / done / failed mark of a row.
func newDot(role fyne.ThemeColorName) *surface { return newSurface(role, roleNone, 4) }

// buttonKind is how a button looks.
type buttonKind int

const (
	buttonPlain   buttonKind = iota // a card with a line
	buttonPrimary                   // the one thing to press
	buttonPill                      // a choice that opens a menu
	buttonLink                      // words only
	buttonQuiet                     // words only, muted, until hovered
	buttonRow                       // a whole line of a list, left-aligned
	buttonDanger                    // Stop
)

// button is everything that can be pressed; by mouse, Enter or Space.
type button struct {
	widget.DisableableWidget
	kind     buttonKind
	text     string
	trailing string // muted words at the right end: a shortcut, a count
	size     float32
	padX     float32
	padY     float32
	selected bool
	tone     fyne.ThemeColorName // of the words, where it is not the kind's
	shy      *shyGroup           // nil: shown always
	onTap    func()

	hovered, focused bool
}

func newButton(kind buttonKind, text string, onTap func()) *button {
	b := &button{kind: kind, text: text, onTap: onTap, size: sizeText, padX: gap12, padY: gap4}
	switch kind {
	case buttonPill:
		b.size, b.padX = sizeSmall, 10
	case buttonLink, buttonQuiet:
		b.size, b.padX, b.padY = sizeSmall, 0, 2
	case buttonRow:
		b.padX, b.padY = gap8, 5
	}
	b.ExtendBaseWidget(b)
	return b
}

// SetText changes the words.
func (b *button) SetText(t string) {
	if b.text != t {
		b.text = t
		b.Refresh()
	}
}

func (b *button) setSelected(on bool) {
	if b.selected != on {
		b.selected = on
		b.Refresh()
	}
}

// Tapped implements fyne.Tappable.
func (b *button) Tapped(*fyne.PointEvent) {
	if !b.Disabled() && b.onTap != nil {
		b.onTap()
	}
}

// MouseIn implements desktop.Hoverable.
func (b *button) MouseIn(*desktop.MouseEvent) { b.hovered = true; b.redraw() }

// MouseMoved implements desktop.Hoverable.
func (b *button) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (b *button) MouseOut() { b.hovered = false; b.redraw() }

// redraw shows a change of hover or focus, with the buttons it goes with.
func (b *button) redraw() {
	if b.shy != nil {
		b.shy.refresh()
		return
	}
	b.Refresh()
}

// Cursor implements desktop.Cursorable.
func (b *button) Cursor() desktop.Cursor {
	if b.Disabled() {
		return desktop.DefaultCursor
	}
	return desktop.PointerCursor
}

// FocusGained implements fyne.Focusable.
func (b *button) FocusGained() { b.focused = true; b.redraw(); bringIntoSight(b) }

// FocusLost implements fyne.Focusable.
func (b *button) FocusLost() { b.focused = false; b.redraw() }

// TypedRune implements fyne.Focusable.
func (b *button) TypedRune(r rune) { typedAt(b, r) }

// TypedKey implements fyne.Focusable.
func (b *button) TypedKey(ev *fyne.KeyEvent) { pressed(b, ev, func() { b.Tapped(nil) }) }

// CreateRenderer implements fyne.Widget.
func (b *button) CreateRenderer() fyne.WidgetRenderer {
	r := &buttonRenderer{b: b, bg: canvas.NewRectangle(color.Transparent), t: canvas.NewText("", color.Transparent), tail: canvas.NewText("", color.Transparent)}
	r.tail.TextSize = sizeSmall
	r.apply()
	return r
}

type buttonRenderer struct {
	b       *button
	bg      *canvas.Rectangle
	t, tail *canvas.Text
}

// atRest is fill, line and text of a kind of button that nobody touches.
func (k buttonKind) atRest() (fill, line, text fyne.ThemeColorName) {
	switch k {
	case buttonPlain:
		return roleCard, roleLine, roleText
	case buttonPrimary:
		return roleAccent, roleNone, roleOnAccent
	case buttonDanger:
		return roleCard, roleLine, roleHot
	case buttonPill:
		return roleWindow, roleLine, roleMuted // a line around no fill is drawn too dark
	case buttonLink:
		return roleNone, roleNone, roleAccent
	case buttonQuiet, buttonRow:
		return roleNone, roleNone, roleMuted
	}
	return roleNone, roleNone, roleText
}

// look gives fill, line and text roles for the state the button is in.
func (b *button) look() (fill, line, text fyne.ThemeColorName) {
	fill, line, text = b.kind.atRest()
	if b.tone != roleNone {
		text = b.tone
	}
	if b.hovered && (b.kind == buttonQuiet || b.kind == buttonPill || b.kind == buttonRow) {
		text = roleText
	}
	if b.hovered && b.kind == buttonRow {
		fill = roleHover
	}
	if b.selected {
		fill, text = roleAccentSoft, roleText
	}
	if b.Disabled() {
		text = roleFaint
		if b.kind == buttonPrimary {
			fill, line = roleCard, roleLine
		}
	}
	if !b.shy.visible() {
		text = roleNone
	}
	if b.focused {
		line = roleAccent
		if b.kind == buttonPrimary {
			line = roleText // accent on accent is not seen
		}
	}
	return fill, line, text
}

func (b *button) style() fyne.TextStyle { return fyne.TextStyle{Bold: b.kind == buttonPrimary} }

func (r *buttonRenderer) apply() {
	fill, line, text := r.b.look()
	r.bg.FillColor = ink(fill)
	r.bg.StrokeColor, r.bg.StrokeWidth = ink(line), 0
	if line != roleNone {
		r.bg.StrokeWidth = 1
	}
	r.bg.CornerRadius = radiusRow
	if r.b.kind == buttonPill {
		r.bg.CornerRadius = r.bg.Size().Height / 2
	}
	r.t.Color, r.t.TextSize = ink(text), r.b.size
	r.tail.Color, r.tail.Text = ink(roleMuted), r.b.trailing
	if r.b.kind == buttonRow && r.b.trailing != "" {
		r.tail.Color = ink(roleAccent)
	}
	r.fit(r.b.Size())
}

// fit places the words; a row's words are cut where they do not fit.
func (r *buttonRenderer) fit(s fyne.Size) {
	b := r.b
	tail := r.tail.MinSize()
	avail := s.Width - 2*b.padX
	if b.trailing != "" {
		avail -= tail.Width + gap8
	}
	text := b.text
	if avail > 0 {
		text = ellipsize(b.text, avail, b.size, b.style())
	}
	setText(r.t, text, b.style())
	ts := measureText(text, b.size, b.style())
	x := (s.Width - ts.Width) / 2
	if b.kind == buttonRow || b.trailing != "" || b.kind == buttonLink || b.kind == buttonQuiet {
		x = b.padX
	}
	r.t.Move(fyne.NewPos(x, (s.Height-ts.Height)/2))
	r.t.Resize(ts)
	r.tail.Move(fyne.NewPos(s.Width-b.padX-tail.Width, (s.Height-tail.Height)/2))
	r.tail.Resize(tail)
}

func (r *buttonRenderer) Layout(s fyne.Size) {
	r.bg.Resize(s)
	if r.b.padX == 0 { // room around the words for the line of the focus
		r.bg.Move(fyne.NewPos(-gap4, 0))
		r.bg.Resize(s.AddWidthHeight(2*gap4, 0))
	}
	if r.b.kind == buttonPill {
		r.bg.CornerRadius = s.Height / 2
	}
	r.fit(s)
	r.t.Refresh()
}

func (r *buttonRenderer) MinSize() fyne.Size {
	s := measureText(r.b.text, r.b.size, r.b.style())
	if r.b.trailing != "" {
		s.Width += gap16 + r.tail.MinSize().Width
	}
	if r.b.kind == buttonRow {
		s.Width = 0
	}
	return s.AddWidthHeight(2*r.b.padX, 2*r.b.padY)
}

func (r *buttonRenderer) Refresh() {
	r.apply()
	r.bg.Refresh()
	r.t.Refresh()
	r.tail.Refresh()
}

func (r *buttonRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.bg, r.t, r.tail}
}
func (r *buttonRenderer) Destroy() {}

// gauge is a thin bar filled to a fraction.
type gauge struct {
	widget.BaseWidget
	fraction float64
	role     fyne.ThemeColorName
	width    float32
}

func newGauge(width float32) *gauge {
	g := &gauge{role: roleAccent, width: width}
	g.ExtendBaseWidget(g)
	return g
}

func (g *gauge) set(fraction float64, role fyne.ThemeColorName) {
	fraction = min(max(fraction, 0), 1)
	if g.fraction == fraction && g.role == role {
		return
	}
	g.fraction, g.role = fraction, role
	g.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (g *gauge) CreateRenderer() fyne.WidgetRenderer {
	r := &gaugeRenderer{g: g, back: canvas.NewRectangle(ink(roleLine)), bar: canvas.NewRectangle(ink(g.role))}
	r.back.CornerRadius, r.bar.CornerRadius = 2, 2
	return r
}

type gaugeRenderer struct {
	g         *gauge
	back, bar *canvas.Rectangle
}

func (r *gaugeRenderer) Layout(s fyne.Size) {
	y := (s.Height - 4) / 2
	r.back.Move(fyne.NewPos(0, y))
	r.back.Resize(fyne.NewSize(s.Width, 4))
	r.bar.Move(fyne.NewPos(0, y))
	r.bar.Resize(fyne.NewSize(s.Width*float32(r.g.fraction), 4))
}
func (r *gaugeRenderer) MinSize() fyne.Size { return fyne.NewSize(r.g.width, 4) }
func (r *gaugeRenderer) Refresh() {
	r.back.FillColor, r.bar.FillColor = ink(roleLine), ink(r.g.role)
	r.Layout(r.g.Size())
	r.back.Refresh()
	r.bar.Refresh()
}
func (r *gaugeRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.back, r.bar} }
func (r *gaugeRenderer) Destroy()                     {}

// Layout helpers, on the 4-pixel grid.

// line puts objects side by side, centred vertically, with a gap; the object at
// stretch (or none for -1) takes what is left.
func line(gap float32, stretch int, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&lineLayout{gap: gap, stretch: stretch}, objects...)
}

type lineLayout struct {
	gap     float32
	stretch int
}

func (l *lineLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	n := 0
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		s.Width += m.Width
		s.Height = max(s.Height, m.Height)
		n++
	}
	s.Width += l.gap * float32(max(0, n-1))
	return s
}

func (l *lineLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	spare := size.Width - l.MinSize(objects).Width
	x := float32(0)
	for i, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		if i == l.stretch {
			m.Width = max(0, m.Width+spare)
		}
		o.Move(fyne.NewPos(x, (size.Height-m.Height)/2))
		o.Resize(m)
		x += m.Width + l.gap
	}
}

// lineRight ends an object in a hairline at its right edge.
func lineRight(o fyne.CanvasObject) *fyne.Container {
	return container.New(lineRightLayout{}, o, hairline())
}

type lineRightLayout struct{}

func (lineRightLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().AddWidthHeight(1, 0)
}

func (lineRightLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	o[0].Resize(fyne.NewSize(s.Width-1, s.Height))
	o[1].Move(fyne.NewPos(s.Width-1, 0))
	o[1].Resize(fyne.NewSize(1, s.Height))
}

// stack puts objects below each other with a gap.
func stack(gap float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedVBoxLayout(gap), objects...)
}

// inset keeps a distance around an object.
func inset(top, bottom, left, right float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedLayout(top, bottom, left, right), o)
}

// sized gives an object a minimum size.
func sized(o fyne.CanvasObject, w, h float32) *fyne.Container {
	return container.New(&minLayout{fyne.NewSize(w, h)}, o)
}

type minLayout struct{ min fyne.Size }

func (m *minLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	s := m.min
	for _, o := range objects {
		s = s.Max(o.MinSize())
	}
	return s
}

func (m *minLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.Position{})
		o.Resize(size)
	}
}

// centred keeps an object in the middle and no wider than width.
func centred(width float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(&centredLayout{width}, o)
}

type centredLayout struct{ width float32 }

func (c *centredLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var s fyne.Size
	for _, o := range objects {
		s = s.Max(o.MinSize())
	}
	return s
}

func (c *centredLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	w := min(size.Width, c.width)
	for _, o := range objects {
		o.Move(fyne.NewPos((size.Width-w)/2, 0))
		o.Resize(fyne.NewSize(w, size.Height))
	}
}

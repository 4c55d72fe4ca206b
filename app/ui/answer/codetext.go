package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/markdown"
	"mac-stats/app/ui/prose"
)

// codeText shows code unchanged: lines are scrolled sideways, or wrapped if the reader asks
// for it. Only visible lines are canvas objects, and code that grows is laid out from its
// last line on.
type codeText struct {
	widget.BaseWidget
	code        string
	spans       []markdown.Span
	lines       []codeLine
	cell        float32 // width of a character of the bundled font
	scale       float32 // text scale for which cell and lines were computed
	widest      float32
	wrap        bool
	width       float32 // width to wrap to
	offset      float32 // how far it is scrolled sideways
	selFrom     int
	selTo       int
	Marks       []prose.Mark // matches of a search
	markNow     int          // index of the current match, -1 for none
	visibleFrom float32      // the visible part, in own coordinates
	visibleTo   float32
	version     int // incremented with every change
	drawn       int // the version last drawn
	pass        func(*fyne.ScrollEvent)
	onScroll    func()
}

// codeLine is one line on the screen; a wrapped line has several.
type codeLine struct {
	from, to int
	width    float32
}

func codeLeading() float32 { return 18 * kit.TextScale() }

func codeSize() float32 { return kit.SizeMono * kit.TextScale() }

func newCodeText() *codeText {
	t := &codeText{visibleTo: 1e9}
	t.fit()
	t.ExtendBaseWidget(t)
	return t
}

// fit measures the font.
func (t *codeText) fit() {
	t.scale = kit.TextScale()
	t.cell = kit.MeasureText(strings.Repeat("M", 64), codeSize(), fyne.TextStyle{Monospace: true}).Width / 64
}

// set changes the code. The unchanged beginning stays laid out.
func (t *codeText) set(code string, spans []markdown.Span) {
	if code == t.code && len(t.lines) > 0 {
		if !slices.Equal(spans, t.spans) {
			t.spans = spans
			t.version++
		}
		return
	}
	from := 0
	if t.lines != nil && strings.HasPrefix(code, t.code) {
		from = strings.LastIndexByte(t.code, '\n') + 1
	}
	t.code, t.spans = code, spans
	t.layOutFrom(from)
}

// layOutFrom lays out the lines from the beginning of a line on.
func (t *codeText) layOutFrom(from int) {
	t.version++
	n := len(t.lines)
	for n > 0 && t.lines[n-1].from >= from {
		n--
	}
	t.lines = t.lines[:n]
	if n == 0 {
		from, t.widest = 0, 0
	}
	for {
		end := len(t.code)
		if i := strings.IndexByte(t.code[from:], '\n'); i >= 0 {
			end = from + i
		}
		t.addLine(from, end)
		if end == len(t.code) {
			return
		}
		from = end + 1
	}
}

func (t *codeText) addLine(from, to int) {
	for {
		cut := to
		if t.wrap && t.width > 4*t.cell {
			cut = t.fitting(from, to)
		}
		w := t.span(from, cut)
		t.lines = append(t.lines, codeLine{from, cut, w})
		t.widest = max(t.widest, w)
		if cut == to {
			return
		}
		from = cut
	}
}

// fitting returns the end of a line that fits into the width: its own end, or behind a
// space in its second half if there is one, at least one character further.
func (t *codeText) fitting(from, to int) int {
	at := min(prose.NextRune(t.code, from), to)
	for x := t.span(from, at); at < to; {
		next := prose.NextRune(t.code, at)
		x += t.span(at, next)
		if x > t.width {
			break
		}
		at = next
	}
	if i := strings.LastIndexByte(t.code[from:at], ' '); at < to && i >= (at-from)/2 {
		return from + i + 1
	}
	return at
}

// span returns the width of a part of a line.
func (t *codeText) span(from, to int) float32 {
	var w float32
	for from < to {
		n := kit.SameFont(t.code[from:to])
		w += t.piece(t.code[from : from+n])
		from += n
	}
	return w
}

// piece returns the width of text in one font.
func (t *codeText) piece(s string) float32 {
	if kit.InOwnFont(s) {
		return float32(utf8.RuneCountInString(s)) * t.cell
	}
	return kit.MeasureText(s, codeSize(), fyne.TextStyle{Monospace: true}).Width
}

func (t *codeText) setWrap(on bool) {
	t.wrap, t.offset = on, 0
	t.lines = nil
	t.layOutFrom(0)
}

// Measure returns the height at a width.
func (t *codeText) Measure(width float32) float32 {
	resized := t.scale != kit.TextScale()
	if resized {
		t.fit()
	}
	if t.width != width || resized {
		t.width = width
		if t.wrap || resized {
			t.lines = nil
			t.layOutFrom(0)
		}
	}
	return float32(len(t.lines)) * codeLeading()
}

func (t *codeText) maxOffset() float32 { return max(0, t.widest-t.Size().Width) }

// SetVisiblePart sets the visible part, in the text's own coordinates.
func (t *codeText) SetVisiblePart(from, to float32) {
	first, last := t.visibleLines()
	t.visibleFrom, t.visibleTo = from, to
	if f, l := t.visibleLines(); f != first || l != last || t.version != t.drawn {
		t.Refresh()
	}
}

func (t *codeText) visibleLines() (first, last int) {
	first = max(0, int(t.visibleFrom/codeLeading())-2)
	last = len(t.lines)
	if n := t.visibleTo/codeLeading() + 3; n < float32(last) {
		last = max(first, int(n))
	}
	return min(first, last), last
}

// Scrolled implements fyne.Scrollable. It scrolls sideways here (also by Shift and the
// wheel), and up and down in the surrounding view.
func (t *codeText) Scrolled(ev *fyne.ScrollEvent) {
	dx := ev.Scrolled.DX
	if d, ok := fyne.CurrentApp().Driver().(desktop.Driver); ok && dx == 0 && d.CurrentKeyModifiers()&fyne.KeyModifierShift != 0 {
		dx = ev.Scrolled.DY
	}
	sideways := dx*dx > ev.Scrolled.DY*ev.Scrolled.DY || dx == ev.Scrolled.DY && dx != 0
	if t.maxOffset() > 0 && sideways {
		t.scrollTo(t.offset - dx)
		return
	}
	if t.pass != nil {
		t.pass(ev)
	}
}

func (t *codeText) scrollTo(offset float32) {
	offset = min(max(offset, 0), t.maxOffset())
	if offset == t.offset {
		return
	}
	t.offset = offset
	t.Refresh()
	if t.onScroll != nil {
		t.onScroll()
	}
}

// The methods for selecting, which the viewport calls.

func (t *codeText) SelectLen() int { return len(t.code) }

func (t *codeText) OffsetAt(pos fyne.Position) int {
	n := int(pos.Y / codeLeading())
	if pos.Y < 0 || len(t.lines) == 0 {
		return 0
	}
	if n >= len(t.lines) {
		return len(t.code)
	}
	l, x := t.lines[n], pos.X+t.offset
	for at := l.from; at < l.to; {
		next := prose.NextRune(t.code, at)
		w := t.span(at, next)
		if x < w/2 {
			return at
		}
		x -= w
		at = next
	}
	return l.to
}

func (t *codeText) SetSelection(from, to int) {
	if from >= to {
		from, to = 0, 0
	}
	if t.selFrom != from || t.selTo != to {
		t.selFrom, t.selTo = from, to
		t.Refresh()
	}
}

func (t *codeText) SelectedText(from, to int) string {
	return t.code[min(from, len(t.code)):min(to, len(t.code))]
}

// WordAt returns the name or number around an offset.
func (t *codeText) WordAt(off int) (from, to int) {
	part := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	from, to = off, off
	for from > 0 {
		r, n := utf8.DecodeLastRuneInString(t.code[:from])
		if !part(r) {
			break
		}
		from -= n
	}
	for to < len(t.code) {
		r, n := utf8.DecodeRuneInString(t.code[to:])
		if !part(r) {
			break
		}
		to += n
	}
	return from, to
}

// Cursor implements desktop.Cursorable.
func (t *codeText) Cursor() desktop.Cursor { return desktop.TextCursor }

// CreateRenderer implements fyne.Widget.
func (t *codeText) CreateRenderer() fyne.WidgetRenderer {
	r := &codeRenderer{t: t}
	r.Refresh()
	return r
}

// runeOffset returns the offset of the nth character of a text, or its length.
func runeOffset(s string, n int) int {
	for at := range s {
		if n == 0 {
			return at
		}
		n--
	}
	return len(s)
}

package prose

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/app/ui/kit"
)

// Text is a paragraph: styled runs, wrapped to a width, selectable through the viewport
// that holds it. Its cost is linear in its text, and only the visible lines are canvas
// objects.
type Text struct {
	widget.BaseWidget
	wrapping
	Role        fyne.ThemeColorName
	Leading     float32 // height of a line
	Bare        bool    // monospaced words get no background of their own
	selFrom     int
	selTo       int
	Marks       []Mark  // matches of a search
	markNow     int     // index of the current match, -1 for none
	visibleFrom float32 // the visible part, in the paragraph's own coordinates
	visibleTo   float32
	maxLines    int // number of lines shown, 0 for all
	drawn       int // the version last drawn
}

// New returns a paragraph of runs.
func New(runs []Run, size float32, role fyne.ThemeColorName) *Text {
	return newText(runs, size, role, false)
}

// NewBold returns a paragraph of bold runs.
func NewBold(runs []Run, size float32, role fyne.ThemeColorName) *Text {
	return newText(runs, size, role, true)
}

func newText(runs []Run, size float32, role fyne.ThemeColorName, bold bool) *Text {
	p := &Text{Role: role, Leading: LineHeight(size) * kit.TextScale(), visibleTo: 1e9}
	p.size, p.scale, p.bold = size, kit.TextScale(), bold
	p.ExtendBaseWidget(p)
	p.SetRuns(runs)
	return p
}

// LineHeight returns the height of a line of text of a size.
func LineHeight(size float32) float32 {
	switch {
	case size <= kit.SizeSmall:
		return 16
	case size <= kit.SizeText:
		return 20
	case size <= kit.SizeLarge:
		return 24
	}
	return 28
}

// SetVisiblePart sets the visible part, in the paragraph's own coordinates.
func (p *Text) SetVisiblePart(from, to float32) {
	first, last := p.visibleLines()
	p.visibleFrom, p.visibleTo = from, to
	if f, l := p.visibleLines(); f != first || l != last || p.version != p.drawn {
		p.Refresh()
	}
}

func (p *Text) visibleLines() (first, last int) {
	first = max(0, int(p.visibleFrom/p.Leading)-2)
	last = len(p.Lines)
	if n := p.visibleTo/p.Leading + 3; n < float32(last) {
		last = max(first, int(n))
	}
	last = p.shown(last)
	return min(first, last), last
}

// ShowLines shows the first n lines, or all for 0; the rest can still be found and copied.
// The caller must measure the row again.
func (p *Text) ShowLines(n int) {
	p.maxLines = n
	p.Refresh()
}

// Hides reports whether an offset in the text is below the lines that are shown.
func (p *Text) Hides(off int) bool {
	return p.maxLines > 0 && p.LineOf(off) >= float32(p.maxLines)*p.Leading
}

func (p *Text) shown(lines int) int {
	if p.maxLines > 0 {
		return min(lines, p.maxLines)
	}
	return lines
}

// OffsetAt returns the offset in the text nearest to a point.
func (p *Text) OffsetAt(pos fyne.Position) int {
	if pos.Y < 0 || len(p.Lines) == 0 {
		return 0
	}
	n := int(pos.Y / p.Leading)
	if n >= len(p.Lines) {
		return len(p.Flat)
	}
	l := p.Lines[n]
	for _, s := range p.segments(l) {
		if pos.X < s.X+s.Width {
			return p.offsetIn(s, pos.X-s.X)
		}
	}
	return l.to
}

// LinkAt returns the address at a point, or "".
func (p *Text) LinkAt(pos fyne.Position) string {
	n := int(pos.Y / p.Leading)
	if pos.Y < 0 || n >= len(p.Lines) {
		return ""
	}
	for _, s := range p.segments(p.Lines[n]) {
		if pos.X >= s.X && pos.X < s.X+s.Width {
			return p.runs[s.run].Link
		}
	}
	return ""
}

// The methods for selecting, which the viewport calls.

// SelectLen implements Selectable.
func (p *Text) SelectLen() int { return len(p.Flat) }

// SelectedText implements Selectable.
func (p *Text) SelectedText(from, to int) string {
	return p.Flat[min(from, len(p.Flat)):min(to, len(p.Flat))]
}

// SetSelection implements Selectable.
func (p *Text) SetSelection(from, to int) {
	if from >= to {
		from, to = 0, 0
	}
	if p.selFrom == from && p.selTo == to {
		return
	}
	p.selFrom, p.selTo = from, to
	p.Refresh()
}

// SetMarks shows the matches of a search; now is the index of the current one, -1 for none.
func (p *Text) SetMarks(marks []Mark, now int) {
	if slices.Equal(p.Marks, marks) && (p.markNow == now || len(marks) == 0) {
		return
	}
	p.Marks, p.markNow = marks, now
	p.Refresh()
}

// FlatText implements Markable.
func (p *Text) FlatText() string { return p.Flat }

// LineOf returns the y of the line at an offset in the text.
func (p *Text) LineOf(off int) float32 {
	for i, l := range p.Lines {
		if off <= l.to {
			return float32(i) * p.Leading
		}
	}
	return 0
}

// WordAt returns the word around an offset, for a double click.
func (p *Text) WordAt(off int) (from, to int) {
	for _, w := range p.words {
		if off >= w.from && off < w.next {
			return w.from, w.to
		}
	}
	return off, off
}

// Cursor implements desktop.Cursorable.
func (p *Text) Cursor() desktop.Cursor { return desktop.TextCursor }

// CreateRenderer implements fyne.Widget.
func (p *Text) CreateRenderer() fyne.WidgetRenderer {
	r := &proseRenderer{p: p}
	r.Refresh()
	return r
}

type proseRenderer struct {
	LinePaint
	p *Text
}

func (r *proseRenderer) Layout(s fyne.Size) {
	if s.Width > 0 && r.p.stale {
		r.p.Measure(s.Width)
	}
	if r.p.drawn != r.p.version {
		r.Refresh()
	}
}

func (r *proseRenderer) MinSize() fyne.Size           { return fyne.NewSize(0, r.p.Leading) }
func (r *proseRenderer) Objects() []fyne.CanvasObject { return r.Drawn }
func (r *proseRenderer) Destroy()                     {}

// Refresh places the segments of the visible lines.
func (r *proseRenderer) Refresh() {
	p := r.p
	p.drawn = p.version
	r.Begin()
	first, last := p.visibleLines()
	for i := first; i < last; i++ {
		y := float32(i) * p.Leading
		for _, s := range p.segments(p.Lines[i]) {
			r.underlay(s, y)
			r.segment(s, y)
		}
	}
	r.End()
	canvas.Refresh(p)
}

// underlay draws what lies below a segment: code background, selection, matches, and the
// lines of links and struck text.
func (r *proseRenderer) underlay(s segment, y float32) {
	p := r.p
	ru := p.runs[s.run]
	if ru.Key && !p.Bare { // the cap of a key, with an edge
		pos, size := fyne.NewPos(s.X-1, y+1), fyne.NewSize(s.Width+2, p.Leading-2)
		r.Rect(kit.RoleLine, pos, size, 3)
		r.Rect(kit.RoleCode, pos.AddXY(1, 1), size.SubtractWidthHeight(2, 3), 2)
	} else if ru.Mono && !p.Bare {
		r.Rect(kit.RoleCode, fyne.NewPos(s.X-2, y+2), fyne.NewSize(s.Width+4, p.Leading-4), 3)
	}
	if from, to := max(s.from, p.selFrom), min(s.to, p.selTo); from < to {
		x := s.X + p.spanIn(s, s.from, from)
		r.Rect(kit.RoleSelection, fyne.NewPos(x, y), fyne.NewSize(s.X+p.spanIn(s, s.from, to)-x, p.Leading), 0)
	}
	EachMark(p.Marks, p.markNow, s.from, s.to, func(role fyne.ThemeColorName, from, to int) {
		x := s.X + p.spanIn(s, s.from, from)
		r.Rect(role, fyne.NewPos(x, y+1), fyne.NewSize(s.X+p.spanIn(s, s.from, to)-x, p.Leading-2), 3)
	})
	if ru.Link != "" {
		r.Rect(kit.RoleAccent, fyne.NewPos(s.X, y+p.Leading-4), fyne.NewSize(s.Width, 1), 0)
	}
	if ru.Strike {
		r.Rect(kit.RoleMuted, fyne.NewPos(s.X, y+p.Leading/2), fyne.NewSize(s.Width, 1), 0)
	}
}

// segment draws a segment's text.
func (r *proseRenderer) segment(s segment, y float32) {
	p := r.p
	role := p.runs[s.run].Role
	if role == kit.RoleNone {
		role = p.Role
	}
	if p.runs[s.run].Link != "" {
		role = kit.RoleAccent
	}
	size, style := p.style(s.run)
	switch p.runs[s.run].Lift {
	case 1:
		y -= p.Leading / 5
	case -1:
		y += p.Leading / 6
	}
	r.Text(strings.ReplaceAll(p.Flat[s.from:s.to], "\t", "    "), role, fyne.NewPos(s.X, y), s.Width, p.Leading, size, style)
}

// Measure wraps the text to a width and returns the height.
func (p *Text) Measure(width float32) float32 { return p.MeasureAt(width, kit.TextScale()) }

// WidestLine returns the width of the widest line, as Measure wrapped them.
func (p *Text) WidestLine() float32 { return p.Widest }

// MeasureAt is Measure for callers with many texts, which ask for the scale once.
func (p *Text) MeasureAt(width, scale float32) float32 {
	if width < 8 {
		width = 8
	}
	if scale != p.scale {
		p.Leading = p.Leading * scale / p.scale
	}
	p.fit(width, scale)
	return float32(p.shown(len(p.Lines))) * p.Leading
}

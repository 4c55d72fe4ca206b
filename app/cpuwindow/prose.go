package cpuwindow

import (
	"slices"
	"sort"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"mac-stats/sessionmem"
)

// run is a stretch of text in one style.
type run struct {
	text   string
	bold   bool
	italic bool
	strike bool
	mono   bool
	link   string
	role   fyne.ThemeColorName // "" is the paragraph's own
}

// word is what a line break may not cut: atoms that follow each other without a
// space, and the space after them.
type word struct {
	from, to int // bytes of the flat text, without the space
	next     int // where the next word begins
	width    float32
	space    float32
	hard     bool // a line break follows
}

// segment is a stretch of one run on one line.
type segment struct {
	from, to int
	run      int
	x, width float32
}

// textLine is one line on the screen.
type textLine struct {
	from, to int
	width    float32
}

// prose is a paragraph: styled runs, wrapped to a width, selectable through the
// viewport that holds it. Its cost is linear in its text, and only the lines in
// sight are objects of the screen.
type prose struct {
	widget.BaseWidget
	given    []run
	runs     []run // given, cut where the font changes
	uncut    bool  // it changes nowhere within one: runs and given are alike
	flat     string
	starts   []int // where each run begins in flat
	size     float32
	role     fyne.ThemeColorName
	bold     bool
	leading  float32                          // height of a line
	scale    float32                          // of the text, as of words and leading
	letters  map[letterStyle]map[rune]float32 // their widths
	words    []word
	lines    []textLine
	wrapped  float32 // the width lines were made for; 0 = not yet
	settled  int     // words whose lines are right for that
	stale    bool    // there are others
	widest   float32
	selFrom  int
	selTo    int
	marks    []sessionmem.Mark // what find found
	markNow  int               // the one of them that is looked at, -1 for none
	seenFrom float32           // the part in sight, in own coordinates
	seenTo   float32
	bare     bool // mono words get no background of their own
	version  int  // grows with every wrapping
	drawn    int  // the version on the screen
}

func newProse(runs []run, size float32, role fyne.ThemeColorName) *prose {
	p := &prose{size: size, role: role, leading: lineHeight(size) * textScale(), scale: textScale(), seenTo: 1e9}
	p.ExtendBaseWidget(p)
	p.setRuns(runs)
	return p
}

func lineHeight(size float32) float32 {
	switch {
	case size <= sizeSmall:
		return 16
	case size <= sizeText:
		return 20
	case size <= sizeLarge:
		return 24
	}
	return 28
}

// setRuns changes the text; it reports whether anything did change. The words that
// both texts begin with are kept, and the lines of these.
func (p *prose) setRuns(runs []run) bool {
	if p.words != nil && slices.Equal(p.given, runs) {
		return false
	}
	k := p.keptRuns(runs)
	fresh := splitFonts(runs[k:], p.bold)
	same := len(p.flat)
	if k < len(p.starts) {
		same = p.starts[k]
	}
	same += sameBeginning(p.runs[k:], fresh)
	p.uncut = (k == 0 || p.uncut) && slices.EqualFunc(fresh, runs[k:], func(a, b run) bool { return a.text == b.text })
	p.given, p.runs, p.starts = runs, append(p.runs[:k], fresh...), p.starts[:k]
	p.join()
	p.keepWords(same)
	p.split()
	p.stale = true
	return true
}

// keptRuns is how many runs at the beginning are the same as they were.
func (p *prose) keptRuns(runs []run) (k int) {
	for p.uncut && p.words != nil && k < min(len(p.given), len(runs)) && p.given[k] == runs[k] {
		k++
	}
	return k
}

// join makes the flat text of the runs.
func (p *prose) join() {
	n := 0
	for i, r := range p.runs {
		if i >= len(p.starts) {
			p.starts = append(p.starts, n)
		}
		n += len(r.text)
	}
	var b strings.Builder
	b.Grow(n)
	for _, r := range p.runs {
		b.WriteString(r.text)
	}
	p.flat = b.String()
}

// sameBeginning is how many bytes two texts begin with that are the same in the same
// style.
func sameBeginning(a, b []run) int {
	same := 0
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			same += len(a[i].text)
			continue
		}
		x, y := a[i].text, b[i].text
		a, b := a[i], b[i]
		a.text, b.text = "", ""
		if a != b {
			break
		}
		n := min(len(x), len(y))
		if x[:n] != y[:n] {
			n = 0
			for x[n] == y[n] {
				n++
			}
		}
		return same + n
	}
	return same
}

func (p *prose) runAt(off int) int {
	at := sort.SearchInts(p.starts, off+1) - 1
	return max(at, 0)
}

func (p *prose) style(r int) (float32, fyne.TextStyle) {
	ru := p.runs[r]
	if ru.mono {
		return p.scale * min(p.size, sizeMono), fyne.TextStyle{Monospace: true, Bold: ru.bold}
	}
	return p.scale * p.size, fyne.TextStyle{Bold: ru.bold || p.bold, Italic: ru.italic}
}

// span is the width of flat[from:to], which may be of several runs.
func (p *prose) span(from, to int) float32 {
	var w float32
	for r := p.runAt(from); from < to; r++ {
		end := len(p.flat)
		if r+1 < len(p.starts) {
			end = p.starts[r+1]
		}
		end = min(end, to)
		if end > from {
			size, style := p.style(r)
			w += measureText(p.flat[from:end], size, style).Width
		}
		from = max(end, from)
		if r >= len(p.starts)-1 {
			break
		}
	}
	return w
}

// look tells which part is in sight, in own coordinates.
func (p *prose) look(from, to float32) {
	first, last := p.visibleLines()
	p.seenFrom, p.seenTo = from, to
	if f, l := p.visibleLines(); f != first || l != last || p.version != p.drawn {
		p.Refresh()
	}
}

func (p *prose) visibleLines() (first, last int) {
	first = max(0, int(p.seenFrom/p.leading)-2)
	last = len(p.lines)
	if n := p.seenTo/p.leading + 3; n < float32(last) {
		last = max(first, int(n))
	}
	return min(first, last), last
}

// offsetAt is the place in the text nearest to a point in own coordinates.
func (p *prose) offsetAt(pos fyne.Position) int {
	if pos.Y < 0 || len(p.lines) == 0 {
		return 0
	}
	n := int(pos.Y / p.leading)
	if n >= len(p.lines) {
		return len(p.flat)
	}
	l := p.lines[n]
	for _, s := range p.segments(l) {
		if pos.X < s.x+s.width {
			return p.offsetIn(s, pos.X-s.x)
		}
	}
	return l.to
}

func (p *prose) offsetIn(s segment, x float32) int {
	size, style := p.style(s.run)
	prev, at := float32(0), s.from
	for at < s.to {
		next := nextRune(p.flat, at)
		w := measureText(p.flat[s.from:next], size, style).Width
		if x < (prev+w)/2 {
			return at
		}
		prev, at = w, next
	}
	return s.to
}

// linkAt is the address under a point, or "".
func (p *prose) linkAt(pos fyne.Position) string {
	n := int(pos.Y / p.leading)
	if pos.Y < 0 || n >= len(p.lines) {
		return ""
	}
	for _, s := range p.segments(p.lines[n]) {
		if pos.X >= s.x && pos.X < s.x+s.width {
			return p.runs[s.run].link
		}
	}
	return ""
}

// The selection, as the viewport wants it.

func (p *prose) selectLen() int { return len(p.flat) }

func (p *prose) selectedText(from, to int) string {
	return p.flat[min(from, len(p.flat)):min(to, len(p.flat))]
}

func (p *prose) setSelection(from, to int) {
	if from >= to {
		from, to = 0, 0
	}
	if p.selFrom == from && p.selTo == to {
		return
	}
	p.selFrom, p.selTo = from, to
	p.Refresh()
}

// setMarks shows what find found; now is the one that is looked at, -1 for none.
func (p *prose) setMarks(marks []sessionmem.Mark, now int) {
	if len(p.marks) == 0 && len(marks) == 0 {
		return
	}
	p.marks, p.markNow = marks, now
	p.Refresh()
}

func (p *prose) flatText() string { return p.flat }

// lineOf is where the line of a place in the text begins, in own coordinates.
func (p *prose) lineOf(off int) float32 {
	for i, l := range p.lines {
		if off <= l.to {
			return float32(i) * p.leading
		}
	}
	return 0
}

// wordAt is the word around an offset, for a double click.
func (p *prose) wordAt(off int) (from, to int) {
	for _, w := range p.words {
		if off >= w.from && off < w.next {
			return w.from, w.to
		}
	}
	return off, off
}

// Cursor implements desktop.Cursorable.
func (p *prose) Cursor() desktop.Cursor { return desktop.TextCursor }

// CreateRenderer implements fyne.Widget.
func (p *prose) CreateRenderer() fyne.WidgetRenderer {
	r := &proseRenderer{p: p}
	r.Refresh()
	return r
}

type proseRenderer struct {
	linePaint
	p *prose
}

func (r *proseRenderer) Layout(s fyne.Size) {
	if s.Width > 0 && r.p.stale {
		r.p.measure(s.Width)
	}
	if r.p.drawn != r.p.version {
		r.Refresh()
	}
}

func (r *proseRenderer) MinSize() fyne.Size           { return fyne.NewSize(0, r.p.leading) }
func (r *proseRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *proseRenderer) Destroy()                     {}

// Refresh places the segments of the lines in sight.
func (r *proseRenderer) Refresh() {
	p := r.p
	p.drawn = p.version
	r.begin()
	first, last := p.visibleLines()
	for i := first; i < last; i++ {
		y := float32(i) * p.leading
		for _, s := range p.segments(p.lines[i]) {
			r.underlay(s, y)
			r.segment(s, y)
		}
	}
	r.end()
	canvas.Refresh(p)
}

// underlay draws what lies below a segment: code background, selection, what find
// found, the line under a link and through struck text.
func (r *proseRenderer) underlay(s segment, y float32) {
	p := r.p
	ru := p.runs[s.run]
	if ru.mono && !p.bare {
		r.rect(roleCode, fyne.NewPos(s.x-2, y+2), fyne.NewSize(s.width+4, p.leading-4), 3)
	}
	if from, to := max(s.from, p.selFrom), min(s.to, p.selTo); from < to {
		x := s.x + p.spanIn(s, s.from, from)
		r.rect(roleSelection, fyne.NewPos(x, y), fyne.NewSize(s.x+p.spanIn(s, s.from, to)-x, p.leading), 0)
	}
	eachMark(p.marks, p.markNow, s.from, s.to, func(role fyne.ThemeColorName, from, to int) {
		x := s.x + p.spanIn(s, s.from, from)
		r.rect(role, fyne.NewPos(x, y+1), fyne.NewSize(s.x+p.spanIn(s, s.from, to)-x, p.leading-2), 3)
	})
	if ru.link != "" {
		r.rect(roleAccent, fyne.NewPos(s.x, y+p.leading-4), fyne.NewSize(s.width, 1), 0)
	}
	if ru.strike {
		r.rect(roleMuted, fyne.NewPos(s.x, y+p.leading/2), fyne.NewSize(s.width, 1), 0)
	}
}

// segment draws a segment's text.
func (r *proseRenderer) segment(s segment, y float32) {
	p := r.p
	role := p.runs[s.run].role
	if role == roleNone {
		role = p.role
	}
	if p.runs[s.run].link != "" {
		role = roleAccent
	}
	size, style := p.style(s.run)
	r.text(strings.ReplaceAll(p.flat[s.from:s.to], "\t", "    "), role, fyne.NewPos(s.x, y), s.width, p.leading, size, style)
}

func (p *prose) spanIn(s segment, from, to int) float32 {
	if to <= from {
		return 0
	}
	size, style := p.style(s.run)
	return measureText(p.flat[from:to], size, style).Width
}

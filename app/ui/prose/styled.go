package prose

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"

	"mac-stats/app/ui/kit"
)

// Run is text in one style.
type Run struct {
	Text   string
	Bold   bool
	Italic bool
	Strike bool
	Mono   bool
	Key    bool // of a keyboard
	Lift   int8 // 1 for raised text, -1 for lowered text
	Link   string
	Role   fyne.ThemeColorName // "" means the paragraph's own
}

// liftedSize is the size of raised and lowered text, as a part of the size around it.
const liftedSize = 0.75

// segment is the part of a run on one line.
type segment struct {
	from, to int
	run      int
	X, Width float32
}

// styled is a text in runs that knows its widths.
type styled struct {
	given   []Run
	runs    []Run // given, split where the font changes
	uncut   bool  // no run changes its font: runs equals given
	known   bool  // runs belongs to given
	Flat    string
	starts  []int // offset of each run in Flat
	size    float32
	bold    bool
	scale   float32                          // of the text
	letters map[letterStyle]map[rune]float32 // their widths
}

// set changes the text. It returns the number of bytes at the beginning that keep their
// text and style, and whether anything changed.
func (s *styled) set(runs []Run) (same int, changed bool) {
	if s.known && slices.Equal(s.given, runs) {
		return len(s.Flat), false
	}
	k := s.keptRuns(runs)
	fresh := splitFonts(runs[k:], s.bold)
	same = len(s.Flat)
	if k < len(s.starts) {
		same = s.starts[k]
	}
	same += sameBeginning(s.runs[k:], fresh)
	s.uncut = (k == 0 || s.uncut) && slices.EqualFunc(fresh, runs[k:], func(a, b Run) bool { return a.Text == b.Text })
	s.given, s.runs, s.starts, s.known = runs, append(s.runs[:k], fresh...), s.starts[:k], true
	s.join()
	return same, true
}

// setScale changes the size of the text; all of it must be set again.
func (s *styled) setScale(scale float32) {
	s.scale, s.known, s.runs, s.starts = scale, false, nil, nil
}

// letterStyle is what the width of a letter depends on.
type letterStyle struct {
	size  float32
	style fyne.TextStyle
}

// keptRuns returns the number of runs at the beginning that are unchanged.
func (s *styled) keptRuns(runs []Run) (k int) {
	for s.uncut && s.known && k < min(len(s.given), len(runs)) && s.given[k] == runs[k] {
		k++
	}
	return k
}

// join builds the flat text from the runs.
func (s *styled) join() {
	n := 0
	for i, r := range s.runs {
		if i >= len(s.starts) {
			s.starts = append(s.starts, n)
		}
		n += len(r.Text)
	}
	var b strings.Builder
	b.Grow(n)
	for _, r := range s.runs {
		b.WriteString(r.Text)
	}
	s.Flat = b.String()
}

// sameBeginning returns the number of bytes at the beginning of two texts that are the same
// in the same style.
func sameBeginning(a, b []Run) int {
	same := 0
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			same += len(a[i].Text)
			continue
		}
		x, y := a[i].Text, b[i].Text
		a, b := a[i], b[i]
		a.Text, b.Text = "", ""
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

func (s *styled) runAt(off int) int {
	at := sort.SearchInts(s.starts, off+1) - 1
	return max(at, 0)
}

func (s *styled) style(r int) (float32, fyne.TextStyle) {
	ru := s.runs[r]
	size := s.scale * s.size
	if ru.Mono {
		size = s.scale * min(s.size, kit.SizeMono)
	}
	if ru.Lift != 0 {
		size *= liftedSize
	}
	if ru.Mono {
		return size, fyne.TextStyle{Monospace: true, Bold: ru.Bold}
	}
	return size, fyne.TextStyle{Bold: ru.Bold || s.bold, Italic: ru.Italic}
}

// span returns the width of flat[from:to], which may span runs.
func (s *styled) span(from, to int) float32 {
	var w float32
	for r := s.runAt(from); from < to; r++ {
		end := len(s.Flat)
		if r+1 < len(s.starts) {
			end = s.starts[r+1]
		}
		end = min(end, to)
		if end > from {
			size, style := s.style(r)
			w += kit.MeasureText(s.Flat[from:end], size, style).Width
		}
		from = max(end, from)
		if r >= len(s.starts)-1 {
			break
		}
	}
	return w
}

// segments returns the parts of a line in one style each.
func (s *styled) segments(l textLine) []segment {
	var segs []segment
	var x float32
	for at, r := l.from, s.runAt(l.from); at < l.to; r++ {
		end := l.to
		if r+1 < len(s.starts) {
			end = min(end, s.starts[r+1])
		}
		if end > at {
			size, style := s.style(r)
			w := kit.MeasureText(s.Flat[at:end], size, style).Width
			segs = append(segs, segment{from: at, to: end, run: r, X: x, Width: w})
			x += w
			at = end
		}
	}
	return segs
}

func (s *styled) offsetIn(g segment, x float32) int {
	size, style := s.style(g.run)
	prev, at := float32(0), g.from
	for at < g.to {
		next := NextRune(s.Flat, at)
		w := kit.MeasureText(s.Flat[g.from:next], size, style).Width
		if x < (prev+w)/2 {
			return at
		}
		prev, at = w, next
	}
	return g.to
}

func (s *styled) spanIn(g segment, from, to int) float32 {
	if to <= from {
		return 0
	}
	size, style := s.style(g.run)
	return kit.MeasureText(s.Flat[from:to], size, style).Width
}

// lettersWithin returns the end and the width of the bundled fonts' letters from from on
// that fit into a width.
func (s *styled) lettersWithin(from, to int, width float32) (end int, x float32) {
	for r := s.runAt(from); from < to; r++ {
		end := to
		if r+1 < len(s.starts) {
			end = min(end, s.starts[r+1])
		}
		size, style := s.style(r)
		widths := s.letterWidths(size, style)
		for from < end {
			c, n := utf8.DecodeRuneInString(s.Flat[from:end])
			if !kit.IsOwn(c) {
				return from, x
			}
			w, known := widths[c]
			if !known {
				w = kit.MeasureText(s.Flat[from:from+n], size, style).Width
				widths[c] = w
			}
			if x+w > width {
				return from, x
			}
			from, x = from+n, x+w
		}
	}
	return from, x
}

// letterWidths returns the known widths of letters in one style.
func (s *styled) letterWidths(size float32, style fyne.TextStyle) map[rune]float32 {
	key := letterStyle{size, style}
	if s.letters[key] == nil {
		if s.letters == nil {
			s.letters = map[letterStyle]map[rune]float32{}
		}
		s.letters[key] = map[rune]float32{}
	}
	return s.letters[key]
}

// splitFonts splits styled runs where the font changes.
func splitFonts(runs []Run, bold bool) []Run {
	out := make([]Run, 0, len(runs))
	for _, r := range runs {
		if !bold && !r.Bold && !r.Italic && !r.Mono || kit.InOwnFont(r.Text) {
			out = append(out, r)
			continue
		}
		for rest := r.Text; rest != ""; {
			part := r
			part.Text = rest[:kit.SameFont(rest)]
			rest = rest[len(part.Text):]
			out = append(out, part)
		}
	}
	return out
}

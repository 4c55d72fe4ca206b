package pdftext

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// A PDF says where letters stand, not in which order people read them. Most files draw them in
// that order; others draw upwards, a line across all columns, or a table cell by cell.
//
// So words become runs: what stands in one line without a wide gap. Runs that are drawn one
// below the other become blocks. Blocks are read from the top downwards. Where a gutter divides
// them, the columns are read one after the other, if they were drawn so, or if they look like
// the columns of a newspaper; otherwise they are the rows of a table.

// word is a word of a page. Its box is turned so that it reads from left to right.
type word struct {
	text string
	line int // that PDFium put it in
	turn int // quarters by which its box was turned
	box
	stacked bool // its letters have no width, and so stand on each other
}

// box is a part of a page, in points. y grows upwards.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) union(c box) box {
	return box{min(b.x0, c.x0), min(b.y0, c.y0), max(b.x1, c.x1), max(b.y1, c.y1)}
}

func (b box) height() float64 { return b.y1 - b.y0 }

// block is one or more lines below each other.
type block struct {
	box
	drawn int // its place in the order of drawing
	lines []run
}

// run is text in one line.
type run struct {
	box
	text string
}

// layOut returns the text of a page's words, each line with its end.
func layOut(words []word) string {
	var turns [4]int
	for _, w := range words {
		turns[w.turn] += len(w.text)
	}
	var out writer
	order := []int{0, 1, 2, 3}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(turns[b], turns[a]) })
	for _, turn := range order { // text along the edge comes after the rest
		some := slices.DeleteFunc(slices.Clone(words), func(w word) bool { return w.turn != turn })
		out.blocks(blocksOf(runsOf(some)))
	}
	return strings.ReplaceAll(out.out.String(), string(hyphen), "-")
}

// runsOf joins the words that PDFium put in one line, up to a wide gap. What is drawn higher is
// another line, which PDFium doesn't always see.
func runsOf(words []word) []run {
	var runs []run
	line := -1
	for _, w := range words {
		if len(runs) > 0 && w.line == line {
			r := &runs[len(runs)-1]
			if max(w.x0-r.x1, r.x0-w.x1) < 1.2*max(r.height(), 1) && w.y0 < r.y1 {
				r.text += " " + w.text
				r.box = r.union(w.box)
				continue
			}
		}
		runs, line = append(runs, run{w.box, w.text}), w.line
	}
	return runs
}

// blocksOf joins runs that are drawn one below the other.
func blocksOf(runs []run) []block {
	var blocks []block
	for i, r := range runs {
		if len(blocks) > 0 {
			b := &blocks[len(blocks)-1]
			last := b.lines[len(b.lines)-1]
			gap := last.y0 - r.y1
			if r.x0 < b.x1 && r.x1 > b.x0 && r.y1 < last.y1-last.height()/3 && gap < 1.5*max(last.height(), r.height()) {
				b.lines = append(b.lines, r)
				b.box = b.union(r.box)
				continue
			}
		}
		blocks = append(blocks, block{r.box, i, []run{r}})
	}
	return blocks
}

// parts divides blocks where none of them stands, along one axis: from and to give a block's
// extent on it. The parts are in rising order.
func parts(blocks []block, from, to func(block) float64) [][]block {
	sorted := slices.Clone(blocks)
	slices.SortStableFunc(sorted, func(a, b block) int { return cmp.Compare(from(a), from(b)) })
	var out [][]block
	end := math.Inf(-1)
	for _, b := range sorted {
		if len(out) == 0 || from(b) >= end {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], b)
		end = max(end, to(b))
	}
	return out
}

// bands divides blocks from the top downwards. Neighbouring lines may touch.
func bands(blocks []block) [][]block {
	slack := func(b block) float64 { return 0.25 * b.lines[0].height() }
	return parts(blocks, func(b block) float64 { return -b.y1 + slack(b) }, func(b block) float64 { return -b.y0 - slack(b) })
}

// columns divides blocks from left to right.
func columns(blocks []block) [][]block {
	return parts(blocks, func(b block) float64 { return b.x0 }, func(b block) float64 { return b.x1 })
}

// column is what a part's blocks between two gutters have in common.
type column struct {
	box
	from, to     int // the first and the last one drawn
	lines, words int
	top          float64 // the height of its highest line
	gap          bool    // between two of its lines there is room for another one
}

// gutters returns the columns of some blocks.
func gutters(blocks []block) []column {
	var cols []column
	for _, b := range blocks {
		c := column{box: b.box, from: b.drawn, to: b.drawn, lines: len(b.lines), top: b.lines[0].height()}
		for i, l := range b.lines {
			c.words += len(strings.Fields(l.text))
			c.gap = c.gap || i > 0 && b.lines[i-1].y0-l.y1 > l.height()
		}
		cols = append(cols, c)
	}
	return join(cols, nil)
}

// join returns the columns of a part that consists of two others.
func join(a, b []column) []column {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(a, b column) int { return cmp.Compare(a.x0, b.x0) })
	out := all[:0]
	for _, c := range all {
		if len(out) == 0 || c.x0 >= out[len(out)-1].x1 {
			out = append(out, c)
			continue
		}
		last := &out[len(out)-1]
		high, low := *last, c
		if high.y1 < low.y1 {
			high, low = low, high
		}
		*last = column{
			high.union(low.box), min(high.from, low.from), max(high.to, low.to), high.lines + low.lines, high.words + low.words,
			high.top, high.gap || low.gap || high.y0-low.y1 > low.top,
		}
	}
	return out
}

// sideBySide reports whether columns stand beside each other, and not one below the other.
func sideBySide(cols []column) bool {
	lines := 0
	for i, c := range cols {
		lines += c.lines
		if i > 0 && min(cols[i-1].y1, c.y1)-max(cols[i-1].y0, c.y0) < 0.5*min(cols[i-1].height(), c.height()) {
			return false
		}
	}
	return len(cols) > 1 && lines > len(cols)
}

func extent(blocks []block) box {
	b := blocks[0].box
	for _, more := range blocks[1:] {
		b = b.union(more.box)
	}
	return b
}

// drawnApart reports whether each column was drawn before or after each other one.
func drawnApart(cols []column) bool {
	drawn := slices.Clone(cols)
	slices.SortFunc(drawn, func(a, b column) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(drawn); i++ {
		if drawn[i].from < drawn[i-1].to {
			return false
		}
	}
	return true
}

// wordy reports whether columns are two or three, each of lines of several words.
func wordy(cols []column) bool {
	return len(cols) <= 3 && !slices.ContainsFunc(cols, func(c column) bool { return c.lines < 3 || c.words < 3*c.lines })
}

// newspaper reports whether the lines of each column stand close to each other and begin at one
// edge.
func newspaper(cols [][]block) bool {
	for _, c := range cols {
		var lines []run
		atEdge := 0
		left := extent(c).x0
		for _, b := range c {
			lines = append(lines, b.lines...)
		}
		slices.SortStableFunc(lines, func(a, b run) int { return cmp.Compare(b.y1, a.y1) })
		for i, l := range lines {
			if l.x0 < left+l.height()/2 {
				atEdge++
			}
			if i > 0 && lines[i-1].y0-l.y1 > l.height() {
				return false
			}
		}
		if 2*atEdge < len(lines) {
			return false
		}
	}
	return true
}

// rightToLeft reports whether most letters of some blocks are of a script that is read from
// right to left.
func rightToLeft(blocks []block) bool {
	right, left := 0, 0
	for _, b := range blocks {
		for _, l := range b.lines {
			for _, r := range l.text {
				switch {
				case unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko):
					right++
				case unicode.IsLetter(r):
					left++
				}
			}
		}
	}
	return right > left
}

// writer collects the lines of a page.
type writer struct {
	out  bytes.Buffer
	last *run // the one written last
}

// blocks writes blocks in reading order.
func (w *writer) blocks(blocks []block) {
	rows := bands(blocks)
	sums := make([][]column, len(rows))
	for i, r := range rows {
		sums[i] = gutters(r)
	}
	for len(rows) > 0 {
		cols, n := sums[0], 1 // as many bands as one gutter divides
		for n < len(rows) {
			more := join(cols, sums[n])
			if len(more) < 2 {
				break
			}
			cols, n = more, n+1
		}
		if part := slices.Concat(rows[:n]...); sideBySide(cols) && (drawnApart(cols) || wordy(cols) && newspaper(columns(part))) {
			inside := columns(part)
			if rightToLeft(part) {
				slices.Reverse(inside)
			}
			for _, c := range inside {
				w.blocks(c)
			}
			rows, sums = rows[n:], sums[n:]
			continue
		}
		alone := tableRows(sums, n)
		for _, r := range rows[:alone] {
			w.row(r)
		}
		rows, sums = rows[alone:], sums[alone:]
	}
}

// tableRows returns how many of the first n bands, which aren't columns together, are read one
// by one: up to one that may begin columns with those below it. It goes upwards once, and keeps
// what a gutter divides below each band, as trying each band anew takes the square of their number.
func tableRows(sums [][]column, n int) int {
	alone, end := n, n
	var below []column // of the bands up to end
	for i := n - 1; i > 0; i-- {
		if below = join(sums[i], below); len(below) < 2 {
			below, end = sums[i], i+1
		}
		for end < len(sums) {
			more := join(below, sums[end])
			if len(more) < 2 {
				break
			}
			below, end = more, end+1
		}
		if sideBySide(below) && (drawnApart(below) || wordy(below) && !slices.ContainsFunc(below, func(c column) bool { return c.gap })) {
			alone = i
		}
	}
	return alone
}

// row writes blocks of one height: the cells of a table's row in one line, anything else as it
// was drawn.
func (w *writer) row(blocks []block) {
	cells := columns(blocks)
	if len(cells) < 2 {
		slices.SortStableFunc(blocks, func(a, b block) int { return cmp.Compare(a.drawn, b.drawn) })
		for _, b := range blocks {
			for _, l := range b.lines {
				w.line(l)
			}
		}
		return
	}
	if rightToLeft(blocks) {
		slices.Reverse(cells)
	}
	var texts []string
	for _, cell := range cells {
		var inside writer
		inside.blocks(cell)
		texts = append(texts, oneLine(inside.out.String()))
	}
	w.line(run{extent(blocks), strings.Join(texts, "  ")})
}

// paragraphGap is the gap between two lines, in heights of one, that becomes an empty line.
const paragraphGap = 0.7

func (w *writer) line(l run) {
	switch {
	case w.last == nil:
	case bytes.HasSuffix(w.out.Bytes(), []byte{hyphen, '\n'}): // the rest of the word follows
		w.out.Truncate(w.out.Len() - 2)
	case w.last.y0-l.y1 > paragraphGap*l.height(), l.y0 > w.last.y1:
		w.out.WriteByte('\n')
	}
	w.out.WriteString(l.text + "\n")
	w.last = &l
}

package prose

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A paragraph is split into words, and words into lines. A text that only grows at its end
// pays only for new text.

// wrapping is a text split into words and lines.
type wrapping struct {
	styled
	words   []word
	Lines   []textLine
	width   float32 // the lines were made for; 0 means none yet
	settled int     // number of words whose lines are up to date
	stale   bool    // the words have changed since
	Widest  float32 // width of the widest line
	version int     // incremented with every wrapping
}

// SetRuns changes the text and reports whether anything changed. It keeps the words at the
// beginning that stay the same, and their lines.
func (p *wrapping) SetRuns(runs []Run) bool {
	same, changed := p.set(runs)
	if changed {
		p.keepWords(same)
		p.split()
		p.stale = true
	}
	return changed
}

// fit builds the lines for a width and a scale of the text.
func (p *wrapping) fit(width, scale float32) {
	if scale != p.scale {
		p.setScale(scale)
		p.words, p.settled = nil, 0
		p.SetRuns(p.given)
	}
	if p.width != width {
		p.settled = 0
	}
	if p.width != width || p.stale {
		p.wrap(width)
	}
}

// keepWords keeps the words within the first same bytes, except the last, which may
// continue.
func (p *wrapping) keepWords(same int) {
	n := sort.Search(len(p.words), func(i int) bool { return p.words[i].next >= same })
	p.words = p.words[:n]
	p.settled = min(p.settled, n)
}

// split finds the words of the flat text behind those found already.
func (p *wrapping) split() {
	i := 0
	if n := len(p.words); n > 0 {
		i = p.words[n-1].next
	}
	out := slices.Grow(p.words, (len(p.Flat)-i)/5+1)
	for i < len(p.Flat) {
		from := i
		i = wordEnd(p.Flat, i)
		w := word{from: from, to: i}
		sp := i
		for i < len(p.Flat) && (p.Flat[i] == ' ' || p.Flat[i] == '\t') {
			i++
		}
		w.width, w.space = p.wordWidth(from, w.to), p.span(sp, i)
		if i < len(p.Flat) && p.Flat[i] == '\n' {
			w.hard = true
			i++
		}
		w.next = i
		out = append(out, w)
	}
	p.words = out
}

// wordEnd returns the end of the word that begins at i: at a space, or around characters of
// scripts written without spaces.
func wordEnd(s string, i int) int {
	start := i
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == ' ' || r == '\t' || r == '\n' {
			return i
		}
		if breaksAnywhere(r) {
			if i == start {
				i += n
				for i < len(s) { // closing punctuation and marks stay with it
					r, n := utf8.DecodeRuneInString(s[i:])
					if !unicode.Is(unicode.Mn, r) && !strings.ContainsRune("、。，．：；！？）」』】", r) {
						break
					}
					i += n
				}
			}
			return i
		}
		i += n
	}
	return i
}

func breaksAnywhere(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) ||
		r >= 0xFF00 && r <= 0xFFEF || r >= 0x3000 && r <= 0x303F)
}

// LongestWord returns the width of the longest word.
func (p *wrapping) LongestWord() float32 {
	var w float32
	for _, x := range p.words {
		w = max(w, x.width)
	}
	return w
}

// wrap builds the lines of the words that have none. It starts again at the last line that
// begins with a word and existed before.
func (p *wrapping) wrap(width float32) {
	p.width = width
	p.version++
	first := p.keepLines()
	from, x := 0, float32(0)
	if first > 0 {
		from = p.words[first].from
	}
	end := float32(0) // end of the last word, without the space after it
	flush := func(to, next int) {
		p.addLine(from, to, end)
		from, x, end = next, 0, 0
	}
	for _, w := range p.words[first:] {
		if x > 0 && x+w.width > width {
			flush(trimSpaces(p.Flat, from, w.from), w.from)
		}
		if x == 0 && w.width > width {
			from, end = p.breakWord(w, width)
		} else {
			end = x + w.width
		}
		x = end + w.space
		if w.hard {
			flush(trimSpaces(p.Flat, from, w.next-1), w.next)
		}
	}
	if from < len(p.Flat) || len(p.Lines) == 0 || strings.HasSuffix(p.Flat, "\n") {
		flush(trimSpaces(p.Flat, from, len(p.Flat)), len(p.Flat))
	}
	p.settled, p.stale = len(p.words), false
}

// keepLines keeps the lines above the first one that may change, and returns the word that
// one begins with.
func (p *wrapping) keepLines() (first int) {
	at := 0
	for n := len(p.Lines) - 1; n > 0 && p.settled > 0; n-- {
		from := p.Lines[n].from
		if first = sort.Search(p.settled, func(i int) bool { return p.words[i].from >= from }); first < p.settled && p.words[first].from == from {
			at = n
			break
		}
	}
	if at == 0 {
		first = 0
	}
	p.Lines = p.Lines[:at]
	p.Widest = 0
	for _, l := range p.Lines {
		p.Widest = max(p.Widest, l.width)
	}
	return first
}

func trimSpaces(s string, from, to int) int {
	for to > from && (s[to-1] == ' ' || s[to-1] == '\t') {
		to--
	}
	return to
}

// RuneFloor returns the offset of the character that contains byte i.
func RuneFloor(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// NextRune returns the offset of the character after byte i.
func NextRune(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return i + n
}

// word is a text that no line break may split: atoms without a space between them, and the
// space after them.
type word struct {
	from, to int // byte offsets in the flat text, without the space
	next     int // offset of the next word
	width    float32
	space    float32
	hard     bool // followed by a line break
}

// textLine is one line on the screen.
type textLine struct {
	from, to int
	width    float32
}

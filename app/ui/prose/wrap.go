package prose

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"mac-stats/app/ui/kit"
)

// How a paragraph becomes words, and words become lines. A text that only grows at
// its end costs what is new of it.

// keepWords keeps the words that end within so many bytes: the last of them may go
// on.
func (p *Text) keepWords(same int) {
	n := sort.Search(len(p.Words), func(i int) bool { return p.Words[i].next >= same })
	p.Words = p.Words[:n]
	p.settled = min(p.settled, n)
}

// split finds the words of the flat text behind those that are there.
func (p *Text) split() {
	i := 0
	if n := len(p.Words); n > 0 {
		i = p.Words[n-1].next
	}
	out := slices.Grow(p.Words, (len(p.Flat)-i)/5+1)
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
	p.Words = out
}

// wordEnd is where the word that begins at i ends: at a space, or around
// characters of scripts written without spaces.
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

// LongestWord is the width of the longest word.
func (p *Text) LongestWord() float32 {
	var w float32
	for _, x := range p.Words {
		w = max(w, x.width)
	}
	return w
}

// Measure wraps to a width and gives the height.
func (p *Text) Measure(width float32) float32 { return p.MeasureAt(width, kit.TextScale()) }

// MeasureAt is measure for who has many and asks for the scale once.
func (p *Text) MeasureAt(width, scale float32) float32 {
	if width < 8 {
		width = 8
	}
	if scale != p.scale {
		p.Leading, p.scale = p.Leading*scale/p.scale, scale
		p.Words, p.runs, p.starts, p.settled = nil, nil, nil, 0
		p.SetRuns(p.given)
	}
	if p.Wrapped != width {
		p.settled = 0
	}
	if p.Wrapped != width || p.stale {
		p.wrap(width)
	}
	return float32(p.shown(len(p.Lines))) * p.Leading
}

// wrap makes the lines of the words that have none. It begins again with the last
// line that begins with a word and has one that it had before.
func (p *Text) wrap(width float32) {
	p.Wrapped = width
	p.version++
	first := p.keepLines()
	from, x := 0, float32(0)
	if first > 0 {
		from = p.Words[first].from
	}
	end := float32(0) // of the last word, without the space after it
	flush := func(to, next int) {
		p.addLine(from, to, end)
		from, x, end = next, 0, 0
	}
	for _, w := range p.Words[first:] {
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
	p.settled, p.stale = len(p.Words), false
}

// keepLines keeps the lines above the first one that may change, and gives the word
// that one begins with.
func (p *Text) keepLines() (first int) {
	at := 0
	for n := len(p.Lines) - 1; n > 0 && p.settled > 0; n-- {
		from := p.Lines[n].from
		if first = sort.Search(p.settled, func(i int) bool { return p.Words[i].from >= from }); first < p.settled && p.Words[first].from == from {
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

// RuneFloor is the beginning of the character that holds byte i.
func RuneFloor(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// NextRune is where the character behind byte i begins.
func NextRune(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return i + n
}

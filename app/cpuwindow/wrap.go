package cpuwindow

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How a paragraph becomes words, and words become lines. A text that only grows at
// its end costs what is new of it.

// keepWords keeps the words that end within so many bytes: the last of them may go
// on.
func (p *prose) keepWords(same int) {
	n := sort.Search(len(p.words), func(i int) bool { return p.words[i].next >= same })
	p.words = p.words[:n]
	p.settled = min(p.settled, n)
}

// split finds the words of the flat text behind those that are there.
func (p *prose) split() {
	i := 0
	if n := len(p.words); n > 0 {
		i = p.words[n-1].next
	}
	out := slices.Grow(p.words, (len(p.flat)-i)/5+1)
	for i < len(p.flat) {
		from := i
		i = wordEnd(p.flat, i)
		w := word{from: from, to: i}
		sp := i
		for i < len(p.flat) && (p.flat[i] == ' ' || p.flat[i] == '\t') {
			i++
		}
		w.width, w.space = p.wordWidth(from, w.to), p.span(sp, i)
		if i < len(p.flat) && p.flat[i] == '\n' {
			w.hard = true
			i++
		}
		w.next = i
		out = append(out, w)
	}
	p.words = out
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

// longestWord is the width of the longest word.
func (p *prose) longestWord() float32 {
	var w float32
	for _, x := range p.words {
		w = max(w, x.width)
	}
	return w
}

// measure wraps to a width and gives the height.
func (p *prose) measure(width float32) float32 { return p.measureAt(width, textScale()) }

// measureAt is measure for who has many and asks for the scale once.
func (p *prose) measureAt(width, scale float32) float32 {
	if width < 8 {
		width = 8
	}
	if scale != p.scale {
		p.leading, p.scale = p.leading*scale/p.scale, scale
		p.words, p.runs, p.starts, p.settled = nil, nil, nil, 0
		p.setRuns(p.given)
	}
	if p.wrapped != width {
		p.settled = 0
	}
	if p.wrapped != width || p.stale {
		p.wrap(width)
	}
	return float32(len(p.lines)) * p.leading
}

// wrap makes the lines of the words that have none. It begins again with the last
// line that begins with a word and has one that it had before.
func (p *prose) wrap(width float32) {
	p.wrapped = width
	p.version++
	first := p.keepLines()
	from, x := 0, float32(0)
	if first > 0 {
		from = p.words[first].from
	}
	end := float32(0) // of the last word, without the space after it
	flush := func(to, next int) {
		p.addLine(from, to, end)
		from, x, end = next, 0, 0
	}
	for _, w := range p.words[first:] {
		if x > 0 && x+w.width > width {
			flush(trimSpaces(p.flat, from, w.from), w.from)
		}
		if x == 0 && w.width > width {
			from, end = p.breakWord(w, width)
		} else {
			end = x + w.width
		}
		x = end + w.space
		if w.hard {
			flush(trimSpaces(p.flat, from, w.next-1), w.next)
		}
	}
	if from < len(p.flat) || len(p.lines) == 0 || strings.HasSuffix(p.flat, "\n") {
		flush(trimSpaces(p.flat, from, len(p.flat)), len(p.flat))
	}
	p.settled, p.stale = len(p.words), false
}

// keepLines keeps the lines above the first one that may change, and gives the word
// that one begins with.
func (p *prose) keepLines() (first int) {
	at := 0
	for n := len(p.lines) - 1; n > 0 && p.settled > 0; n-- {
		from := p.lines[n].from
		if first = sort.Search(p.settled, func(i int) bool { return p.words[i].from >= from }); first < p.settled && p.words[first].from == from {
			at = n
			break
		}
	}
	if at == 0 {
		first = 0
	}
	p.lines = p.lines[:at]
	p.widest = 0
	for _, l := range p.lines {
		p.widest = max(p.widest, l.width)
	}
	return first
}

func trimSpaces(s string, from, to int) int {
	for to > from && (s[to-1] == ' ' || s[to-1] == '\t') {
		to--
	}
	return to
}

func runeFloor(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

func nextRune(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return i + n
}

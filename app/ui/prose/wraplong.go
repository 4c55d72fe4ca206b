package prose

import (
	"math"
	"unicode"
	"unicode/utf8"

	"mac-stats/app/ui/kit"
)

// Some words are longer than a line: base64, a minified file, an address. Shaping a text
// costs 0.3 µs a byte, so a long word is measured by the widths of its letters. That
// ignores kerning, which is some tenths of a percent.

const (
	longWord  = 256 // bytes from which on a word is measured by its letters
	longJoint = 64  // bytes of marks and joined characters that aren't split

	sampled    = 8 << 10 // bytes that are shaped to estimate the width of a word wider than any line
	widestLine = 16_000  // pixels; no window is wider
)

// wordWidth returns the width of a word.
func (p *wrapping) wordWidth(from, to int) float32 {
	if to-from <= longWord {
		return p.span(from, to)
	}
	end, x := p.lettersWithin(from, to, math.MaxFloat32)
	part := min(RuneFloor(p.Flat, end+sampled), to)
	w := p.span(end, part)
	if part < to && w > widestLine {
		return x + w*float32(to-end)/float32(part-end)
	}
	return x + w + p.span(part, to)
}

// breakWord breaks a word that is longer than a line. It returns the beginning and the
// width of its last line. Its cost is linear in the word.
func (p *wrapping) breakWord(w word, width float32) (from int, x float32) {
	guess := longJoint
	for from = w.from; ; {
		cut, x := p.fitting(from, w.to, width, guess)
		if cut >= w.to {
			return from, x
		}
		p.addLine(from, cut, x)
		from, guess = cut, cut-from
	}
}

// fitting returns the end and the width of the part of a word, beginning at from, that fits
// into a width; it has at least one character. guess is the expected number of bytes.
func (p *wrapping) fitting(from, to int, width float32, guess int) (cut int, x float32) {
	cut, x = p.lettersWithin(from, to, width)
	if cut < to && !kit.IsOwn(firstRune(p.Flat[cut:])) {
		cut, x = p.shapedWithin(from, cut, to, x, width, guess-(cut-from))
		if end := signEnd(p.Flat, cut, to); end > cut {
			if cut, x = end, p.span(from, end); x > width {
				cut = signStart(p.Flat, from, end)
				x = p.span(from, cut)
			}
		}
	}
	if cut == from {
		cut = signEnd(p.Flat, NextRune(p.Flat, from), to)
		x = p.span(from, cut)
	}
	return cut, x
}

// shapedWithin is lettersWithin for text whose characters may join: marks, emoji, Arabic.
// It shapes from…fits, which is x wide, and what follows, until the room left is less than
// a letter. First it tries step more bytes.
func (p *wrapping) shapedWithin(from, fits, to int, x, width float32, step int) (int, float32) {
	over, wide := to, float32(0) // what doesn't fit, and its width
	for fits < to && wide == 0 && width-x > p.size*p.scale {
		end := max(RuneFloor(p.Flat, min(fits+step, to)), NextRune(p.Flat, fits))
		if w := p.span(from, end); w > width {
			over, wide = end, w
		} else {
			fits, x = end, w
		}
		// the bytes that would fill the line if they were as wide as those before
		step = max(longJoint/4, (fits-from)/8, int(float32(fits-from)*(width-x)/max(x, 1)))
	}
	for halve := false; NextRune(p.Flat, fits) < over && width-x > p.size*p.scale; halve = !halve {
		part := (width - x) / (wide - x)
		if halve {
			part = 0.5
		}
		mid := RuneFloor(p.Flat, fits+int(part*float32(over-fits)))
		mid = min(max(mid, NextRune(p.Flat, fits)), RuneFloor(p.Flat, over-1))
		if w := p.span(from, mid); w > width {
			over, wide = mid, w
		} else {
			fits, x = mid, w
		}
	}
	return fits, x
}

// signEnd returns the end of the character that a cut would split: marks stay with their
// letter, and joined emoji together.
func signEnd(s string, at, to int) int {
	for limit := min(to, at+longJoint); at < limit && joins(s, at); {
		at = NextRune(s, at)
	}
	return at
}

// signStart returns the beginning of the last character before at, not before from.
func signStart(s string, from, at int) int {
	for at = RuneFloor(s, at-1); at > from && joins(s, at); {
		at = RuneFloor(s, at-1)
	}
	return at
}

// joins reports whether the rune at an offset belongs to the character before it.
func joins(s string, at int) bool {
	const joiner = '\u200d'
	c := firstRune(s[at:])
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	return c == joiner || before == joiner || unicode.In(c, unicode.Mn, unicode.Me)
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// addLine adds a line of a width.
func (p *wrapping) addLine(from, to int, width float32) {
	p.Lines = append(p.Lines, textLine{from: from, to: to, width: width})
	p.Widest = max(p.Widest, width)
}
